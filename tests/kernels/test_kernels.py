"""What all kernels share: how they are compiled and kept, and how many arguments they have."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest
from numba.core.registry import CPUDispatcher

import watchword
from watchword import kernels
from watchword.kernels import jit


def modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.walk_packages(kernels.__path__, "watchword.kernels.")]
    return [importlib.import_module(name) for name in names]


def compiled() -> list[CPUDispatcher]:
    found = {id(value): value for module in modules() for value in vars(module).values()}
    return [value for value in found.values() if isinstance(value, CPUDispatcher)]


def test_machine_code_is_kept_under_a_stamp_of_what_it_calls_into() -> None:
    """Numba looks at the file of a function only: without this, code that calls into a changed file would stay."""
    found = compiled()
    assert len(found) > 250
    for function in found:
        file = function._cache._cache_file
        assert file is None or file._source_stamp == jit._stamp(Path(function.py_func.__code__.co_filename))


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__.removeprefix("watchword.kernels."))
def test_the_stamp_knows_every_file_that_is_imported(module: ModuleType) -> None:
    """Compared with what the imported modules themselves say."""
    package = Path(watchword.__file__).parent
    seen = jit.imported(Path(str(module.__file__)))
    direct = re.findall(r"^from (watchword\.[\w.]+) import", inspect.getsource(module), re.MULTILINE)
    for name in direct:
        file = Path(str(importlib.import_module(name).__file__))
        assert file in seen or file.name == "__init__.py"
        assert jit.imported(file) <= seen or file.name == "__init__.py"
    assert all(package in file.parents for file in seen)


def test_touching_a_file_concerns_its_importers_only() -> None:
    room = Path(kernels.__file__).parent
    delta = room / "sets" / "delta.py"
    concerned = {path for path in room.rglob("*.py") if delta in jit.imported(path)}
    assert room / "sets" / "packed.py" in concerned
    assert room / "sets" / "trie.py" not in concerned
    assert not any("patterns" in path.parts for path in concerned)


def test_the_stamp_follows_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("from watchword.other import x\n")
    other.write_text("x = 1\n")
    before = jit._stamp.__wrapped__(one)
    assert [name for name, *_ in before] == ["one.py", "other.py"]
    other.write_text("x = 10\n")
    assert jit._stamp.__wrapped__(one) != before


def test_no_kernel_has_more_than_ten_arguments() -> None:
    long = {f.py_func.__qualname__: len(inspect.signature(f.py_func).parameters) for f in compiled()}
    assert {name: count for name, count in long.items() if count > 10} == {}


def test_machine_code_of_a_forgotten_type_is_compiled_anew() -> None:
    """Numba reads what it kept before it looks at the stamp, and what it kept may name a type that is gone."""

    def fails() -> dict[object, object]:
        raise AttributeError("no such named tuple")

    assert jit._index(fails) == {}
    assert jit._index(lambda: {1: 2}) == {1: 2}
    assert all(f._cache._cache_file is None or f._cache._cache_file._load_index.func is jit._index for f in compiled())
