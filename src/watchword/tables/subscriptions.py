"""A file of subscriptions, whole, as the table that an index loads in bulk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from watchword.tables.delimited import CsvReader
from watchword.tables.lines import LineReader
from watchword.tables.members import members, rule_text
from watchword.tables.readers import Reader, choose_column, open_reader
from watchword.tables.sources import Chunk, Refuse, TableError, check_kind, name_failures, wrong_kind

_BATCH = 100_000
_WHAT = ("the subscription", "the id")
_GUESSES = ("subscription", "query", "text")
_PLAIN_INTEGER = r"^(0|-?[1-9][0-9]*)$"


class RuleFile(Protocol):
    """A rule, its id, and the file that it stands in."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def file(self) -> str: ...


@dataclass(frozen=True)
class Subscriptions:
    """Subscriptions as ``table`` (columns `id` and `subscription`), with the line or row of each in its file."""

    table: pa.Table
    label: str
    unit: str
    numbers: pa.ChunkedArray
    files: tuple[str, ...] = ()
    """The file of each, where every subscription has one; `numbers` then count them from 1."""

    def place(self, row: int) -> str:
        """Return the place of the table's row `row` (from 0) in the file: ``line 7``."""
        return self.named(self.numbers[row].as_py())

    def named(self, number: int) -> str:
        """Return the place of a line, a row or a file, by its number."""
        return self.files[number - 1] if self.files else f"{self.unit} {number}"

    def with_texts(self, texts: list[str], rows: list[int]) -> Subscriptions:
        """Return the subscriptions of some rows with other texts."""
        kept = pa.array(rows, pa.int64())
        table = pa.table({"id": self.table["id"].take(kept), "subscription": pa.array(texts, pa.string())})
        return replace(self, table=table, numbers=self.numbers.take(kept))


def read_subscriptions(
    path: str,
    *,
    id: str | None = None,
    subscription: str | None = None,
    rules: bool = False,
    refuse: Refuse | None = None,
) -> Subscriptions:
    """Read the columns `id` and `subscription` of the file at `path`; guessed where they are not given.

    With `rules`, they are rules of another system: JSON lines may have them as objects, and a ``.json`` file is one
    object from names to rules. An unusable row is an error; with `refuse`, the number and reason of each is reported to
    it, and the row is left out.
    """
    if rules and path.lower().endswith(".json"):
        return _named_rules(path, id, subscription, refuse)
    reader = open_reader(path, refuse=refuse, objects=rules)
    try:
        names = _column_names(reader, id, subscription)
        chunks = list(reader.chunks(names, _BATCH))
    finally:
        reader.close()
    chunks = list(_usable(chunks, refuse)) if refuse else chunks
    numbers = pa.chunked_array([chunk.numbers for chunk in chunks], pa.int64())
    texts = _concatenate_column(reader, chunks, 0, _WHAT[0], pa.string())
    ids = numbers
    if len(names) == 2:
        ids = _concatenate_column(reader, chunks, 1, _WHAT[1])
        if isinstance(reader, CsvReader):
            ids = _integers_if_plain(ids)
    return Subscriptions(pa.table({"id": ids, "subscription": texts}), reader.label, reader.unit, numbers)


def subscriptions_of_files(path: str, rules: Sequence[RuleFile]) -> Subscriptions:
    """Return rules that each have a file of their own; `path` is the folder or archive."""
    columns = {"id": [rule.id for rule in rules], "subscription": [rule.text for rule in rules]}
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    numbers = pa.chunked_array([pa.array(range(1, len(rules) + 1), pa.int64())])
    return Subscriptions(table, path, "rule", numbers, tuple(rule.file for rule in rules))


def _named_rules(path: str, id: str | None, subscription: str | None, refuse: Refuse | None) -> Subscriptions:
    """Return the rules of one JSON object from names to rules, numbered from 1."""
    if id is not None or subscription is not None:
        raise TableError("an object of names and rules has no columns: leave out --id and --subscription", path=path)
    if not isinstance(read_json(path), dict):
        raise TableError('expected one object from names to rules: {"my-rule": {…}}', path=path)
    kept: list[tuple[str, str, int]] = []
    for number, (name, written) in enumerate(members(Path(path).read_text(encoding="utf-8-sig")), 1):
        text = rule_text(written)
        if text is None:
            reason = f'{name!r} is no rule: expected an object from names to rules, {{"my-rule": {{…}}}}'
            if refuse is None:
                raise TableError(reason, path=path, place=f"rule {number}")
            refuse(number, reason)
        else:
            kept.append((name, text, number))
    names, texts, numbers = (list(column) for column in zip(*kept, strict=True)) if kept else ([], [], [])
    table = pa.table({"id": pa.array(names, pa.string()), "subscription": pa.array(texts, pa.string())})
    return Subscriptions(table, path, "rule", pa.chunked_array([pa.array(numbers, pa.int64())]))


