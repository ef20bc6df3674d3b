"""How deep an event is nested, and that it is not nested more than `MAX_DEPTH` deep.

An object or a list is one deeper than the deepest that is inside: ``{"a": 1}`` is 1 deep, ``{"a": [{"b": 2}]}`` is 3.
The limit holds for the whole event, also for what no subscription asks for, and for every form in which it may come: an
event that is refused as a JSON text is refused as a `dict` and as a column. Columns are as deep as their type.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from watchword.errors import EventError
from watchword.index.arrow import is_list
from watchword.kernels.predicates.scan import MAX_DEPTH

TOO_DEEP = f"it is nested more than {MAX_DEPTH} deep"

__all__ = ["MAX_DEPTH", "TOO_DEEP", "refuse_deep", "refuse_deep_type", "type_depth"]

_FLAT = frozenset({str, int, float, bool, type(None)})
_LISTS = (list, tuple, set, frozenset)


def refuse_deep(event: dict[str, Any], position: int) -> None:
    """Raise if an event of Python objects is nested too deep.

    It is looked at level by level. An object that stands in several places of a level is looked at once, and one that
    contains itself has no last level; so the work is bounded.
    """
    for part in event.values():
        if part.__class__ not in _FLAT:
            break
    else:
        return  # nearly always
    level: list[Any] = [event]
    for _ in range(MAX_DEPTH):
        inside = [part for whole in level for part in _parts(whole) if part.__class__ not in _FLAT]
        if not inside:
            return
        level = list({id(part): part for part in inside if isinstance(part, (dict, *_LISTS))}.values())
    if level:
        raise EventError(TOO_DEEP, position=position)


def _parts(whole: Any) -> Any:
    return whole.values() if isinstance(whole, dict) else whole


def refuse_deep_type(kind: pa.DataType, position: int) -> None:
    """Raise if columns of an Arrow type are nested too deep."""
    if type_depth(kind) > MAX_DEPTH:
        raise EventError(TOO_DEEP, position=position)


def type_depth(kind: pa.DataType) -> int:
    """Return how deep the values of an Arrow type may be nested.

    >>> type_depth(pa.struct({"a": pa.list_(pa.struct({"b": pa.int64()}))})), type_depth(pa.int64())
    (3, 0)
    """
    depth, level = 0, [kind]
    while level := [inner for outer in level for inner in _inner_types(outer)]:
        depth += 1
        level = [inner for inner in level if inner is not None]
    return depth


def _inner_types(kind: pa.DataType) -> list[pa.DataType | None]:
    """Return the types inside a nested type, ``[None]`` for an empty struct, nothing for a plain type."""
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_run_end_encoded(kind):
        kind = kind.value_type
    if pa.types.is_map(kind):
        return [kind.item_type]
    if pa.types.is_struct(kind):
        return [field.type for field in kind] or [None]
    return [kind.value_type] if is_list(kind) else []
