"""The recipes of docs/cookbook.md, and the examples of docs/faq.md, run as printed.

That for Spark is run by `tests/spark/test_docs.py`.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, sections

PAGE = ROOT / "docs" / "cookbook.md"


@pytest.mark.slow
def test_the_recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    ran = doctest.testfile(str(PAGE), module_relative=False)
    assert (ran.failed, ran.attempted > 50) == (0, True)


def test_every_recipe_is_in_the_list_and_has_something_that_runs() -> None:
    text = PAGE.read_text(encoding="utf-8")
    recipes = sections(text)
    assert re.findall(r"^\d+\. \[(.*)\]\(#", text, re.MULTILINE) == list(recipes)
    assert [title for title, recipe in recipes.items() if "```python\n" not in recipe] == []
    assert len(recipes) >= 12


@pytest.mark.slow
def test_the_questions() -> None:
    ran = doctest.testfile(str(ROOT / "docs" / "faq.md"), module_relative=False)
    assert (ran.failed, ran.attempted > 5) == (0, True)
