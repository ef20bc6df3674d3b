"""Predicates that compare values, each made and spelled in one place: for the parser, and for `leaves` beside it.

>>> from watchword.predicates.values import NUMBER
>>> compared(("price",), ">", [(NUMBER, 20)]).written, edge(("file",), "ENDS", ".EXE", True).written
('> 20', "ENDS WITH '.exe' IGNORING CASE")
"""

from __future__ import annotations

from collections.abc import Sequence

from watchword.predicates.literals import Instant, as_text
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.values import INSTANT, TEXT, Key, View, show_value


def compared(path: Path, operator: str, keys: Sequence[Key]) -> Predicate:
    """Return a comparison with literals; they are all instants, or none is."""
    return in_view(path, operator, View.INSTANTS if keys[0][0] == INSTANT else View.PLAIN, keys)


def folded(path: Path, operator: str, keys: Sequence[Key]) -> Predicate:
    """Return a comparison with texts that ignores case."""
    return in_view(path, operator, View.FOLDED, [(TEXT, as_text(key)[1].casefold()) for key in keys])


def in_view(path: Path, operator: str, view: View, keys: Sequence[Key]) -> Predicate:
    """Return a comparison in a view; an IN of one member is an equality."""
    if operator == "IN":
        keys = tuple(dict.fromkeys(keys))
        operator = "=" if len(keys) == 1 else "IN"
    texts = [show_value(key.text if isinstance(key, Instant) else key[1]) for key in keys]
    if operator == "IN":
        written = f"IN ({', '.join(texts)})"
    elif operator == "BETWEEN":
        written = f"BETWEEN {' AND '.join(texts)}"
    else:
        written = f"{operator} {texts[0]}"
    if view is View.FOLDED:
        written += " IGNORING CASE"
    return Predicate(path, operator, view, tuple([(key[0], key[1]) for key in keys]), written)


def members(path: Path, keys: Sequence[Key]) -> list[Predicate]:
    """Return an IN; where dates stand beside other literals it is two predicates, to be joined by OR."""
    dates = [key for key in keys if key[0] == INSTANT]
    others = [key for key in keys if key[0] != INSTANT]
    return [compared(path, "IN", keys) for keys in (dates, others) if keys]


def edge(path: Path, word: str, text: str, ignores_case: bool) -> Predicate:
    """Return STARTS WITH or ENDS WITH; `word` is its first word."""
    text = text.casefold() if ignores_case else text
    seen, view = text, View.FOLDED if ignores_case else View.PLAIN
    if word == "ENDS":
        seen, view = seen[::-1], View.FOLDED_BACKWARDS if ignores_case else View.BACKWARDS
    written = f"{word} WITH {show_value(text)}{' IGNORING CASE' * ignores_case}"
    return Predicate(path, f"{word} WITH", view, ((TEXT, seen),), written)


def existing(path: Path) -> Predicate:
    """Return ``attribute EXISTS``."""
    return Predicate(path, "EXISTS", View.PLAIN, (), "EXISTS")


def cost(predicate: Predicate) -> int:
    """Return the cost of a predicate towards `max_predicates`: each member of an IN counts.

    >>> from watchword.predicates.values import NUMBER
    >>> cost(existing(("a",))), cost(compared(("a",), "IN", [(NUMBER, 1), (NUMBER, 2)]))
    (1, 2)
    """
    return max(1, len(predicate.constants)) if predicate.reader is None else 1
