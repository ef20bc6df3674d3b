"""Rules of a folder, a file or an archive: each document of YAML with its id and the file that it stands in.

>>> [(rule.id, rule.text) for rule in rules_of_text("id: r1\\ntitle: A\\n---\\ntitle: B\\n", "odd.yml")]
[('r1', 'id: r1\\ntitle: A\\n'), ('odd-2', '\\n\\n\\ntitle: B\\n')]

The id is the rule's own, else the name of the file, with the number of the document if there are several. Lines before
a document are kept as empty ones, so that errors name the lines of the file.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from watchword.errors import OptionError
from watchword.predicates.dialects.sigma.documents import MAX_CHARACTERS

__all__ = ["Rule", "read_rules"]

ENDINGS = (".yml", ".yaml")
ARCHIVES = (".tar", ".tar.gz", ".tgz")
_BORDER = re.compile(r"^---(?:[ \t]+#.*|[ \t]*)$", re.MULTILINE)
_ID = re.compile(r"^id:[ \t]*['\"]?([^'\"\s#]+)", re.MULTILINE)


@dataclass(frozen=True)
class Rule:
    """A rule as it is written, and its file."""

    id: str
    text: str
    file: str


def read_rules(path: str) -> list[Rule] | None:
    """Return the rules of a folder and all folders in it, of a file of YAML, or of an archive; None for others."""
    place = Path(path)
    if place.is_dir():
        files = sorted(one for one in place.rglob("*") if one.suffix in ENDINGS and one.is_file())
        if not files:
            raise OptionError(f"{path}: there is no rule in this folder: no file ends in .yml or .yaml")
        return [rule for file in files for rule in rules_of_text(_decoded(file.read_bytes(), str(file)), str(file))]
    if path.endswith(ARCHIVES):
        return list(_of_archive(path))
    if path.endswith(ENDINGS):
        return list(rules_of_text(_decoded(place.read_bytes(), path), path))
    return None


def _of_archive(path: str) -> Iterator[Rule]:
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and member.name.endswith(ENDINGS):
                    name, file = f"{path}:{member.name}", archive.extractfile(member)
                    data = b"" if file is None else file.read(4 * MAX_CHARACTERS + 1)
                    yield from rules_of_text(_decoded(data, name), name)
    except (tarfile.TarError, EOFError) as error:
        raise OptionError(f"{path}: no archive that can be read: {error}") from error


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"{name}: not UTF-8 at byte {error.start}; convert the file to UTF-8") from error


def rules_of_text(text: str, file: str) -> Iterator[Rule]:
    """Yield the documents of a file; documents without content are left out."""
    stem, start = PurePosixPath(file.replace("\\", "/")).stem, 0
    borders = [*_BORDER.finditer(text), None]
    for number, border in enumerate(borders, 1):
        document = text[start : border.start() if border else len(text)]
        if re.search(r"^[^#\s]", document, re.MULTILINE):
            own = _ID.search(document)
            kept = "\n" * text.count("\n", 0, start) + document
            yield Rule(own[1] if own else stem if number == 1 else f"{stem}-{number}", kept, file)
        start = border.end() if border else start
