"""A numba that lacks a private name: everything works as before, slower to start, and a line in the log says so.

Processes get a numba whose names are others (`renamed_numba`), which is what a release can do to us.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels.small_indexes import CASES, answers
from tests.kernels.tiny_package import KERNELS, make_tiny_package
from watchword.kernels.numba_private import UnsupportedNumba, needed, private

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent

LOSSES = {
    "CACHE_LOCATOR_CLASSES": "compiled kernels are not found when the package moves",
    "_locator_classes": "compiled kernels are not found when the package moves",
    "_cache_file": "damaged files of compiled kernels are not noticed",
    "filename_base": "damaged files of compiled kernels are not noticed",
    "dumps": "damaged files of compiled kernels are not noticed",
    "_load_overload": "a process starts later",
    "rtsys": "a process starts later",
    "get_call_template": "kernels are compiled once more for each constant",
    "unliteral": "kernels are compiled once more for each constant",
    "no_cfunc_wrapper": "kernels compile later, with an entry for C code that is not used",
    "_nrt": "kernels that allocate nothing count references, and are slower",
    "CFunc": "every process compiles the functions that C code calls",
    "normalize_signature": "every process compiles the functions that C code calls",
}


@pytest.mark.parametrize("name", LOSSES)
def test_without_a_name_kernels_work_and_one_line_says_what_is_lost(name: str, tmp_path: Path) -> None:
    package = make_tiny_package(tmp_path / "package")
    package.renamed = (name,)
    first, second = package.run(), package.run()
    assert first.answer == second.answer == 42
    for said in (first, second):
        assert len(said.log) == 1, said.log
        assert f"has no '{name}' in " in said.log[0] and f": {LOSSES[name]}; answers are the same" in said.log[0]
    uncached = {"CFunc": 1, "normalize_signature": 1}.get(name, 0)
    assert second.compiled == 0 and first.compiled >= KERNELS - uncached


def test_without_any_setting_for_folders_every_process_compiles(tmp_path: Path) -> None:
    package = make_tiny_package(tmp_path / "package")
    package.renamed = ("CACHE_LOCATOR_CLASSES", "CACHE_DIR")
    for _ in range(2):
        said = package.run()
        assert said.answer == 42 and said.path is None and said.compiled >= KERNELS - 1
        assert sum("every process compiles its kernels" in line for line in said.log) == 1


def test_without_the_name_of_its_cache_a_kernel_is_kept_by_numba_alone(tmp_path: Path) -> None:
    package = make_tiny_package(tmp_path / "package")
    package.renamed = ("_cache",)
    said = package.run()
    assert said.answer == package.run().answer == 42
    assert list(package.beside.rglob("*.nbi"))
    losses = {"damaged files", "a process starts later", "nothing says", "the functions that C code calls"}
    assert {loss for loss in losses for line in said.log if loss in line} == losses and len(said.log) == len(losses)


def test_an_edit_is_noticed_without_any_private_name(tmp_path: Path) -> None:
    """Numba's own files lie in folders named after what a kernel and its callees are made of."""
    package = make_tiny_package(tmp_path / "package")
    package.renamed = ("CACHE_LOCATOR_CLASSES", "_cache", "rtsys", "unliteral", "CFunc", "no_cfunc_wrapper", "_nrt")
    assert package.run().answer == 42
    callee = package.kernels / "callee.py"
    callee.write_text(callee.read_text().replace("number + by", "number - by"))
    assert package.run().answer == 38


def test_a_kernel_is_compiled_once_for_all_constants(tmp_path: Path) -> None:
    package = make_tiny_package(tmp_path / "package")
    assert package.run().compiled == KERNELS
    package.renamed = ("unliteral",)
    (package.kernels / "callee.py").write_text((package.kernels / "callee.py").read_text() + "# edited\n")
    assert package.run().compiled > KERNELS


def test_a_name_that_every_kernel_needs_is_missed_with_the_remedy() -> None:
    assert private("numba.core.registry", "cpu_target") is not None
    with pytest.raises(UnsupportedNumba, match=r"has no 'gone' in numba.core.registry$"):
        private("numba.core.registry", "gone")
    with pytest.raises(UnsupportedNumba, match=r"has no 'gone' in numba.gone; this version of Watchword needs numba"):
        needed("numba.gone", "gone")


NAMES = {
    "folders": "CACHE_LOCATOR_CLASSES",
    "loading": "rtsys",
    "constants": "unliteral",
    "options": "no_cfunc_wrapper,_nrt",
    "callbacks": "CFunc",
    "all": "CACHE_LOCATOR_CLASSES,_cache,rtsys,unliteral,no_cfunc_wrapper,_nrt,CFunc",
}


@pytest.mark.parametrize("names", NAMES)
def test_every_language_answers_as_before_without_names_of_numba(names: str) -> None:
    """Without all of them at once every kernel is compiled, for minutes: two languages with few kernels do."""
    cases = ["patterns", "properties"] if names == "all" else list(CASES)
    command = [sys.executable, str(HERE / "renamed_numba.py"), NAMES[names], str(HERE / "small_indexes.py"), *cases]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["answers"] == json.loads(json.dumps({name: answers(name) for name in cases}))
    log = [line for line in done.stderr.splitlines() if "answers are the same" in line]
    assert log and len(log) == len(set(log)) and "Traceback" not in done.stderr
