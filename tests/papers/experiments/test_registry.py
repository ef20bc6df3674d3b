"""Experiments by name."""

from __future__ import annotations

import re

import pytest

from watchword.errors import ExperimentError
from watchword.papers.experiments.registry import chosen, every_experiment, experiments, papers

pytestmark = pytest.mark.usefixtures("toys")


def names(*wanted: str) -> list[str]:
    return [experiment.name for experiment in chosen(wanted)]


def test_a_paper_stands_for_its_experiments_and_nothing_comes_twice() -> None:
    assert names("toy/turns") == ["toy/turns"]
    assert names("toy") == ["toy/letters", "toy/turns"]
    assert names("toy/turns", "toy") == ["toy/turns", "toy/letters"]
    assert set(names("toy")) <= set(names("all"))


@pytest.mark.parametrize("name", ["toy/leters", "toi/letters", "letters"])
def test_an_unknown_name_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(ExperimentError, match="toy/letters") as raised:
        chosen([name])
    assert raised.value.name == name


def test_a_name_that_is_near_nothing_is_sent_to_the_list() -> None:
    with pytest.raises(ExperimentError, match="no such experiment; `watchword experiments list`"):
        chosen(["qqqqqqq"])


def test_every_experiment_says_what_it_is() -> None:
    for paper in papers():
        for each in experiments(paper):
            assert each.paper == paper and re.fullmatch(r"[a-z]+/[a-z0-9.-]+", each.name)
            assert each.title and each.source and each.cells("small") and each.cells("paper")


def test_no_two_experiments_or_claims_have_the_same_name() -> None:
    found = [each.name for each in every_experiment()]
    assert len(set(found)) == len(found)
    for each in every_experiment():
        claims = [claim.id for claim in each.claims]
        assert len(set(claims)) == len(claims)
        plots = [plot.name for plot in each.plots]
        assert len(set(plots)) == len(plots)
