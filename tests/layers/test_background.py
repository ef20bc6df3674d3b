"""Work beside its owner: what it returns, what it raises, and what is left of it in the child of a fork."""

from __future__ import annotations

import os
import threading

import pytest

from watchword.kernels.tombstones import FIRST_CLAUSE
from watchword.layers.background import Background
from watchword.layers.tombstones import Tombstones


@pytest.mark.parametrize("aside", [False, True])
def test_results_and_errors(aside: bool) -> None:
    assert Background(lambda: 7, "seven", aside=aside).result() == 7
    failed = Background(lambda: 1 // 0, "division", aside=aside)
    assert failed.is_over(wait=True) and isinstance(failed.error, ZeroDivisionError)
    with pytest.raises(ZeroDivisionError):
        failed.result()


def test_it_is_over_when_the_work_is() -> None:
    go = threading.Event()
    work = Background(go.wait, "waiting")
    assert not work.is_over()
    go.set()
    assert work.is_over(wait=True) and work.result()


def test_an_interruption_is_raised_where_the_caller_does_the_work() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Background(interrupted, "interrupted", aside=False)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_unfinished_work_has_failed_in_the_child_of_a_fork() -> None:
    go = threading.Event()
    work = Background(go.wait, "waiting")
    child = os.fork()
    if child == 0:
        os._exit(0 if work.is_over() and isinstance(work.error, RuntimeError) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    go.set()
    assert work.result()


def test_tombstones_of_slots_and_of_clauses() -> None:
    removed = Tombstones()
    for payload in (0, 9, FIRST_CLAUSE, FIRST_CLAUSE + 17):
        assert payload not in removed
        removed.add(payload)
        assert payload in removed
    copied = removed.copy_bitmaps()
    removed.add(10)
    assert len(removed) == 5 and [payload for payload in (1, 8, 11) if payload not in removed] == [1, 8, 11]
    assert [bits.tolist() for bits in copied] != [bits.tolist() for bits in removed.dead]
