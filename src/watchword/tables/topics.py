"""A file of topics, whole: which topic lies below which.

    child,parent
    national,politics
    local,politics
    local,region
    sports,

is ``{"national": ["politics"], "local": ["politics", "region"], "sports": []}``: a topic may have several parents, a
row each, and a row without a parent makes a topic known that lies below none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from watchword.tables.readers import Reader, open_reader
from watchword.tables.sources import TableError, column_list

MAX_TOPICS = 100_000
"""The most rows of a file of topics, unless the caller says otherwise."""
MAX_CHARACTERS = 1_000
"""The most characters of a topic."""
_COLUMNS = ("child", "parent")
_BATCH = 100_000


def read_topics(path: str, *, most: int = MAX_TOPICS) -> dict[str, list[str]]:
    """Return the parents of each topic of the file at `path`, in its order: CSV, TSV, JSON lines or Parquet.

    A `TableError` names the row that has no child, says what another row said, or is beyond the limit of `most` rows.
    A cycle is found when the topics are used.
    """
    reader = open_reader(path)
    try:
        columns = reader.columns
        if columns is None or not set(_COLUMNS) <= set(columns):
            has = "plain lines" if columns is None else f"the columns {column_list(columns)}"
            raise TableError(f"topics have the columns child and parent, this has {has}", path=reader.label)
        return _parents(reader, most)
    finally:
        reader.close()


def _parents(reader: Reader, most: int) -> dict[str, list[str]]:
    """Return the parents of each topic; an error names the first unusable row."""
    found: dict[str, list[str]] = {}
    seen: dict[tuple[str, str | None], str] = {}
    for count, (place, *values) in enumerate(_rows(reader)):
        child, parent = (_topic(reader, place, name, value) for name, value in zip(_COLUMNS, values, strict=True))
        if child is None:
            raise TableError("the child is missing", path=reader.label, place=place)
        if count >= most:
            raise TableError(
                f"more than {most:,} rows: raise the limit (--max-topics), or split the tree", path=reader.label
            )
        before = seen.setdefault((child, parent), place)
        if before != place:
            said = f"{child!r} below {parent!r}" if parent else f"{child!r}"
            raise TableError(f"{said} is there twice, first in {before}: leave one out", path=reader.label, place=place)
        parents = found.setdefault(child, [])
        parents += [] if parent is None else [parent]
    return found


def _rows(reader: Reader) -> Iterator[tuple[str, Any, Any]]:
    """Yield the place of each row, its child and its parent."""
    for chunk in reader.chunks(_COLUMNS, _BATCH):
        children, parents = (column.to_pylist() for column in chunk.columns)
        for number, child, parent in zip(chunk.numbers.to_pylist(), children, parents, strict=True):
            yield f"{reader.unit} {number}", child, parent


def _topic(reader: Reader, place: str, name: str, value: Any) -> str | None:
    """Return a cell as a topic without blanks around it; None for an empty one."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TableError(f"the {name} is a text, not {value!r}", path=reader.label, place=place)
    if len(value) > MAX_CHARACTERS:
        raise TableError(f"the {name} has more than {MAX_CHARACTERS:,} characters", path=reader.label, place=place)
    return value.strip() or None
