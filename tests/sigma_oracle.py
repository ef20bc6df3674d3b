"""What Sigma rules say about events, in plain Python: a rule, loaded by PyYAML, becomes a function of an event.

The rules are those of Sigma's specification, with the decisions that `watchword.predicates.dialects.sigma.rules` lists;
nothing here knows of subscriptions or shares code with the package. Wildcards and dashes are regular expressions,
Base64 at an offset is what two encodings with different neighbours have in common.

>>> rule = {"detection": {"a": {"Image|endswith": "\\\\CMD.exe", "EventID": 1}, "condition": "a"}}
>>> holds = compiled(rule)
>>> holds(View({"Image": "C:\\\\cmd.EXE", "EventID": "1"})), holds(View({"Image": "cmd.exe", "EventID": 1}))
(True, False)
"""

from __future__ import annotations

import base64
import ipaddress
import operator
import re
from collections.abc import Callable

DASH = "[-/\u2013\u2014\u2015]"
ORDERS = {"lt": operator.lt, "lte": operator.le, "gt": operator.gt, "gte": operator.ge}
UTF16 = {"wide": "utf-16-le", "utf16le": "utf-16-le", "utf16be": "utf-16-be", "utf16": "utf-16-le"}


class View:
    """An event, with the values of a field looked up once."""

    def __init__(self, event: dict, text: tuple[str, ...] = ()) -> None:
        self.event = event
        self.text = text
        self._values: dict[str, list] = {}
        self._folded: dict[str, list[str]] = {}

    def values(self, field: str) -> list:
        if field not in self._values:
            names = field.split(".")
            self._values[field] = reached(self.event, names if all(names) else [field])
        return self._values[field]

    def texts(self, field: str, cased: bool) -> list[str]:
        if cased:
            return [value for value in self.values(field) if isinstance(value, str)]
        if field not in self._folded:
            self._folded[field] = [value.casefold() for value in self.values(field) if isinstance(value, str)]
        return self._folded[field]

    def searched(self, cased: bool) -> list[str]:
        return [text for field in self.text for text in self.texts(field, cased)]


def reached(value: object, names: list[str]) -> list:
    if isinstance(value, list):
        return [one for member in value for one in reached(member, names)]
    if names:
        return reached(value[names[0]], names[1:]) if isinstance(value, dict) and names[0] in value else []
    return [] if value is None or value != value else [value]


Holds = Callable[[View], bool]


def compiled(rule: dict) -> Holds:
    """Return the function that decides whether an event satisfies a rule."""
    detection = rule["detection"]
    conditions = detection["condition"]
    conditions = conditions if isinstance(conditions, list) else [conditions]
    return any_of([condition(text, detection) for text in conditions])


def any_of(parts: list[Holds]) -> Holds:
    return parts[0] if len(parts) == 1 else lambda view: any(part(view) for part in parts)


def all_of(parts: list[Holds]) -> Holds:
    return parts[0] if len(parts) == 1 else lambda view: all(part(view) for part in parts)


def condition(text: str, detection: dict) -> Holds:
    """Return the function of a condition: operators by precedence, on a list of tokens."""
    tokens = re.findall(r"[()]|[^\s()]+", text)
    names = [name for name in detection if name not in ("condition", "timeframe")]

    def either() -> Holds:
        parts = [both()]
        while tokens and tokens[0] == "or":
            tokens.pop(0)
            parts.append(both())
        return any_of(parts)

    def both() -> Holds:
        parts = [factor()]
        while tokens and tokens[0] == "and":
            tokens.pop(0)
            parts.append(factor())
        return all_of(parts)

    def factor() -> Holds:
        token = tokens.pop(0)
        if token == "not":
            negated = factor()
            return lambda view: not negated(view)
        if token == "(":
            inner = either()
            assert tokens.pop(0) == ")"
            return inner
        if tokens and tokens[0] == "of":
            tokens.pop(0)
            pattern = tokens.pop(0)
            form = ".*" if pattern == "them" else pattern.replace("*", ".*")
            chosen = [selection(detection[name]) for name in names if name[0] != "_" and re.fullmatch(form, name)]
            return all_of(chosen) if token == "all" else any_of(chosen)
        return selection(detection[token])

    whole = either()
    assert not tokens, text
    return whole


def selection(value: object) -> Holds:
    if isinstance(value, dict):
        return all_of([item(key, values) for key, values in value.items()])
    if isinstance(value, list):
        return any_of([selection(one) for one in value])
    return item("", value)


def item(key: str, value: object) -> Holds:
    field, *modifiers = key.split("|")
    values = value if isinstance(value, list) else [value]
    parts = [one_value(field, modifiers, one) for one in values]
    found = all_of(parts) if "all" in modifiers else any_of(parts)
    if field and None not in values and not {"exists", "neq"} & set(modifiers):  # soon done with missing fields
        return lambda view: bool(view.values(field)) and found(view)
    return (lambda view: not found(view)) if "neq" in modifiers else found


def one_value(field: str, modifiers: list[str], value: object) -> Holds:
    cased = "cased" in modifiers
    if "exists" in modifiers:
        return lambda view: bool(view.values(field)) is value
    if "cidr" in modifiers:
        network = ipaddress.ip_network(value)
        return lambda view: any(address_in(one, network) for one in view.values(field))
    if order := next((one for one in modifiers if one in ORDERS), None):
        bound = value if not isinstance(value, str) else float(value)
        return lambda view: any(is_number(one) and ORDERS[order](one, bound) for one in view.values(field))
    if value is None:
        return lambda view: not view.values(field)
    if not field:
        form = expression(str(value).lower() if isinstance(value, bool) else str(value), ["contains", *modifiers])
        search = finder(form, cased)
        return lambda view: any(search(one) for one in view.searched(cased))
    if not isinstance(value, str):
        return lambda view: any(same(one, value) for one in view.values(field))
    return of_text(field, value, modifiers, cased)


