"""The bounds of PMA and PMA2: functions of plain numbers, against runs."""

from __future__ import annotations

import pytest

from watchword import PathIndex
from watchword.papers.models import paths


def operations(method: str, texts: list[str], document: bytes) -> float:
    index = PathIndex(dict(enumerate(texts)), method=method)
    index.match(document)
    return index.stats().operations_per_match


def test_bounds_are_the_papers_formulas() -> None:
    printed = paths.theorem_2_as_printed(k=2, elements=10, depth=4, keywords=16, occurrences=5)
    assert printed == 2 * 10 + 6 * 5
    assert paths.pma2_bound(k=2, elements=10, depth=4, keywords=16, occurrences=5) == printed + 3 * 2 * 10
    assert paths.theorem_2_as_printed(1, 1, 1, 1, 3) == 1 + 3, "a tree of one tuple takes a step, not none"


@pytest.mark.parametrize(("number", "children"), [(30, 20), (100, 200)])
def test_expired_tuples_go_and_come_at_every_sibling(number: int, children: int) -> None:
    texts = [f"/x{at}//y" for at in range(number)]
    document = b"<root>" + b"<child/>" * children + b"</root>"
    changes = paths.expiries(children, number)
    assert operations("pma", texts, document) == changes
    assert operations("pma2", texts, document) == 0
    bound = paths.theorem_2_as_printed(2, children + 1, 2, 2 * number, 0)
    assert paths.steps(0, 0, changes, 2, 2 * number) > 10 * bound
