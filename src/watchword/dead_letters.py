"""Items that could not be read, set aside with the reason: dead letters.

One file a batch and language, ``batch-17.jsonl`` for items that the source could not give and
``batch-17-predicates.jsonl`` for items that a language could not read; a batch that is repeated replaces its files.
A line is a letter::

    {"source": "in/a.jsonl", "position": "3", "reason": "its id is empty", "raw": "{\\"id\\": \\"\\", \\"text\\": …"}

`position` is where the item stands in its source: the row of a file (from 1, blank lines not counted), a partition and
an offset, the id of a feed's item. `raw` has the first `RAW` characters of the item. A file has at most `MOST`
letters, and a last line says how many more there were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from watchword.errors import StoreError
from watchword.files import parse_json, replaced

RAW = 1_000
MOST = 1_000
_NAME = re.compile(r"batch-(\d+)(?:-\w+)?\.jsonl")


@dataclass(frozen=True)
class Letter:
    """One item that was set aside."""

    source: str
    position: str
    reason: str
    raw: str


def write_letters(file: Path, letters: Iterable[Letter], count: int) -> None:
    """Write the letters of a batch, at most `MOST`; `count` is the number of all."""
    kept = [Letter(one.source, one.position, one.reason, one.raw[:RAW]) for one in islice(letters, MOST)]
    if count > len(kept):
        kept.append(Letter("", "", f"{count - len(kept):,} more were set aside in this batch", ""))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with replaced(file) as output:
            for letter in kept:
                output.write(json.dumps(asdict(letter), ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    except OSError as error:
        raise StoreError(f"cannot write it: {error.strerror or error}", path=file) from error


def read_letters(folder: Path) -> Iterator[tuple[int, Letter]]:
    """Read the letters of a folder with the numbers of their batches, in the order of batches."""
    names = [(_NAME.fullmatch(file.name), file) for file in folder.glob("*.jsonl")]
    for number, file in sorted((int(name[1]), file) for name, file in names if name):
        try:
            for line in file.read_bytes().splitlines():
                yield number, Letter(**parse_json(line))
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(f"these are no dead letters ({error}): remove the file", path=file) from None