def of_text(field: str, value: str, modifiers: list[str], cased: bool) -> Holds:
    if not set(modifiers) - {"all", "neq", "cased"} and not re.search(r"[*?]", value):
        plain = re.sub(r"\\\\", r"\\", value)
        return lambda view: any(same(one, plain, cased) for one in view.values(field))
    form = expression(value, modifiers)
    if form in (".*", ".*.*", ".*.*.*"):
        return lambda view: bool(view.values(field))
    unescaped = literal(form)
    if unescaped is not None:
        return lambda view: any(same(one, unescaped, cased) for one in view.values(field))
    search = finder(form, cased)
    return lambda view: any(search(one) for one in view.texts(field, cased))


def finder(form: str, cased: bool) -> Callable[[str], object]:
    """Return the function that says whether a text, folded unless `cased`, is what an expression stands for."""
    quick = re.fullmatch(r"\.\*((?:[^.^$*+?{}\[\]\\|()]|\\[^A-Za-z0-9])+)\.\*", form)
    if quick is None:
        return re.compile(form if cased else fold(form), re.DOTALL).fullmatch
    needle = re.sub(r"\\(.)", r"\1", quick[1], flags=re.DOTALL)
    needle = needle if cased else needle.casefold()
    return lambda text: needle in text


def literal(form: str) -> str | None:
    """Return the text that an expression without wildcards, classes and choices stands for."""
    found = re.fullmatch(r"(?:[^.^$*+?{}\[\]\\|()]|\\[^A-Za-z0-9])*", form)
    return re.sub(r"\\(.)", r"\1", form, flags=re.DOTALL) if found else None


def fold(form: str) -> str:
    """Fold an expression's literal letters; its signs have no case."""
    return form.casefold()


def expression(value: str, modifiers: list[str]) -> str:
    """Return the regular expression of the whole text that a value with its modifiers stands for."""
    pieces = [part for part in re.split(r"(\\\\|\\\*|\\\?|\*|\?)", value) if part]
    plain = "".join(part[1:] if part in ("\\\\", "\\*", "\\?") else part for part in pieces)
    parts = [part if part in "*?" else part[1:] if part in ("\\\\", "\\*", "\\?") else part for part in pieces]
    wild = [part in "*?" for part in pieces]
    data = plain.encode()
    forms = None
    before = behind = ""
    for modifier in modifiers:
        if modifier in UTF16:
            data = (b"\xff\xfe" if modifier == "utf16" else b"") + plain.encode(UTF16[modifier])
        elif modifier == "base64":
            forms = re.escape(base64.b64encode(data).decode())
        elif modifier == "base64offset":
            forms = f"(?:{'|'.join(re.escape(at_offset(data, offset)) for offset in range(3))})"
        elif modifier == "contains":
            before = behind = ".*"
        elif modifier == "startswith":
            behind = ".*"
        elif modifier == "endswith":
            before = ".*"
    if forms is None:
        forms = "".join(spelled(run, is_wild, "windash" in modifiers) for run, is_wild in runs(parts, wild))
    return before + forms + behind


def runs(parts: list[str], wild: list[bool]) -> list[tuple[str, bool]]:
    """Join literal parts that stand side by side."""
    made: list[tuple[str, bool]] = []
    for part, is_wild in zip(parts, wild, strict=True):
        if made and not is_wild and not made[-1][1]:
            made[-1] = (made[-1][0] + part, False)
        else:
            made.append((part, is_wild))
    return made


def spelled(run: str, is_wild: bool, windash: bool) -> str:
    if is_wild:
        return ".*" if run == "*" else "."
    if not windash:
        return re.escape(run)
    return DASH.join(re.escape(part) for part in re.split(r"\B[-/]\b", run))


def at_offset(data: bytes, offset: int) -> str:
    """Return the characters of Base64 that are the same whatever stands before and behind the data."""
    one, other = (base64.b64encode(near * offset + data + near * 3).decode() for near in (b"\0", b"\xff"))
    size = 8 * (offset + len(data)) // 6
    alike = [a if a == b else None for a, b in zip(one[:size], other[:size], strict=True)]
    start = max((at + 1 for at, sign in enumerate(alike[: offset + 1]) if sign is None), default=0)
    assert None not in alike[start:]
    return "".join(alike[start:])


def same(one: object, value: object, cased: bool = False) -> bool:
    """Return whether a value of an event is a value of a rule: case aside, and in whatever form it is written."""
    if isinstance(one, str):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return one == text if cased else one.casefold() == text.casefold()
    if isinstance(one, bool):
        return str(one).lower() == str(value).casefold()
    if isinstance(value, bool) or not is_number(one):
        return False
    if isinstance(value, str):
        return (
            bool(re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", value, re.ASCII))
            and repr(number(value)) == value
            and (one == number(value))
        )
    return one == value


def number(text: str) -> float:
    return float(text) if "." in text else int(text)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def address_in(value: object, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    try:
        return isinstance(value, str) and ipaddress.ip_address(value) in network
    except ValueError:
        return False
