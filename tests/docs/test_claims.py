"""docs/claims.md has every claim that is declared, with a verdict, and a reason where it does not hold."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT, rows
from watchword.papers.experiments.experiment import VERDICTS
from watchword.papers.experiments.registry import every_experiment

TEXT = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
ROWS = list(rows(TEXT, "claim"))
CAUSES = re.compile(r"(paper|implementation|hardware|workload): ")


def test_the_page_has_the_claims_that_the_experiments_check() -> None:
    declared = [(claim.text, claim.paper) for each in every_experiment() for claim in each.claims]
    assert [(text, paper) for text, paper, *_ in ROWS] == declared
    assert f"{len(declared)} claims: " in TEXT


def test_every_claim_has_a_verdict_and_figures() -> None:
    verdicts = [verdict.removesuffix(" (times)") for _, _, _, verdict, _ in ROWS]
    assert set(verdicts) <= set(VERDICTS) and all(measured for _, _, measured, _, _ in ROWS)
    for verdict in VERDICTS:
        count = verdicts.count(verdict)
        assert not count or f"{count} {verdict}" in TEXT


def test_what_does_not_hold_wholly_is_put_down_to_something() -> None:
    for text, _, _, verdict, why in ROWS:
        if verdict.startswith(("does not hold", "holds weaker")):
            assert CAUSES.match(why), f"{text} {why}"
