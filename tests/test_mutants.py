"""The tool that makes mutants: every edit is another program, and the tests that run for it exist."""

from __future__ import annotations

import ast
import random
import shutil
from itertools import chain
from pathlib import Path

import pytest

from tests.mutants import PACKAGE, ROOT, UNDECIDED, Mutant, draw, killer, mutants_of, relevant_tests


def test_every_kind_of_edit(tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    file.write_text(
        '"""A docstring with 1 < 2."""\n'
        "import os\n"
        "LIMIT: int = 64\n"
        "def f(a, b=1):\n"
        "    if a < b and not a:\n"
        "        raise ValueError(f'{a + 1}')\n"
        "    a += 1\n"
        "    print(a)\n"
        "    return a if True else b - 1\n"
    )
    source = file.read_text()
    edits = {(source[one.start : one.end], one.text) for one in mutants_of(file)}
    assert edits == {
        ("64", "(65)"),
        ("a < b and not a", "(a < b or not a)"),
        ("a < b", "(a <= b)"),
        ("not a", "(a)"),
        ("raise ValueError(f'{a + 1}')", "pass"),
        ("a += 1", "pass"),
        ("1", "(2)"),
        ("print(a)", "pass"),
        ("return a if True else b - 1", "return None"),
        ("a if True else b - 1", "(b - 1 if True else a)"),
        ("True", "(False)"),
        ("b - 1", "(b + 1)"),
    }


def test_mutants_of_the_package_are_programs_and_drawn_by_their_seed() -> None:
    files = random.Random(5).sample(sorted(PACKAGE.rglob("*.py")), 12)
    mutants = draw(files, 60, 7)
    assert mutants == draw(files, 60, 7) != draw(files, 60, 8)
    for mutant in mutants:
        assert ast.dump(ast.parse(mutant.applied())) != ast.dump(ast.parse(mutant.file.read_text(encoding="utf-8")))


def test_the_tests_of_every_file_exist() -> None:
    for file in PACKAGE.rglob("*.py"):
        for argument in chain(*relevant_tests(file)):
            assert not argument.startswith("tests") or (ROOT / argument).exists()
    assert relevant_tests(PACKAGE / "spark" / "pipeline.py")[0] == ["tests/spark/test_pipeline.py"]  # slow, and run
    assert relevant_tests(PACKAGE / "kernels" / "cache" / "folders.py")[-1][0] == "tests/kernels"


@pytest.mark.slow
def test_a_mutant_is_noticed_by_a_test_that_is_named_or_by_none(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "watchword", ignore=shutil.ignore_patterns("__pycache__"))
    file = PACKAGE / "visible.py"
    before = (tmp_path / "watchword" / "visible.py").read_bytes()
    ends = {killer(mutant, tmp_path, 100).partition("::")[0] for mutant in mutants_of(file)[:2]}
    same = Mutant(file, 1, 0, 0, "", "nothing")
    assert (ends, killer(same, tmp_path, 100)) == ({"tests/test_visible.py"}, "")
    assert killer(same, tmp_path, 0.0) == UNDECIDED
    assert (tmp_path / "watchword" / "visible.py").read_bytes() == before
