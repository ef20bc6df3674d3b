"""What all claims of all papers have in common."""

from __future__ import annotations

import pytest

from watchword.experiments.registry import every_experiment

CLAIMS = [(each.name, claim) for each in every_experiment() for claim in each.claims]


@pytest.mark.parametrize(("name", "claim"), CLAIMS, ids=[f"{name}:{claim.id}" for name, claim in CLAIMS])
def test_a_claim_says_what_and_shows_nothing_without_rows(name, claim) -> None:
    assert claim.text.endswith(".") and claim.paper
    assert claim.judge([]).verdict == "not shown at this scale"
