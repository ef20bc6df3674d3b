"""The independent judge of the predicate language: plain Python, no index, no normal form, nothing of the package.

A text becomes a tree of functions by recursive descent, and the tree is asked of the event itself. Numbers are
compared by Python's own int and float, which is exact; instants are whole nanoseconds since the year 1.

>>> event = {"name": "RBS", "value": 15, "orders": [{"price": 7, "sku": "y"}, {"price": 3, "sku": "x"}]}
>>> matches("name = 'RBS' AND value > 20", event), matches("name = 'RBS' AND NOT value > 20", event)
(False, True)
>>> matches("orders.price > 5 AND orders.sku = 'x'", event), matches("ANY orders (price > 5 AND sku = 'x')", event)
(True, False)
>>> matches("topic KIND OF 'politics'", {"topic": "national"}, {"topic": {"national": "politics"}})
True
>>> matches("line HAS 'X' IGNORING CASE AND path LIKE 'C:%.exe'", {"line": "axb", "path": "C:x.exe"})
True
>>> matches("MATCHES 'ferry AND storm'", {"title": "Ferry", "body": "a storm"}, texts=("title", "body"))
True
>>> matches("name == 'RBS'", event)
Traceback (most recent call last):
...
tests.predicate_oracle.Refused: a literal is expected at '='

What the language leaves open is decided here as follows, and the strategies stay away from it: a literal with a
point or an exponent is the nearest double, and refused if there is none but infinity; the reserved words below
are no bare names; IGNORING CASE does nothing to a literal that is no text; an instant's digits past the ninth
are cut off; a network with host bits set is refused.
"""

from __future__ import annotations

import datetime
import ipaddress
import operator
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from lxml import etree

from tests import oracle, path_oracle

Test = Callable[[dict, dict], bool]
"""A part of a query: asked with an event and the hierarchies by path."""

BARE = ""
"""Where the hierarchies, by attribute, keep the attributes that are read where none is named."""

SIGNS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
ABOUT_TEXTS = ("MATCHES", "HAS", "LIKE", "ILIKE")
RESERVED = {"AND", "OR", "NOT", "ANY", "EXISTS", "IN", "BETWEEN", "IS", "CONTAINS", "TRUE", "FALSE", "IGNORING"}
TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?!\w|\.))
      | (?P<text>'(?:[^']|'')*')
      | (?P<quoted>"(?:[^"]|"")*")
      | (?P<word>[^\W\d]\w*)
      | (?P<sign><=|>=|<>|!=|[=<>(),.])""",
    re.VERBOSE,
)
INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


class Refused(ValueError):
    """The text is not of the language."""


def matches(text: str, event: dict, hierarchies: dict | None = None, texts: tuple[str, ...] = ()) -> bool:
    """Say whether `event` satisfies the subscription `text`; `hierarchies` is attribute -> child -> parent(s), and
    `texts` are the attributes that MATCHES and the like read where none stands before them."""
    return parse(text)(event, {**(hierarchies or {}), BARE: texts})


def accepted(text: str) -> bool:
    """Say whether `text` is of the language."""
    try:
        parse(text)
    except Refused:
        return False
    return True


@cache
def parse(text: str) -> Test:
    """Return the query as a function of an event and the hierarchies."""
    reader = Reader(text)
    test = _either(reader, ())
    if reader.tokens:
        raise Refused(f"the end is expected at {reader.tokens[0][1]!r}")
    return test


class Reader:
    """The tokens of a text as (kind, text) pairs, taken from the front."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            token = TOKEN.match(text, at)
            if token is None:
                raise Refused(f"unreadable at {text[at:]!r}")
            if token.lastgroup != "space":
                self.tokens.append((str(token.lastgroup), token[0]))
            at = token.end()

    def next_is(self, *words: str) -> bool:
        """Say whether these words or signs follow, keywords in any case."""
        found = [text.upper() for kind, text in self.tokens[: len(words)] if kind in ("word", "sign")]
        return found == list(words)

    def takes(self, *words: str) -> bool:
        """Take these words or signs if they follow."""
        follows = self.next_is(*words)
        if follows:
            del self.tokens[: len(words)]
        return follows

    def needs(self, *words: str) -> None:
        """Take these words or signs, which have to follow."""
        if not self.takes(*words):
            raise Refused(f"{' '.join(words)} is expected")

    def take(self) -> tuple[str, str]:
        """Take whatever follows."""
        if not self.tokens:
            raise Refused("the text ends too early")
        return self.tokens.pop(0)


def _either(reader: Reader, inside: tuple[str, ...]) -> Test:
    parts = [_both(reader, inside)]
    while reader.takes("OR"):
        parts.append(_both(reader, inside))
    return lambda event, trees: any(part(event, trees) for part in parts)


