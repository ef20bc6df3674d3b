"""What holds for every kernel."""

from __future__ import annotations

import importlib
import os
import pkgutil
from pathlib import Path

from numba.core.registry import CPUDispatcher

from watchword import kernels
from watchword.kernels import jit


def test_machine_code_is_kept_under_a_stamp_of_all_kernels() -> None:
    """Numba looks at the file of a function only: without this, code that calls into a changed file would stay."""
    modules = [
        importlib.import_module(f"watchword.kernels.{found.name}") for found in pkgutil.iter_modules(kernels.__path__)
    ]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, CPUDispatcher)]
    assert len(found) > 50
    assert all(function._cache._cache_file._source_stamp == jit._STAMP for function in found)


def test_the_stamp_follows_any_file(tmp_path: Path, monkeypatch) -> None:
    for name in ("jit.py", "other.py"):
        (tmp_path / name).write_text("x = 1\n")
    monkeypatch.setattr(jit, "__file__", str(tmp_path / "jit.py"))
    before = jit._stamp()
    newest = max((tmp_path / name).stat().st_mtime_ns for name in ("jit.py", "other.py"))
    os.utime(tmp_path / "other.py", ns=(newest + 1, newest + 1))
    touched = jit._stamp()
    (tmp_path / "other.py").write_text("x = 12\n")
    os.utime(tmp_path / "other.py", ns=(newest + 1, newest + 1))
    assert len({before, touched, jit._stamp()}) == 3
