"""The list of the archive's pieces, ``archive.json``: one small file, replaced whole.

    {"format": 1, "id": "b7c1…", "number": 17, "pieces": [{"name": "000000017-0", "day": "2026-11-18", …}]}

It is the one place that says what the archive holds. A batch is there once the list names its piece, and pieces are
merged by one replacement of the list: a reader has the old pieces or the new one, never both. Files that the list
does not name are those of a writer that was killed, or were just removed. Only the holder of the lock replaces it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from watchword.archive.pieces import Piece
from watchword.errors import ArchiveError
from watchword.files import parse_json, write_json

NAME = "archive.json"
FORMAT = 1


@dataclass(frozen=True)
class Manifest:
    """The pieces of an archive, in the order in which they were written, and the number of the last change."""

    id: str = ""
    """Random, made with the archive: another one, in the same folder, has other pieces under the same numbers."""
    number: int = 0
    pieces: tuple[Piece, ...] = ()

    @property
    def version(self) -> str:
        """Return a name for this state."""
        return f"{self.id}-{self.number}"

    def following(self, pieces: list[Piece]) -> Manifest:
        """Return the list after a change."""
        return Manifest(self.id or secrets.token_hex(4), self.number + 1, tuple(sorted(pieces, key=attrgetter("name"))))

    def write(self, folder: Path) -> None:
        """Put this list in the place of the one before."""
        pieces = [piece.to_json() for piece in self.pieces]
        write_json(folder / NAME, {"format": FORMAT, "id": self.id, "number": self.number, "pieces": pieces})


def read_manifest(folder: Path) -> Manifest:
    """Return the list of a folder, an empty one if nothing was archived; an `ArchiveError` if it cannot be read."""
    try:
        value = parse_json((folder / NAME).read_bytes())
    except FileNotFoundError:
        return Manifest()
    except (OSError, ValueError) as error:
        raise ArchiveError(f"its list of pieces cannot be read ({error}): {_REMEDY}", path=folder / NAME) from None
    try:
        form = value["format"]
        if form == FORMAT:
            return Manifest(value["id"], value["number"], tuple(map(Piece.from_json, value["pieces"])))
    except (KeyError, TypeError, ValueError) as error:
        raise ArchiveError(f"it is no list of pieces ({error!r}): {_REMEDY}", path=folder / NAME) from None
    raise ArchiveError(f"format {form}, and this version knows {FORMAT}: use a newer one", path=folder / NAME)


_REMEDY = "restore it from a copy, or move the folder away to begin a new archive"
