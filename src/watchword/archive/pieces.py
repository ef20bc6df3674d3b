"""One piece of the archive: rows of one day, in the order in which they were seen. Its files are never changed.

    2026-11-18/000000017-0.parquet    the rows, compressed: what other programs read
    ids/000000017-0.ids               digests of their ids (`ids`)
    recent/000000017-0.arrow          the rows again, to be mapped; while they are among the newest (`plans`)

The first two are the archive; the third can always be made from them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from watchword.archive.columns import ARCHIVED, SEEN
from watchword.archive.ids import Ids
from watchword.arrays import Int64
from watchword.files import make_private_folder, replaced

IDS, RECENT = "ids", "recent"
_GROUP = 8_192
"""Rows of a group in Parquet: the smallest part that can be read."""


@dataclass(frozen=True)
class Piece:
    """A piece, as the manifest lists it."""

    name: str
    """The number of the change that made it, and its own within that: ``000000017-0``."""
    day: date
    items: int
    raw: int
    """The bytes of its rows, not compressed."""
    first: int
    """When its first row was seen, in microseconds since 1970."""
    last: int
    """When its last row was seen."""
    disk: int = 0
    """The bytes of its rows in Parquet and of its digests."""
    mapped: int = 0
    """The bytes of its Arrow file; 0 if it has none."""

    @property
    def bytes(self) -> int:
        """Return the bytes of all its files."""
        return self.disk + self.mapped

    def to_json(self) -> dict[str, Any]:
        """Return the piece for the manifest."""
        return {**vars(self), "day": self.day.isoformat()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Piece:
        """Return the piece that `to_json` wrote."""
        return cls(**{**value, "day": date.fromisoformat(value["day"])})

    def files(self, folder: Path) -> list[Path]:
        """Return all files that it may have."""
        return [parquet_file(folder, self), ids_file(folder, self), arrow_file(folder, self)]


def parquet_file(folder: Path, piece: Piece) -> Path:
    """Return where its rows are."""
    return folder / piece.day.isoformat() / f"{piece.name}.parquet"


def ids_file(folder: Path, piece: Piece) -> Path:
    """Return where its digests are."""
    return folder / IDS / f"{piece.name}.ids"


def arrow_file(folder: Path, piece: Piece) -> Path:
    """Return where its rows are to be mapped from."""
    return folder / RECENT / f"{piece.name}.arrow"


def seen_of(rows: pa.Table) -> Int64:
    """Return when each row was seen, in microseconds since 1970."""
    return np.asarray(rows[SEEN].cast(pa.int64()), np.int64)


def write_piece(folder: Path, piece: Piece, rows: pa.Table, ids: Ids, key: str | None) -> Piece:
    """Write the files of a piece, and return it with their sizes; `key` is the batch's, kept in the Parquet file."""
    schema = rows.schema if key is None else rows.schema.with_metadata({"watchword.batch": key})
    parquet, digests = parquet_file(folder, piece), ids_file(folder, piece)
    for file in (parquet, digests):
        make_private_folder(file.parent)
    with replaced(parquet) as output, pq.ParquetWriter(output, schema, compression="zstd") as writer:
        writer.write_table(rows.replace_schema_metadata(schema.metadata), row_group_size=_GROUP)
    with replaced(digests) as output:
        output.write(ids.to_bytes())
    return map_piece(folder, replace(piece, disk=parquet.stat().st_size + digests.stat().st_size), rows)


def map_piece(folder: Path, piece: Piece, rows: pa.Table) -> Piece:
    """Write the Arrow file of a piece, and return the piece with its size."""
    file = arrow_file(folder, piece)
    make_private_folder(file.parent)
    with replaced(file) as output, pa.ipc.new_file(output, ARCHIVED) as writer:
        writer.write_table(rows.replace_schema_metadata(None).combine_chunks())
    return replace(piece, mapped=file.stat().st_size)


def read_piece(folder: Path, piece: Piece) -> pa.Table:
    """Return the rows of a piece: mapped if it has an Arrow file, else read; a `FileNotFoundError` if it is gone."""
    if piece.mapped:
        with suppress(FileNotFoundError, pa.ArrowInvalid):  # the rows are in the other file, too
            return pa.ipc.open_file(pa.memory_map(str(arrow_file(folder, piece)))).read_all()
    with parquet_file(folder, piece).open("rb") as file:
        return _plain(pq.ParquetFile(file).read())


def read_row(folder: Path, piece: Piece, row: int) -> dict[str, Any]:
    """Return one row of a piece."""
    group, place = divmod(row, _GROUP)
    with parquet_file(folder, piece).open("rb") as file:
        found: dict[str, Any] = _plain(pq.ParquetFile(file).read_row_group(group)).slice(place, 1).to_pylist()[0]
        return found


def _plain(rows: pa.Table) -> pa.Table:
    return rows.replace_schema_metadata(None).cast(ARCHIVED)
