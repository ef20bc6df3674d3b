"""Figures of docs/comparison.md that are said to be measured here are those of the page that is linked."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
CELLS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines() if line.startswith("|")]
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")


def test_figures_measured_here_are_those_of_the_linked_page() -> None:
    checked = 0
    for cells in CELLS:
        linked = re.fullmatch(r"here: \[(.*)\]\((.*)\)", cells[-1])
        if linked is None:
            continue
        assert linked[1] == linked[2]
        known = set(FIGURE.findall((ROOT / "docs" / linked[2]).read_text(encoding="utf-8")))
        for figure in (found for cell in cells[1:-1] if "about" not in cell for found in FIGURE.findall(cell)):
            assert figure in known, (figure, linked[2])
            checked += 1
    assert checked > 30


def test_every_figure_of_a_table_says_whose_it_is() -> None:
    whose = [cells for cells in CELLS if cells[-1].startswith(("here: [", "ours, elsewhere", "theirs", "counted"))]
    headers = [cells for cells in CELLS if cells[-1] == "whose figure"]
    plain = [cells for cells in CELLS if cells not in whose and cells not in headers and FIGURE.search(" ".join(cells))]
    assert headers and plain == []


def test_figures_in_sentences_are_in_the_pages() -> None:
    predicates = (ROOT / "docs" / "benchmarks-predicates.md").read_text(encoding="utf-8")
    assert "Watchword 351,521 from Arrow, 11.4 bytes, 0.0881 s" in " ".join(PAGE.split())
    assert re.search(r"auto, Arrow \| 0\.0881 \| 11\.4 \| [\d,]+ \| 351,521", predicates)
    assert "median 17.0 µs" in (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert "more than 6,000 times" in (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")


def test_references_are_defined_and_used() -> None:
    defined = set(re.findall(r"^\[([\w-]+)\]: http", PAGE, re.MULTILINE))
    used = set(re.findall(r"\]\[([\w-]+)\]", PAGE))
    assert defined == used