def read_words(path: str) -> list[str]:
    """Return the lines of a file of words, such as stop words; blank ones are left out."""
    reader = LineReader(path)
    try:
        return [word.strip() for chunk in reader.chunks((), _BATCH) for word in chunk.columns[0].to_pylist()]
    finally:
        reader.close()


def read_json(path: str) -> Any:
    """Return the value of a JSON file, such as hierarchies."""
    with name_failures(path):
        content = Path(path).read_bytes()
    try:
        return json.loads(content.decode("utf-8-sig"))
    except RecursionError:
        raise TableError("nested too deeply", path=path) from None
    except UnicodeDecodeError:
        raise TableError("not UTF-8: convert the file to UTF-8", path=path) from None
    except json.JSONDecodeError as error:
        raise TableError(f"not JSON: {error.msg}", path=path, place=f"line {error.lineno}") from None


def _column_names(reader: Reader, id: str | None, subscription: str | None) -> list[str]:
    """Return the columns of the texts and of the ids; the latter is missing if row numbers replace it."""
    columns = reader.columns
    if columns is None or not columns:  # plain lines, or JSON lines with none
        if columns is None and (id or subscription):
            choose_column(reader, "", "--id and --subscription", None, ())
        return [""]
    if id is None and len(columns) == 1:
        return [choose_column(reader, "subscriptions", "--subscription", subscription, list(columns))]
    ids = choose_column(reader, "ids", "--id", id, ("id",), only_guesses=True)
    return [choose_column(reader, "subscriptions", "--subscription", subscription, _GUESSES, taken=ids), ids]


def _concatenate_column(
    reader: Reader, chunks: list[Chunk], at: int, what: str, kind: pa.DataType | None = None
) -> pa.ChunkedArray:
    """Return one column of all chunks, of one kind (that of the first unless given) and without nulls."""
    for chunk in chunks:
        array = chunk.columns[at]
        if array.null_count:
            row = pc.index(array.is_null(), True).as_py()
            raise TableError(f"{what} is missing", path=reader.label, place=f"{reader.unit} {chunk.numbers[row]}")
        if len(array):
            kind = kind or array.type
            check_kind(chunk, at, kind, what, reader.label, reader.unit)
    kind = kind or pa.string()
    return pa.chunked_array([chunk.columns[at].cast(kind) for chunk in chunks], kind)


def _usable(chunks: list[Chunk], refuse: Refuse) -> Iterator[Chunk]:
    """Yield the rows that have a text, and an id of the kind that the first has."""
    kinds: list[pa.DataType | None] = [pa.string(), None]
    for chunk in chunks:
        for at, what in enumerate(_WHAT[: len(chunk.columns)]):
            column = chunk.columns[at]
            if len(column) > column.null_count:
                kinds[at] = kinds[at] or column.type
            odd = None if column.type == kinds[at] else wrong_kind(what, column.type, kinds[at] or pa.string())
            kept = []
            for row, there in enumerate(column.is_valid().to_pylist()):
                if there and odd is None:
                    kept.append(row)
                else:
                    refuse(chunk.numbers[row].as_py(), odd if odd and there else f"{what} is missing")
            if len(kept) < len(column):
                rows = pa.array(kept, pa.int64())
                chunk = Chunk(chunk.numbers.take(rows), [array.take(rows) for array in chunk.columns])
        yield chunk


def _integers_if_plain(ids: pa.ChunkedArray) -> pa.ChunkedArray:
    if not len(ids) or not pc.all(pc.match_substring_regex(ids, _PLAIN_INTEGER)).as_py():
        return ids
    try:
        return ids.cast(pa.int64())
    except pa.ArrowInvalid:  # more digits than an int64 has
        return ids
