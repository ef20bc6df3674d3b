"""What all kernels share: how they are compiled and kept, and how many arguments they have."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
import re
from inspect import signature
from pathlib import Path
from types import ModuleType

import pytest
from numba.core.registry import CPUDispatcher

import watchword
from watchword import kernels
from watchword.kernels import jit
from watchword.kernels.cache import sources
from watchword.kernels.cache.files import KernelFiles
from watchword.kernels.cache.folders import folder_name, places


def modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.walk_packages(kernels.__path__, "watchword.kernels.")]
    return [importlib.import_module(name) for name in names]


def compiled() -> list[CPUDispatcher]:
    found = {id(value): value for module in modules() for value in vars(module).values()}
    return [value for value in found.values() if isinstance(value, CPUDispatcher)]


def test_machine_code_is_kept_in_the_folder_of_what_it_is_made_of() -> None:
    """Numba says where it looks; a setting of ours that it did not follow would show here."""
    found = compiled()
    assert len(found) > 250
    for function in found:
        file = Path(function.py_func.__code__.co_filename)
        assert Path(function.stats.cache_path).name == folder_name(file)
        assert function.stats.cache_path == str(places().folders(file)[1])


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__.removeprefix("watchword.kernels."))
def test_the_digest_knows_every_file_that_is_imported(module: ModuleType) -> None:
    """Compared with what the imported modules themselves say; what `jit` imports does not decide what code is."""
    if module is jit:
        assert sources.imported(Path(str(module.__file__))) == {Path(str(module.__file__))}
        return
    package = Path(watchword.__file__).parent
    seen = sources.imported(Path(str(module.__file__)))
    direct = re.findall(r"^from (watchword\.[\w.]+) import", inspect.getsource(module), re.MULTILINE)
    for name in direct:
        file = Path(str(importlib.import_module(name).__file__))
        assert file in seen or file.name == "__init__.py"
        assert sources.imported(file) <= seen or file.name == "__init__.py"
    assert all(package in file.parents for file in seen)


def test_touching_a_file_concerns_its_importers_only() -> None:
    room = Path(kernels.__file__).parent
    delta = room / "sets" / "delta.py"
    concerned = {path for path in room.rglob("*.py") if delta in sources.imported(path)}
    assert room / "sets" / "packed.py" in concerned
    trie = room / "sets" / "tries" / "trie.py"
    assert trie.exists() and trie not in concerned
    assert not any("patterns" in path.parts for path in concerned)


def test_the_digest_follows_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PACKAGE", tmp_path)
    one, other, apart = tmp_path / "one.py", tmp_path / "other.py", tmp_path / "apart.py"
    one.write_text("from watchword.other import x\n")
    other.write_text("x = 1\n")
    apart.write_text("x = 1\n")

    def digests() -> list[str]:
        for function in (sources.imported, sources.digest, sources._direct, sources._content):
            function.cache_clear()
        return [sources.digest(file) for file in (one, other, apart)]

    before = digests()
    other.write_text("x = 2\n")
    after = digests()
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, True]
    assert len(set(after)) == 3
    digests()


def test_no_kernel_has_more_than_ten_arguments() -> None:
    functions = [kernel.py_func for kernel in compiled()]
    counts = {f"{each.__module__}.{each.__qualname__}": len(signature(each).parameters) for each in functions}
    assert len(counts) > 600  # many have the same name in different modules
    assert {name: count for name, count in counts.items() if count > 10} == {}


def test_an_index_that_names_a_forgotten_type_is_the_same_as_none(tmp_path: Path) -> None:
    """A type of an argument may have been renamed since its kernel was compiled."""
    forgotten = type("Forgotten", (), {"__module__": __name__})
    globals()["Forgotten"] = forgotten
    kept = KernelFiles("match", (tmp_path,), tmp_path, pickle.dumps)
    kept.save((1, forgotten), "code")
    assert kept.load((1, forgotten)) == "code"
    del globals()["Forgotten"]
    assert kept.load((1, forgotten)) is None