def _both(reader: Reader, inside: tuple[str, ...]) -> Test:
    parts = [_one(reader, inside)]
    while reader.takes("AND"):
        parts.append(_one(reader, inside))
    return lambda event, trees: all(part(event, trees) for part in parts)


def _some(reader: Reader, inside: tuple[str, ...]) -> Test:
    """Read a count of parts in parentheses."""
    count = int(reader.take()[1])
    reader.needs("OF", "(")
    parts = [_either(reader, inside)]
    while reader.takes(","):
        parts.append(_either(reader, inside))
    reader.needs(")")
    if not 1 <= count <= len(parts):
        raise Refused(f"{count} of {len(parts)} parts")
    return lambda event, trees: sum(part(event, trees) for part in parts) >= count


def _one(reader: Reader, inside: tuple[str, ...]) -> Test:
    """Read what is not, a parenthesis, or a predicate; `inside` is the path of the list that an ANY is about."""
    if reader.takes("NOT"):
        part = _one(reader, inside)
        return lambda event, trees: not part(event, trees)
    if reader.takes("("):
        part = _either(reader, inside)
        reader.needs(")")
        return part
    if reader.takes("ANY"):
        return _any(reader, inside)
    if [kind for kind, _ in reader.tokens[:1]] == ["number"] and [text for _, text in reader.tokens[2:3]] == ["("]:
        return _some(reader, inside)
    if reader.takes("EXISTS"):
        return _exists(_attribute(reader))
    follows = [kind for kind, _ in reader.tokens[1:2]] == ["text"] or reader.next_is("MATCHES", "PATTERN")
    if follows and any(reader.next_is(word) for word in ABOUT_TEXTS):
        holds_in = _in_texts(reader)
        return lambda event, trees: holds_in(list(_bare(event, trees[BARE], inside)))
    names = _attribute(reader)
    if any(reader.next_is(word) for word in ABOUT_TEXTS):
        holds_in = _in_texts(reader)
        return lambda event, trees: holds_in(list(values(event, names)))
    if reader.takes("EXISTS"):
        return _exists(names)
    if reader.takes("IS", "MISSING"):
        exists = _exists(names)
        return lambda event, trees: not exists(event, trees)
    if reader.takes("KIND", "OF"):
        return _kind_of(names, ".".join(inside + names), _text(reader))
    holds = _comparison(reader)
    return lambda event, trees: any(holds(value) for value in values(event, names))


def _bare(event: dict, attributes: tuple[str, ...], inside: tuple[str, ...]) -> Iterator[object]:
    """Yield the values of the attributes that are read where none is named; inside of ANY, of those below its list."""
    for attribute in attributes:
        names = tuple(attribute.split("."))
        if names[: len(inside)] == inside:
            yield from values(event, names[len(inside) :])


def _in_texts(reader: Reader) -> Callable[[list[object]], bool]:
    """Read an operator about texts, and return the test of all values together."""
    if reader.takes("MATCHES", "PATTERN"):
        pattern = _text(reader)
        return lambda found: any(oracle.matches_pattern(pattern, text) for text in _texts(found))
    if reader.takes("MATCHES", "PATH"):
        path = _text(reader)
        return lambda found: any(_has_path(path, text) for text in _texts(found))
    if reader.takes("MATCHES"):
        words = _text(reader)

        def searched(found: list[object]) -> bool:
            texts = _texts(found)
            return bool(texts) and oracle.matches_several(words, texts)

        return searched
    if reader.takes("HAS"):
        part, folds = _text(reader), _ignoring(reader)
        return lambda found: any(_fold(part, folds) in _fold(text, folds) for text in _texts(found))
    folds = reader.next_is("ILIKE")
    reader.take()
    form = _text(reader)
    escape = _text(reader) if reader.takes("ESCAPE") else None
    folds = _ignoring(reader) or folds
    return lambda found: any(_is_like(form, text, escape, folds) for text in _texts(found))


def _texts(found: list[object]) -> list[str]:
    return [text.decode() if isinstance(text, bytes) else text for text in found if isinstance(text, str | bytes)]


def _fold(text: str, folds: bool) -> str:
    return text.casefold() if folds else text


def _has_path(path: str, text: str) -> bool:
    try:
        return bool(path_oracle.occurrences(path, text.encode()))
    except etree.XMLSyntaxError:
        return False


