"""The examples of docs/predicates.md run as printed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from watchword.predicates.options import OPTIONS

GUIDE = Path(__file__).parents[2] / "docs" / "predicates.md"


def test_examples() -> None:
    ran = doctest.testfile(str(GUIDE), module_relative=False)
    assert (ran.failed, ran.attempted > 40) == (0, True)


def test_options_and_links() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert [name for name in OPTIONS if name not in text] == []
    titles = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.*)$", text, re.M)}
    assert set(re.findall(r"\(#([\w-]+)\)", text)) <= titles


def test_the_limits_are_those_of_the_options() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for name in ("max_clauses", "max_work", "max_predicates", "max_literal", "max_depth"):
        assert re.search(rf"\| {OPTIONS[name].default:,} \| `{name}` \|", text), name
