"""Property matching is as hard as partial match, and the other way round (Kale et al. 2005, section 2.1).

Partial match: given tuples of bits, find the tuples that agree with a query of bits and stars. Each problem becomes the
other with two bits for every one. What the paper prints of the two tables, decoded:

    stored bit     0 → 0*    1 → *0              a star where nothing is said of it
    asked value    0 → 01    1 → 10    * → 00    a 1 on the side of the value that is not allowed

A stored ``0*`` wants the first of two bits to be 0; an asked ``01`` has it so, ``10`` has not, and ``00`` agrees with
whatever is stored.

*Partial match by an index.* Tuples become subscriptions, a query becomes an event, over `pair_names`:

>>> tuple_as_subscription("01"), query_as_event("0*")
('0**0', '0100')

*Matching by a store of tuples.* Subscriptions become tuples, an event becomes a query:

>>> subscription_as_tuple("0*"), event_as_query("01")
('0100', '0**0')
>>> partly_matches("0100", "0**0")
True

Each function refuses other characters than its own with a `ValueError`.
"""

from __future__ import annotations

from collections.abc import Mapping

_STORED = {"0": "0*", "1": "*0"}
_ASKED = {"0": "01", "1": "10", "*": "00"}


def tuple_as_subscription(data: str) -> str:
    """Return the subscription, over twice as many properties, that stands for a tuple of bits."""
    return _translate(data, _STORED)


def query_as_event(query: str) -> str:
    """Return the event that satisfies exactly the subscriptions of the tuples that agree with a query."""
    return _translate(query, _ASKED)


def subscription_as_tuple(subscription: str) -> str:
    """Return the tuple, of twice as many bits, that stands for a ternary subscription."""
    return _translate(subscription, _ASKED)


def event_as_query(event: str) -> str:
    """Return the query that agrees with exactly the tuples of the subscriptions that an event satisfies."""
    return _translate(event, _STORED)


def partly_matches(data: str, query: str) -> bool:
    """Return whether a tuple of bits agrees with a query of as many bits and stars.

    >>> partly_matches("011", "0*1"), partly_matches("001", "01*")
    (True, False)
    """
    return all(asked in ("*", bit) for bit, asked in zip(data, query, strict=True))


def pair_names(bits: int) -> list[str]:
    """Return names for the properties of `tuple_as_subscription`.

    >>> pair_names(2)
    ['b0.1', 'b0.0', 'b1.1', 'b1.0']
    """
    return [f"b{bit}.{value}" for bit in range(bits) for value in (1, 0)]


def _translate(text: str, table: Mapping[str, str]) -> str:
    for position, character in enumerate(text):
        if character not in table:
            raise ValueError(f"{character!r} at {position} of {text!r}; expected one of {' '.join(table)}")
    return "".join(table[character] for character in text)
