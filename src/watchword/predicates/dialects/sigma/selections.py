r"""Selections of a Sigma rule as trees of predicates: maps, lists of maps, and keywords.

>>> from watchword.predicates.dialects.aws import write
>>> from watchword.predicates.dialects.sigma.documents import read_documents
>>> [selection] = read_documents(r"{Image|endswith: ['\sh', '\cmd.exe'], EventID: [1, 4688], User: null}")
>>> for part in Selections().tree(selection)[1]:
...     print(write(part))
Image ENDS WITH '\sh' IGNORING CASE OR Image ENDS WITH '\cmd.exe' IGNORING CASE
EventID IN (1, '1', 4688, '4688')
User IS MISSING

A map wants all its fields, a field one of its values (with `all`, each of them), a list one of its members. A value
without wildcards equals a text, case aside, and the number or boolean that is written so.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from decimal import Decimal

from watchword.predicates.dialects import aws
from watchword.predicates.dialects.aws import joined, quoted
from watchword.predicates.dialects.sigma.documents import Map, Scalar, Tree, value_of
from watchword.predicates.dialects.sigma.errors import SigmaError
from watchword.predicates.dialects.sigma.modifiers import ORDERS, TEXTS, Budget, check_modifiers, modified
from watchword.predicates.dialects.sigma.values import Pieces, Wild, pieces_of, plain_text, spelled, tidy

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,3999}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,16}\.[0-9]{1,16}", re.ASCII)


class Selections:
    """Turns selections into trees, and counts what they come to."""

    def __init__(self) -> None:
        self.budget = Budget()

    def tree(self, selection: Tree) -> aws.Tree:
        """Return the tree of a map, a list or a keyword."""
        if isinstance(selection, Map):
            if not selection.pairs:
                raise SigmaError("an empty map selects nothing; name a field", line=selection.line)
            return joined("and", [self._field(selection.keys[key], value) for key, value in selection.pairs.items()])
        if isinstance(selection, Scalar):
            return self._keywords([selection], [], selection.line)
        if not selection.items:
            raise SigmaError("an empty list selects nothing; give it a value or a map", line=selection.line)
        words = [item for item in selection.items if isinstance(item, Scalar)]
        parts = [self._keywords(words, [], selection.line)] if words else []
        parts += [self.tree(item) for item in selection.items if not isinstance(item, Scalar)]
        return joined("or", parts)

    def _field(self, key: Scalar, value: Tree) -> aws.Tree:
        """Return the predicates of a field with its modifiers, such as ``Image|endswith``."""
        name, *modifiers = key.text.split("|")
        check_modifiers(modifiers, key.line)
        values = _scalars(value)
        if not name:
            tree = self._keywords(values, modifiers, key.line)
        elif special := next((one for one in modifiers if one in _SPECIAL), None):
            tree = _linked(modifiers, [_SPECIAL[special](attribute(name), special, one) for one in values])
        else:
            tree = self._texts(attribute(name), values, modifiers)
        return ("not", [tree]) if "neq" in modifiers else tree

    def _texts(self, name: str, values: list[Scalar], modifiers: list[str]) -> aws.Tree:
        """Return the predicates of a field that is compared with texts, numbers, booleans and null."""
        choices = [self._alternatives(one, modifiers) for one in values]
        if "all" not in modifiers:
            choices = [[one for several in choices for one in several]]
        return joined("and", [_one_of(name, several, cased="cased" in modifiers) for several in choices])

    def _alternatives(self, scalar: Scalar, modifiers: list[str]) -> list[Value]:
        value = value_of(scalar)
        if isinstance(value, str):
            return list(modified(pieces_of(value), modifiers, self.budget, scalar.line))
        changes = next((one for one in modifiers if one in TEXTS), None)
        if changes:
            shown = "null" if value is None else scalar.text
            raise SigmaError(f"|{changes} is about texts; put {shown} into quotes", line=scalar.line)
        return [value]

    def _keywords(self, values: list[Scalar], modifiers: list[str], line: int) -> aws.Tree:
        """Return that the texts of an event have some (with `all`, each) of the keywords in them."""
        wrong = next((one for one in modifiers if one in ("startswith", "endswith") or one in _SPECIAL), None)
        if wrong:
            raise SigmaError(f"|{wrong} needs a field before it; a keyword stands anywhere in an event", line=line)
        found = []
        for scalar in values:
            value = value_of(scalar)
            if value is None:
                raise SigmaError("null is no keyword; name the field that is to be missing", line=scalar.line)
            text = value if isinstance(value, str) else _written(value)
            several = modified(pieces_of(text), modifiers, self.budget, scalar.line)
            found.append(joined("or", [_keyword(one, scalar.line, cased="cased" in modifiers) for one in several]))
        return _linked(modifiers, found)


Value = Pieces | int | float | bool | None


def attribute(name: str) -> str:
    """Return a field as an attribute; dots lead into objects, unless nothing stands between them.

    >>> attribute("Image"), attribute("userIdentity.type"), attribute("cs-method"), attribute("a..b")
    ('Image', 'userIdentity.type', '"cs-method"', '"a..b"')
    """
    names = name.split(".")
    return aws.attribute(names if all(names) else [name])


def _scalars(value: Tree) -> list[Scalar]:
    """Return the values of a field."""
    if isinstance(value, Scalar):
        return [value]
    if isinstance(value, Map):
        raise SigmaError("a field has a value or a list of values, no map", line=value.line)
    if not value.items:
        raise SigmaError("an empty list has no value; write null for a field that is missing", line=value.line)
    for item in value.items:
        if not isinstance(item, Scalar):
            raise SigmaError("a list of values has no lists or maps in it", line=item.line)
    return [item for item in value.items if isinstance(item, Scalar)]


def _linked(modifiers: list[str], parts: list[aws.Tree]) -> aws.Tree:
    return joined("and" if "all" in modifiers else "or", parts)


def _one_of(name: str, values: list[Value], *, cased: bool) -> aws.Tree:
    """Return that an attribute has one of the values: literals in one IN, texts in another, and each other form."""
    literals: dict[str, None] = {}
    texts: dict[str, None] = {}
    forms: dict[str, None] = {}
    for value in values:
        if value is None:
            forms[f"{name} IS MISSING"] = None
        elif isinstance(value, tuple) and (text := plain_text(value)) is not None:
            literals |= dict.fromkeys(_literals(text))
            if not is_number(text):
                texts[text] = None
        elif isinstance(value, tuple):
            forms[f"{name} EXISTS" if value == (Wild.ANY,) else spelled(name, value, cased=cased)] = None
        elif isinstance(value, bool):
            literals[str(value).upper()] = texts[str(value).lower()] = None
        else:
            literals |= dict.fromkeys((_written(value), quoted(_written(value))))
    found = [_equal(name, list(literals), "")] if literals else []
    if texts and not cased:
        found.append(_equal(name, [quoted(text) for text in texts], " IGNORING CASE"))
    elif texts:  # LIKE compares dates as texts
        found += [spelled(name, (text,), cased=True) for text in texts]
    return joined("or", [*found, *forms])


def _literals(text: str) -> list[str]:
    """Return the number, with its text, or the boolean that is written as a text is; for other texts nothing."""
    if is_number(text):
        return [text, quoted(text)]
    return [text.upper()] if text.casefold() in ("true", "false") else []


def is_number(text: str) -> bool:
    """Return whether a number is written as a text is: ``-7`` and ``1.5``, not ``007``, ``1.50`` or ``1e3``."""
    if _DECIMAL.fullmatch(text):
        return repr(float(text)) == text
    return _INTEGER.fullmatch(text) is not None


def _equal(name: str, literals: list[str], case: str) -> str:
    """Return equality with one literal, or with any of several."""
    return f"{name} = {literals[0]}{case}" if len(literals) == 1 else f"{name} IN ({', '.join(literals)}){case}"


def _written(value: float | bool) -> str:
    """Return a number or boolean as a text: ``4688``, ``1.5``, ``true``."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else format(Decimal(repr(value)), "f")


