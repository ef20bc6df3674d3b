"""What a kernel is made of: its file, and every file of this package that this one imports, directly or not.

Numba compiles a function anew when its file changes, but not when a file does that it calls into, and stale code gives
wrong answers. So code is kept under a digest of all of them: ``digest(Path("sets/packed.py"))`` changes with
`sets/delta.py`, which it imports, and not with `text/scan.py`. Digests are of contents: copies have the same.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
_JIT = PACKAGE / "kernels" / "jit.py"
_IMPORT = re.compile(r"^from watchword\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


@cache
def imported(file: Path) -> frozenset[Path]:
    """Return the files of this package that a file imports, directly or through others, and itself."""
    found, waiting = {file}, [file]
    while waiting:
        new = _direct(waiting.pop()) - found
        found |= new
        waiting += new
    return frozenset(found)


@cache
def digest(file: Path) -> str:
    """Return 16 hexadecimal digits that stand for the contents of a file and of all files that it imports."""
    total = hashlib.sha256()
    for path in sorted(imported(file)):
        total.update(f"{path.relative_to(PACKAGE).as_posix()} {_content(path)}\n".encode())
    return total.hexdigest()[:16]


@cache
def _direct(file: Path) -> frozenset[Path]:
    """Return the files of this package that a file imports itself.

    `jit` imports those that keep and load machine code. They do not decide what it is, so they are left out.
    """
    if file == _JIT:
        return frozenset()
    found = set()
    for module, names in _IMPORT.findall(file.read_text(encoding="utf-8")):
        folder = PACKAGE / module.replace(".", "/")
        found |= {folder.with_suffix(".py"), *(folder / f"{name}.py" for name in re.findall(r"\w+", names))}
    return frozenset(path for path in found if path.exists())


@cache
def _content(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