def _is_like(form: str, text: str, escape: str | None, folds: bool) -> bool:
    """Say whether a whole text has the form, by trying every way: % takes nothing, or a character and again."""
    characters = []
    rest = iter(form)
    for character in rest:
        if character == escape:
            characters.append((next(rest), False))
        else:
            characters.append((character, character in "%_"))
    folded = [(_fold(one, folds), is_wild) for one, is_wild in characters]
    parts = [(one, is_wild) for text, is_wild in folded for one in ([text] if is_wild else text)]
    reached = {0}
    text = _fold(text, folds)
    for one, is_wild in parts:
        if is_wild and one == "%":
            reached = set(range(min(reached), len(text) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(text) and (is_wild or text[at] == one)}
    return len(text) in reached


def _any(reader: Reader, inside: tuple[str, ...]) -> Test:
    names = _attribute(reader)
    reader.needs("(")
    part = _either(reader, inside + names)
    reader.needs(")")
    return lambda event, trees: any(isinstance(value, dict) and part(value, trees) for value in values(event, names))


def _exists(names: tuple[str, ...]) -> Test:
    return lambda event, trees: any(True for _ in values(event, names))


def _kind_of(names: tuple[str, ...], path: str, node: str) -> Test:
    def test(event: dict, trees: dict) -> bool:
        found = [value for value in values(event, names) if isinstance(value, str)]
        return any(node in above(prefix, trees.get(path, {})) for value in found for prefix in prefixes(value))

    return test


def _attribute(reader: Reader) -> tuple[str, ...]:
    names = [_name(reader)]
    while reader.takes("."):
        names.append(_name(reader))
    return tuple(names)


def _name(reader: Reader) -> str:
    kind, text = reader.take()
    if kind == "quoted":
        return text[1:-1].replace('""', '"')
    if kind != "word" or text.upper() in RESERVED:
        raise Refused(f"a name is expected at {text!r}")
    return text


def _comparison(reader: Reader) -> Callable[[object], bool]:
    """Read what stands behind an attribute, and return the test of one value."""
    if reader.takes("BETWEEN"):
        return _between(reader)
    if reader.takes("IN", "CIDR"):
        return _in_network(_text(reader))
    if reader.takes("IN"):
        return _in(reader)
    if reader.takes("STARTS", "WITH"):
        return _affix(reader, str.startswith)
    if reader.takes("ENDS", "WITH"):
        return _affix(reader, str.endswith)
    if reader.takes("CONTAINS"):
        return _compare(operator.eq, _literal(reader), _ignoring(reader))
    for word, spell in (("INTEGER", spelled_integer), ("NUMBER", spelled_number)):
        if reader.takes("AS", word):
            return _spelled(reader, spell)
    kind, sign = reader.take()
    if kind == "sign" and sign in SIGNS:
        literal = _literal(reader)
        if isinstance(literal, bool) and sign != "=":
            raise Refused("a boolean has no order")
        return _compare(SIGNS[sign], literal, _ignoring(reader))
    if kind == "sign" and sign in ("!=", "<>"):
        equal = _compare(operator.eq, _literal(reader), _ignoring(reader))
        return lambda value: not equal(value)
    raise Refused(f"a comparison is expected at {sign!r}")


def spelled_integer(value: object) -> float | None:
    """Return the integer of 32 bits that a value is or spells."""
    if isinstance(value, str):
        value = int(value) if re.fullmatch(r"[+-]?[0-9]{1,4200}", value) else None
    if not isinstance(value, bool | int | float) or value != value or value in (float("inf"), float("-inf")):
        return None
    return int(value) if value == int(value) and -(2**31) <= value < 2**31 else None


def spelled_number(value: object) -> float | None:
    """Return the number that a value is or spells."""
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", value) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _spelled(reader: Reader, spell: Callable[[object], float | None]) -> Callable[[object], bool]:
    """Read what stands behind AS INTEGER or AS NUMBER."""

    def bound() -> float:
        found = _literal(reader)
        number = None if isinstance(found, str | bool) else spell(found)
        if number is None or abs(number) == float("inf"):
            raise Refused(f"{found!r} is no number to compare with")
        return number

    if reader.takes("BETWEEN"):
        low = bound()
        reader.needs("AND")
        high = bound()
        return lambda value: (number := spell(value)) is not None and low <= number <= high
    for sign, holds in SIGNS.items():
        if reader.takes(sign):
            limit = bound()
            return lambda value: (number := spell(value)) is not None and holds(number, limit)
    return lambda value: spell(value) is not None


def _between(reader: Reader) -> Callable[[object], bool]:
    low = _literal(reader)
    reader.needs("AND")
    high = _literal(reader)
    if isinstance(low, bool) or isinstance(high, bool):
        raise Refused("a boolean has no order")
    plain = _ignoring(reader)
    if not plain and is_date(low) != is_date(high):
        raise Refused("a date and something else")
    above_low = _compare(operator.ge, low, plain)
    below_high = _compare(operator.le, high, plain)
    return lambda value: above_low(value) and below_high(value)


def _in(reader: Reader) -> Callable[[object], bool]:
    reader.needs("(")
    members = [_literal(reader)]
    while reader.takes(","):
        members.append(_literal(reader))
    reader.needs(")")
    plain = _ignoring(reader)
    tests = [_compare(operator.eq, member, plain) for member in members]
    return lambda value: any(test(value) for test in tests)


def _in_network(text: str) -> Callable[[object], bool]:
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        raise Refused(str(error)) from error

    def test(value: object) -> bool:
        try:
            return isinstance(value, str) and ipaddress.ip_address(value) in network
        except ValueError:
            return False

    return test


def _affix(reader: Reader, has: Callable[[str, str], bool]) -> Callable[[object], bool]:
    affix = _text(reader)
    if _ignoring(reader):
        return lambda value: isinstance(value, str) and has(value.casefold(), affix.casefold())
    return lambda value: isinstance(value, str) and has(value, affix)


def _ignoring(reader: Reader) -> bool:
    return reader.takes("IGNORING", "CASE")


def _text(reader: Reader) -> str:
    literal = _literal(reader)
    if not isinstance(literal, str):
        raise Refused("a text is expected")
    return literal


def _literal(reader: Reader) -> str | int | float | bool:
    kind, text = reader.take()
    if kind == "text":
        return text[1:-1].replace("''", "'")
    if kind == "number":
        number = int(text) if text.lstrip("-").isdigit() else float(text)
        if abs(number) == float("inf"):
            raise Refused(f"{text} is too large")
        return number
    if kind == "word" and text.upper() in ("TRUE", "FALSE"):
        return text.upper() == "TRUE"
    raise Refused(f"a literal is expected at {text!r}")


def _compare(sign: Callable[[Any, Any], bool], literal: Any, ignoring: bool) -> Callable[[object], bool]:
    """Return the test of one value; false across kinds."""
    if isinstance(literal, str) and ignoring:
        return lambda value: isinstance(value, str) and sign(value.casefold(), literal.casefold())
    if is_date(literal):
        return lambda value: is_date(value) and sign(instant(value), instant(literal))
    return lambda value: kind_of(value) == kind_of(literal) and sign(value, literal)


def values(value: object, names: tuple[str, ...]) -> Iterator[object]:
    """Yield the values that a path leads to: out of lists, never null.

    >>> list(values({"n": [{"x": 1}, {"x": [2, [3, None]]}, 4]}, ("n", "x")))
    [1, 2, 3]
    """
    if isinstance(value, list | tuple):
        for element in value:
            yield from values(element, names)
    elif names:
        if isinstance(value, dict) and names[0] in value:
            yield from values(value[names[0]], names[1:])
    elif value is not None and value == value:
        yield value


def kind_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, datetime.date):
        return "date"
    if isinstance(value, dict):
        return "object"
    raise TypeError(f"no event has a {type(value).__name__}")


