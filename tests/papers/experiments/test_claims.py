"""What all claims of all papers have in common."""

from __future__ import annotations

import pytest

from tests.papers.experiments.recorded import outcome, recorded
from watchword.papers.experiments.experiment import UNEXPLAINED, VERDICTS, Claim, judged
from watchword.papers.experiments.registry import every_experiment

CLAIMS = [(each.name, claim) for each in every_experiment() for claim in each.claims]
RECORDED = recorded()


@pytest.mark.parametrize(("name", "claim"), CLAIMS, ids=[f"{name}:{claim.id}" for name, claim in CLAIMS])
def test_a_claim_says_what_and_shows_nothing_without_rows(name, claim) -> None:
    assert claim.text.endswith(".") and claim.paper
    assert claim.judge([]).verdict == "not shown at this scale"


@pytest.mark.parametrize("experiment", RECORDED)
def test_claims_are_judged_as_recorded(experiment: str) -> None:
    claims = {claim.id: claim for name, claim in CLAIMS if name == experiment}
    rows, expected = RECORDED[experiment]["rows"], RECORDED[experiment]["outcomes"]
    assert list(expected) == list(claims)
    for name, outcomes in expected.items():
        found = {variant: outcome(claims[name], experiment, rows, int(variant)) for variant in outcomes}
        assert found == outcomes, name


def test_most_claims_are_recorded_with_more_than_one_verdict() -> None:
    assert set(RECORDED) == {name for name, _ in CLAIMS}
    verdicts = [{found[0] for found in of.values()} for each in RECORDED.values() for of in each["outcomes"].values()]
    assert len(verdicts) == len(CLAIMS) and sum(len(found & {*VERDICTS[:3]}) > 1 for found in verdicts) >= 136
    assert sum(len(found & {*VERDICTS[:3]}) == 3 for found in verdicts) >= 80


def test_there_are_enough_claims_of_every_paper() -> None:
    papers = [name.partition("/")[0] for name, _ in CLAIMS]
    assert len(CLAIMS) >= 100
    assert {paper: papers.count(paper) >= 10 for paper in papers} == dict.fromkeys(
        ("retriever", "thesis", "xml", "predicates", "properties"), True
    )


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (judged(False, "1", otherwise="paper: a slip"), "paper: a slip"),
        (judged(False, "1", why="as it is", otherwise="paper: a slip"), "paper: a slip"),
        (judged(False, "1", why="as it is"), "as it is"),
        (judged(False, "1"), UNEXPLAINED),
        (judged(False, "1", weaker=True), ""),
        (judged(True, "1", otherwise="paper: a slip"), ""),
        (judged(True, "1", why="as it is", otherwise="paper: a slip"), "as it is"),
    ],
)
def test_what_does_not_hold_is_explained_or_said_not_to_be(outcome, why) -> None:
    claim = Claim("one", "One is one.", "1", lambda rows: outcome)
    assert claim.judge([{"n": 1}]).why == why
