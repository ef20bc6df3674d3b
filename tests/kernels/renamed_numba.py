"""Runs a program with a numba in which some names are others, as if a release had renamed them::

    python renamed_numba.py rtsys,unliteral program.py

Every source file of numba is read with ``rtsys_renamed`` for ``rtsys``, so that numba works as before.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType


def _other_name(found: re.Match[str]) -> str:
    return f"{found[0]}_RENAMED" if found[0].isupper() else f"{found[0]}_renamed"  # settings are told by their case


class Renamed(SourceFileLoader):
    """Loads a source file with other names."""

    def __init__(self, name: str, path: str, names: re.Pattern[str]) -> None:
        super().__init__(name, path)
        self._names = names

    def get_code(self, fullname: str) -> CodeType:
        text = self._names.sub(_other_name, Path(self.path).read_text(encoding="utf-8"))
        return compile(text, self.path, "exec", dont_inherit=True)


class Renaming(MetaPathFinder):
    """Finds the modules of numba that have one of the names."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = re.compile(rf"\b({'|'.join(names)})\b")

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] != "numba":
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is None or not isinstance(spec.loader, SourceFileLoader) or spec.origin is None:
            return None
        if self._names.search(Path(spec.origin).read_text(encoding="utf-8")):
            spec.loader = Renamed(name, spec.origin, self._names)
        return spec


if __name__ == "__main__":
    sys.meta_path.insert(0, Renaming(sys.argv[1].split(",")))
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
