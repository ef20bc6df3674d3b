"""What all tests share: options and layers."""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from tests.browsers import MISSING, find_browser

pytest.register_assert_rewrite("tests.contract.cases", "tests.contract.machine")

# Kernels compile on first use, so no example is held to a deadline. Drawing is what costs; sixty examples of each
# property in each of many runs find what a hundred find. A property-based method of the contract
# suite runs once per case, each time on a new instance of its class, which hypothesis would warn of.
settings.register_profile(
    "watchword",
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile("watchword")

HERE = Path(__file__).parent

ORDER = ("keywords", "predicates", "spark", "patterns", "paths", "properties")
"""Groups of tests that take long, in the order in which they begin; files that belong to none fill the end.

Spark comes third, when the kernels that it shares with the others are compiled."""

SHARED = {"sets": "keywords", "text": "keywords", "numbers": "keywords"}
"""Folders, or languages, whose kernels are those of a language."""

BROWSERLESS = pytest.StashKey[int]()
"""The number of tests that are left out because there is no browser."""

FEW = 4
"""How many variants of a test `--few` leaves."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--few", action="store_true", help=f"run at most {FEW} variants of a test; the contract is whole")
    parser.addoption("--methods", metavar="NAMES", help="run the contract suite on these methods only, as in auto,trie")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs Spark, leave out what `--few` does and what has no browser, begin with the longest groups."""
    for item in items:
        if HERE / "spark" in item.path.parents:
            item.add_marker("spark")
    if find_browser() is None:
        without = [item for item in items if item.get_closest_marker("browser")]
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if item not in without]
        config.stash[BROWSERLESS] = len(without)
    if config.getoption("--few"):
        chosen = few([item.nodeid for item in items])
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
        items[:] = [item for item in items if item.nodeid in chosen]
    places = {group: place for place, group in enumerate(ORDER)}
    items.sort(key=lambda item: places.get(group_of(item.nodeid), len(ORDER)))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say which tests were left out for lack of a browser."""
    left_out = config.stash.get(BROWSERLESS, None)
    if left_out or (left_out is None and find_browser() is None):  # the process that hands tests out collects none
        terminalreporter.write_line(MISSING.format(count=left_out or "the"))


def pytest_collection_finish() -> None:
    """Let Python look for garbage less often, and not among what stays: compiling a kernel makes many objects."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_runtest_teardown() -> None:
    """Release numba's compiler lock if a test left this thread with it.

    A real signal that raises inside of numba's own code may leave it held; a later test whose thread compiles would
    then wait for ever.
    """
    module = sys.modules.get("numba.core.compiler_lock")
    if module is not None:
        lock = module.global_compiler_lock._lock
        while lock._is_owned():
            lock.release()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Where there are several processes (`-n 2`), give each a group of tests at a time."""
    return Groups(config, log)


def few(nodeids: list[str]) -> set[str]:
    """Return some variants of each test, from the first to the last; of the contract all.

    >>> sorted(few([f"tests/a.py::test[{number}]" for number in range(10)]))
    ['tests/a.py::test[0]', 'tests/a.py::test[3]', 'tests/a.py::test[6]', 'tests/a.py::test[9]']
    """
    tests = defaultdict(list)
    for nodeid in nodeids:
        tests[nodeid if nodeid.startswith("tests/contract/") else nodeid.partition("[")[0]].append(nodeid)
    return {variants[place * (len(variants) - 1) // (FEW - 1)] for variants in tests.values() for place in range(FEW)}


class Groups(LoadScopeScheduling):
    """A process that has nothing to do gets the next group."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """Return which tests stay in one process: a language's folder and its part of the contract, Spark, or a file.

    So a language's kernels are compiled by one process, and one process has a Spark session.

    >>> group_of("tests/contract/test_life.py::TestChurn::test_a_long_life[patterns-nfa]")
    'patterns'
    >>> group_of("tests/sets/test_trie.py::test_duel[1]"), group_of("tests/feeds/test_opml.py::test_all")
    ('keywords', 'tests/feeds/test_opml.py')
    """
    file, _, test = nodeid.partition("::")
    folder = file.split("/")[1]
    if folder == "contract":
        folder = test.partition("[")[2].partition("-")[0]
    folder = SHARED.get(folder, folder)
    return folder if folder in ORDER else file
