"""``watchword estimate``, from outside."""

from __future__ import annotations

import pytest
from click.testing import Result
from typer.testing import CliRunner

from watchword.cli import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["estimate", *(str(argument) for argument in arguments)])


def cells(result: Result) -> dict[str, list[str]]:
    """Return the rows of the table by method."""
    lines = [line.split() for line in result.stdout.splitlines()]
    return {line[0]: line[1:] for line in lines if line and line[0] in ("auto", "count", "trie", "compact-trie")}


@pytest.mark.slow
def test_a_method_a_line_with_its_memory_and_operations():
    result = run(20_000, "--vocabulary", 5_000, "--terms", 2.8, "--item-terms", 15)
    assert result.exit_code == 0, result.output
    rows = cells(result)
    assert 590 < float(rows["count"][0]) < 620 and rows["count"][1] == "kB"  # an index of such sets has 601
    assert rows["count"][3:5] == ["counter", "decrements"]
    low, to, high, unit = rows["auto"][-4:]
    assert (to, unit) == ("to", "µs") and 0 < float(low) < float(high) < float(rows["count"][-2])
    assert "an item matches" in result.stderr
    assert float(rows["count"][2].replace(",", "")) > 10 * float(rows["auto"][2])
    assert set(rows) == {"auto", "count", "trie", "compact-trie"}


@pytest.mark.slow
def test_more_subscriptions_take_more():
    sizes = [run(number, "--vocabulary", 1_000).stdout for number in (1_000, 1_000_000)]
    assert " kB" in sizes[0] and " MB" in sizes[1] and " MB" not in sizes[0]


@pytest.mark.slow
def test_the_same_numbers_give_the_same_figures():
    assert run(1_000, "--vocabulary", 1_000).stdout == run(1_000, "--vocabulary", 1_000).stdout


def test_sets_that_a_vocabulary_cannot_fill_are_refused():
    result = run(10, "--vocabulary", 10)
    assert result.exit_code == 2 and result.stdout == ""
    assert "--vocabulary" in result.stderr and "not 10" in result.stderr


def test_numbers_out_of_range_are_refused():
    for arguments in ((0,), (10, "--terms", 0.5), (10, "--exponent", -1), (10, "--item-terms", 10_000)):
        result = run(*arguments)
        assert result.exit_code == 2 and "Traceback" not in result.output
