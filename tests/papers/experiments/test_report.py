"""The report: one page that needs nothing beside it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.papers.experiments import toy
from watchword.errors import ExperimentError
from watchword.papers.experiments import results as kept
from watchword.papers.experiments.claims_page import markdown
from watchword.papers.experiments.report import outcomes, page
from watchword.papers.experiments.running import run_one

pytestmark = [pytest.mark.usefixtures("toys"), pytest.mark.slow]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    run_one(toy.LETTERS, "small", folder)
    return folder


@pytest.fixture
def written(results: Path) -> str:
    return page(toy.EXPERIMENTS, "small", results)


def test_the_page_stands_alone(written: str) -> None:
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", written)
    assert "<script" not in written and written.count("data:image/svg+xml;base64,") == 2


def test_ours_and_printed_stand_in_one_row(written: str) -> None:
    assert "<th>letters (printed)</th>" in written
    row = "<td class='number'>3</td><td>slow</td><td class='number'>6</td><td class='number'>1</td>"
    assert f"<tr>{row}<td class='number'>7</td></tr>" in written
    assert "<td class='number'>18</td>" in written, "what only the paper has is there too"


def test_claims_have_their_verdicts(written: str) -> None:
    assert "3 claims: 1 holds, 2 not shown at this scale." in written
    assert "twice &amp; more" in written and "6 &lt;letters&gt;" in written
    assert "<span class='small'>(counts)</span>" in written


def test_names_are_escaped(written: str) -> None:
    assert "Letters &lt;counted&gt;" in written and "<counted>" not in written


def test_what_was_not_run_is_left_out_and_what_is_incomplete_says_so(tmp_path: Path, written: str) -> None:
    assert "toy/turns" not in written and "not measured yet" not in written
    toy.interrupt_at.append(2)
    for each in (toy.TURNS, toy.PLAIN):
        with pytest.raises(KeyboardInterrupt):
            run_one(each, "small", tmp_path)
    incomplete = page([toy.TURNS, toy.PLAIN], "small", tmp_path)
    assert "8 cells are not measured yet" in incomplete and "2 cells are not measured yet" in incomplete
    assert "3 claims: 3 not shown at this scale." in incomplete, "nothing is said of a part of the rows"


def test_a_claim_without_its_rows_is_not_shown(tmp_path: Path) -> None:
    found = {claim.id: outcome for claim, outcome in outcomes(run_one(toy.PLAIN, "small", tmp_path))}
    assert found["double"].verdict == "holds" and found["double"].measured == "6 <letters>"
    assert found["grows"].verdict == "not shown at this scale"
    assert "missing" in found["lost"].why


def test_the_claims_alone_are_a_page_of_markdown(results: Path) -> None:
    lines = markdown(toy.EXPERIMENTS, "small", results).splitlines()
    assert lines[0] == "# The papers' claims, checked"
    assert "nobody, figure 1; scale small." in lines
    assert any(re.fullmatch(r"Machine: \d+ cores, \d+ GiB\.", line) for line in lines)
    assert "3 claims: 1 holds, 2 not shown at this scale." in lines
    assert "### toy/letters" in lines and "toy/turns" not in "".join(lines), "what was not run is left out"
    assert "| Slow counts twice. | 2 times | 6 <letters> | holds | twice & more |" in lines
    assert "| It grows. | from 4 on | – | not shown at this scale (times) | three are too few |" in lines


def test_without_a_scale_the_largest_run_that_is_complete_counts(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path, dirs_exist_ok=True)
    toy.interrupt_at.append(4)
    with pytest.raises(KeyboardInterrupt):
        run_one(toy.PLAIN, "paper", tmp_path)
    assert "scale small." in markdown([toy.PLAIN], None, tmp_path)
    assert "scale paper." in markdown([toy.PLAIN], "paper", tmp_path)
    toy.interrupt_at.clear()
    run_one(toy.PLAIN, "paper", tmp_path)
    assert "scale paper." in markdown([toy.PLAIN], None, tmp_path)
    assert "; scale paper, seed" in page([toy.PLAIN], None, tmp_path)


def test_runs_of_another_version_are_not_judged_by_the_checks_of_this_one(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "__version__", "99.0")
    for write in (page, markdown):
        with pytest.raises(ExperimentError, match=r"toy/letters: .* another version \(.*this is 99\.0.*--again"):
            write(toy.EXPERIMENTS, "small", results)
