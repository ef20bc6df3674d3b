"""What holds for every kernel."""

from __future__ import annotations

import importlib
import os
import pkgutil
from pathlib import Path

import pytest
from numba.core.registry import CPUDispatcher

from watchword import kernels
from watchword.kernels import jit


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of three kernel files, of which the first imports the second."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "caller.py").write_text("from watchword.kernels.called import x\n")
    (folder / "called.py").write_text("x = 1\n")
    (folder / "stranger.py").write_text("x = 1\n")
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    return folder


def stamp(file: Path) -> object:
    """Return the stamp as a process that begins now would."""
    jit.imported.cache_clear()
    jit._stamp.cache_clear()
    return jit._stamp(file)


def touch(file: Path) -> None:
    later = file.stat().st_mtime_ns + 1
    os.utime(file, ns=(later, later))


def test_machine_code_is_kept_under_a_stamp_of_all_kernels() -> None:
    """Numba looks at the file of a function only: without this, code that calls into a changed file would stay."""
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(kernels.__path__, "watchword.kernels.")
    ]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, CPUDispatcher)]
    assert len(found) > 50
    for function in found:
        file = Path(function.py_func.__code__.co_filename)
        assert function._cache._cache_file._source_stamp == jit._stamp(file)


def test_the_stamp_follows_any_file(package: Path) -> None:
    caller, called = package / "caller.py", package / "called.py"
    assert jit.imported.__wrapped__(caller) == {caller, called}
    before = stamp(caller)
    touch(called)
    touched = stamp(caller)
    newest = called.stat().st_mtime_ns
    called.write_text("x = 12\n")
    os.utime(called, ns=(newest, newest))
    assert len({before, touched, stamp(caller)}) == 3


def test_a_file_that_is_not_imported_leaves_the_stamp(package: Path) -> None:
    before = stamp(package / "caller.py")
    touch(package / "stranger.py")
    touch(package / "caller.py")
    changed = stamp(package / "caller.py")
    assert changed != before
    touch(package / "stranger.py")
    assert stamp(package / "caller.py") == changed
