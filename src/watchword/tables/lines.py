"""Readers of text by lines: plain lines, and JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.json

from watchword.tables.members import members
from watchword.tables.piped import STDIN, Piped
from watchword.tables.sources import ByteSource, Chunk, Refuse, TableError, column_list, decode_line


class LineReader:
    """Plain text: every line that is not blank is a value, and there are no columns to choose from."""

    unit = "line"
    columns: dict[str, bool] | None = None

    def __init__(self, path: str, piped: Piped | None = None) -> None:
        self._source = ByteSource(path, piped)
        self.label, self.total, self.close = self._source.label, self._source.total, self._source.close
        self.position = self._source.position

    def chunks(self, names: Sequence[str], size: int) -> Iterator[Chunk]:
        """Yield the lines as the one column; `names` is not used."""
        for first, lines in self._source.lines(size):
            kept = [(first + i, line) for i, line in enumerate(lines) if line and not line.isspace()]
            numbers = pa.array([number for number, _ in kept], pa.int64())
            try:
                texts = pa.array([line for _, line in kept], pa.binary()).cast(pa.string())
            except pa.ArrowInvalid:
                texts = pa.array([decode_line(line, self.label, number) for number, line in kept], pa.string())
            yield Chunk(numbers, [texts])


class JsonReader:
    """JSON lines: an object per line. The first one's keys are the columns to guess from.

    With `refuse`, lines that cannot be used are told to it and left out; with `objects`, a value that is an object is a
    text, as it is written.
    """

    unit = "line"

    def __init__(self, path: str, refuse: Refuse | None = None, objects: bool = False) -> None:
        self._refuse, self._objects = refuse, objects
        piped = Piped() if path == STDIN else None
        opening = LineReader(path, piped)
        self.label = opening.label
        try:
            record = self._first_record(opening)
        finally:
            opening.close()
        self.columns: dict[str, bool] | None = {name: isinstance(value, str) for name, value in record.items()}
        if piped is not None:
            piped.rewind(last=True)
        self._lines = LineReader(path, piped)
        self.total, self.position, self.close = self._lines.total, self._lines.position, self._lines.close

    def chunks(self, names: Sequence[str], size: int) -> Iterator[Chunk]:
        """Yield the values under the keys `names`, which every line must have."""
        for numbers, (texts,) in self._lines.chunks((), size):
            try:
                yield self._chunk(names, numbers, texts)
            except TableError:
                if self._refuse is None:
                    raise
                yield from self._one_by_one(names, numbers, texts, self._refuse)

    def _chunk(self, names: Sequence[str], numbers: pa.Array, texts: pa.Array) -> Chunk:
        records = self._records(texts, numbers)
        return Chunk(numbers, [self._column(records, name, numbers) for name in names])

    def _one_by_one(self, names: Sequence[str], numbers: pa.Array, texts: pa.Array, refuse: Refuse) -> Iterator[Chunk]:
        """Yield the lines that can be used, each by itself."""
        for row in range(len(numbers)):
            try:
                yield self._chunk(names, numbers[row : row + 1], texts[row : row + 1])
            except TableError as error:
                refuse(numbers[row].as_py(), error.reason)

    def _first_record(self, opening: LineReader) -> dict[str, Any]:
        """Return the first object, empty if there is none."""
        for numbers, (texts,) in opening.chunks((), 1):
            for text, number in zip(texts.to_pylist(), numbers.to_pylist(), strict=True):
                try:
                    return self._record(text, number)
                except TableError:
                    if self._refuse is None:
                        raise
        return {}

    def texts(self, event_id: str | None, size: int) -> Iterator[Chunk]:
        """Yield whole lines, whatever they hold, and the values under the key `event_id`."""
        for numbers, (texts,) in self._lines.chunks((), size):
            ids = [] if event_id is None else [self._column(self._records(texts, numbers), event_id, numbers)]
            yield Chunk(numbers, [texts, *ids])

    def objects(self, event_id: str | None, size: int, column: str | None = None) -> Iterator[Chunk]:
        """Yield whole lines as structs, or the values under one key as they are, and those under `event_id`."""
        for numbers, (texts,) in self._lines.chunks((), size):
            if len(numbers):
                ids = [] if event_id is None else [self._column(self._records(texts, numbers), event_id, numbers)]
                yield Chunk(numbers, [self._structs(texts, numbers, column), *ids])

    def _structs(self, texts: pa.Array, numbers: pa.Array, column: str | None) -> pa.Array:
        lines = "\n".join(texts.to_pylist()).encode()
        options = pa.json.ReadOptions(use_threads=False, block_size=len(lines) + 1)
        try:
            table = pa.json.read_json(pa.BufferReader(lines), options)
        except pa.ArrowException as error:
            self._records(texts, numbers)  # says which line is no object, if one is
            place = f"lines {numbers[0]} to {numbers[-1]}"
            raise TableError(f"its keys do not make columns: {error}", path=self.label, place=place) from None
        if column is None:
            return table.to_struct_array().combine_chunks()
        if column not in table.column_names:
            self._column(self._records(texts, numbers), column, numbers)  # says which line has no such key
        return table[column].combine_chunks()

    def _records(self, texts: pa.Array, numbers: pa.Array) -> list[dict[str, Any]]:
        return [self._record(*pair) for pair in zip(texts.to_pylist(), numbers.to_pylist(), strict=True)]

    def _record(self, text: str, number: int) -> dict[str, Any]:
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TableError(f"not JSON: {error}", path=self.label, place=f"line {number}") from None
        if not isinstance(record, dict):
            raise TableError(
                f"not a JSON object but {_json_name(record)}: each line must hold one object",
                path=self.label,
                place=f"line {number}",
            )
        if self._objects and any(isinstance(value, dict) for value in record.values()):
            return record | {name: written for name, written in members(text) if isinstance(record[name], dict)}
        return record

    def _column(self, records: list[dict[str, Any]], name: str, numbers: pa.Array) -> pa.Array:
        try:
            values = [record[name] for record in records]
        except KeyError:
            at = next(i for i, record in enumerate(records) if name not in record)
            raise TableError(
                f"no key {name!r}; its keys are {column_list(records[at])}",
                path=self.label,
                place=f"line {numbers[at]}",
            ) from None
        kinds = {type(value) for value in values} - {type(None)}
        if kinds <= {str} or kinds == {int}:
            try:
                return pa.array(values, pa.int64() if kinds == {int} else pa.string())
            except (pa.ArrowInvalid, ValueError, OverflowError):
                pass  # too large, or half of a surrogate pair
        raise self._odd_value(values, name, numbers.to_pylist())

    def _odd_value(self, values: list[Any], name: str, numbers: list[int]) -> TableError:
        """Return the error for the first value that is not of the kind of those before it."""
        expected: type | None = None
        for value, number in zip(values, numbers, strict=True):
            place = f"line {number}"
            if value is None:
                continue
            if type(value) not in (str, int):
                problem = f"{name!r} is {_json_name(value)}; text or a whole number is needed"
                return TableError(problem, path=self.label, place=place)
            if expected not in (None, type(value)):
                problem = f"{name!r} is {_json_name(value)}, those before it are not: one kind per column"
                return TableError(problem, path=self.label, place=place)
            expected = type(value)
            try:
                pa.array([value], pa.string() if expected is str else pa.int64())
            except (pa.ArrowInvalid, ValueError, OverflowError) as error:
                return TableError(f"{name!r} cannot be kept: {error}", path=self.label, place=place)
        return TableError(f"column {name!r} cannot be read", path=self.label)


def _json_name(value: object) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    names = {str: "text", int: "a number", float: "a fraction", list: "a list", dict: "an object"}
    return names[type(value)]
