"""Values of queries as literals, and equality with them.

>>> equal("status", ["404", "open"]), equal("status", ["OPEN"], folded=True)
(Leaf(text="status IN ('404', 404, 'open')", weight=3), Leaf(text="status = 'OPEN' IGNORING CASE", weight=1))
>>> equal("day", ["2026-01-31"])
Leaf(text="day LIKE '2026-01-31'", weight=1)

To Elasticsearch a keyword is a text: the number 404 is the text ``404``, so both are asked for. A text that reads like
a date is compared as a text, by LIKE.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from watchword.predicates.dialects.aws import quoted
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import Leaf, Tree, some
from watchword.predicates.dialects.sigma.selections import is_number
from watchword.predicates.dialects.wildcards import literally
from watchword.predicates.values import instant_of_text

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)


def number_of(value: Any) -> int | float | None:
    """Return the number that a value is, also a text; None for none.

    >>> number_of("5"), number_of("1e3"), number_of(True), number_of("x"), number_of("1e999")
    (5, 1000.0, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        value = int(value) if value.lstrip("+-").isdigit() else float(value)
    return value if isinstance(value, int | float) and math.isfinite(value) else None


def number_literal(value: int | float) -> str:
    """Return a number as predicates write it."""
    return repr(value).replace("e+", "e")


def text_of(value: Any) -> str:
    """Return a value as the text that it is to Elasticsearch."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return format(Decimal(repr(value)), "f")
    raise Refused(f"{value!r:.60} is no value; give a text, a number, true or false")


def equal(attribute: str, texts: Sequence[str], folded: bool = False) -> Tree:
    """Return that an attribute is one of some texts, or the number or boolean that is written so."""
    plain: dict[str, None] = {}
    cased: dict[str, None] = {}
    dates: list[Tree] = []
    for text in texts:
        if folded:
            cased[quoted(text)] = None
        elif instant_of_text(text) is not None:
            dates.append(Leaf(f"{attribute} {literally(text)}"))
        else:
            plain[quoted(text)] = None
        plain |= dict.fromkeys([text] if is_number(text) else [text.upper()] if text in ("true", "false") else [])
    parts = [_one_of(attribute, list(cased), " IGNORING CASE"), _one_of(attribute, list(plain), "")]
    return some([*(part for part in parts if part is not None), *dates])


def equal_number(attribute: str, values: Sequence[Any], name: str) -> Tree:
    """Return that an attribute is one of some numbers, or a text that is written so."""
    literals: dict[str, None] = {}
    for value in values:
        number = number_of(value)
        if number is None:
            raise Refused(f"{name} is a number, and {value!r:.60} is none")
        literals |= dict.fromkeys([number_literal(number), quoted(_written(number))])
    return _one_of(attribute, list(literals), "") or some([])


def _written(number: int | float) -> str:
    return text_of(int(number) if isinstance(number, float) and number.is_integer() else number)


def equal_boolean(attribute: str, values: Sequence[Any], name: str) -> Tree:
    """Return that an attribute is true, or false, or a text that is written so."""
    literals: dict[str, None] = {}
    for value in values:
        text = text_of(value)
        if text not in ("true", "false", ""):
            raise Refused(f"{name} is true or false, and {value!r:.60} is neither")
        literals |= dict.fromkeys(("TRUE", "'true'") if text == "true" else ("FALSE", "'false'", "''"))
    return _one_of(attribute, list(literals), "") or some([])


def in_networks(attribute: str, values: Sequence[Any], name: str) -> Tree:
    """Return that an attribute is an address, or lies in a network."""
    parts: list[Tree] = []
    for value in values:
        try:
            parts.append(Leaf(f"{attribute} IN CIDR '{ipaddress.ip_network(text_of(value), strict=False)}'"))
        except ValueError:
            raise Refused(f"{name} is an address, and {value!r:.60} is none, nor a network") from None
    return some(parts)


def between_addresses(attribute: str, name: str, low: tuple[Any, bool] | None, high: tuple[Any, bool] | None) -> Tree:
    """Return that an attribute is an address between two; each end with whether it is part of the range."""
    try:
        ends = [None if end is None else (ipaddress.ip_address(text_of(end[0])), end[1]) for end in (low, high)]
    except ValueError:
        raise Refused(f"{name} is an address, and the ends of its range are addresses, too") from None
    known = next((end[0] for end in ends if end is not None), None)
    if known is None:
        return Leaf(f"{attribute} EXISTS")
    whole = ipaddress.ip_network("0.0.0.0/0" if known.version == 4 else "::/0")
    if any(end is not None and end[0].version != known.version for end in ends):
        raise Refused(f"{name}: one end of the range is IPv4 and the other IPv6; ask for two ranges")
    first = int(whole[0]) if ends[0] is None else int(ends[0][0]) + (not ends[0][1])
    last = int(whole[-1]) if ends[1] is None else int(ends[1][0]) - (not ends[1][1])
    if first > last:
        return some([])
    make = type(known)
    networks = ipaddress.summarize_address_range(make(first), make(last))
    return some(Leaf(f"{attribute} IN CIDR '{network}'") for network in networks)


def _one_of(attribute: str, literals: list[str], case: str) -> Leaf | None:
    if not literals:
        return None
    if len(literals) == 1:
        return Leaf(f"{attribute} = {literals[0]}{case}")
    return Leaf(f"{attribute} IN ({', '.join(literals)}){case}", len(literals))
