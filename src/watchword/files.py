"""Files that are there whole, on the disk, or not at all: after a crash or a power cut too."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replaced(file: Path) -> Iterator[IO[bytes]]:
    """Write a new content aside, and put it into `file`'s place once all of it is on the disk."""
    temporary = file.with_name(f".{file.name}-{secrets.token_hex(4)}.tmp")
    with temporary.open("wb") as output:
        yield output
        output.flush()
        os.fsync(output.fileno())
    temporary.replace(file)
    sync_folder(file.parent)


def write_json(file: Path, value: object) -> None:
    """Replace a small file by a value; its folder is made where it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replaced(file) as output:
        output.write(json.dumps(value, indent=1).encode())


def sync_folder(folder: Path) -> None:
    """Let the disk know which files a folder has."""
    if os.name == "nt":  # folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