def is_date(value: object) -> bool:
    """Say whether a value is a date object or a text that is a date or a moment of ISO 8601."""
    return isinstance(value, datetime.date) or (isinstance(value, str) and _nanoseconds(value) is not None)


def instant(value: Any) -> int:
    """Return the nanoseconds from the first day of year 1 to a date.

    >>> instant("1970-01-02T00:00:00.000000001+00:00") - instant(datetime.date(1970, 1, 1))
    86400000000001
    """
    if isinstance(value, str):
        return _nanoseconds(value)
    if not isinstance(value, datetime.datetime):
        return value.toordinal() * 86_400 * 10**9
    offset = value.utcoffset() or datetime.timedelta()
    since = value.replace(tzinfo=None) - datetime.datetime(1, 1, 1) - offset
    return ((since.days + 1) * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000  # 0001-01-01 is day 1


@cache
def _nanoseconds(text: str) -> int | None:
    found = INSTANT.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    try:
        days = datetime.date(year, month, day).toordinal()
        datetime.time(hour, minute, second)
    except ValueError:
        return None
    offset = 0
    if found[8] and found[8] != "Z":
        hours, minutes = int(found[8][1:3]), int(found[8][4:6])
        if hours > 23 or minutes > 59:
            return None
        offset = (hours * 60 + minutes) * (-60 if found[8][0] == "-" else 60)
    fraction = int(((found[7] or "") + "0" * 9)[:9])
    return (days * 86_400 + hour * 3600 + minute * 60 + second - offset) * 10**9 + fraction


def prefixes(value: str) -> list[str]:
    """Return a path-like value and the paths above it.

    >>> prefixes("politics/national")
    ['politics', 'politics/national']
    """
    parts = value.split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def above(node: str, parents: dict) -> set[str]:
    """Return a node and all its declared ancestors."""
    found, waiting = set(), [node]
    while waiting:
        reached = waiting.pop()
        if reached not in found:
            found.add(reached)
            direct = parents.get(reached, ())
            waiting.extend([direct] if isinstance(direct, str) else direct)
    return found