def _keyword(pieces: Pieces, line: int, *, cased: bool) -> str:
    anywhere = tidy([Wild.ANY, *pieces, Wild.ANY])
    if anywhere == (Wild.ANY,):
        raise SigmaError("an empty keyword is in every event; give it a character", line=line)
    return spelled("", anywhere, cased=cased)


def _exists(name: str, modifier: str, scalar: Scalar) -> aws.Tree:
    value = value_of(scalar)
    if not isinstance(value, bool):
        raise SigmaError(f"|exists is true or false, not {scalar.text}", line=scalar.line)
    return f"{name} EXISTS" if value else f"{name} IS MISSING"


def _network(name: str, modifier: str, scalar: Scalar) -> aws.Tree:
    try:
        ipaddress.ip_network(scalar.text)
    except ValueError as error:
        message = f"|cidr: {error}; give a network such as 10.0.0.0/8, its host bits zero"
        raise SigmaError(message, line=scalar.line) from error
    return f"{name} IN CIDR {quoted(scalar.text)}"


def _order(name: str, modifier: str, scalar: Scalar) -> aws.Tree:
    value = value_of(scalar)
    if isinstance(value, str) and is_number(value):
        return f"{name} {ORDERS[modifier]} {value}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SigmaError(f"|{modifier} compares numbers, and {scalar.text[:40]!r} is none", line=scalar.line)
    return f"{name} {ORDERS[modifier]} {_written(value)}"


_SPECIAL: dict[str, Callable[[str, str, Scalar], aws.Tree]] = {
    "exists": _exists,
    "cidr": _network,
    **dict.fromkeys(ORDERS, _order),
}
