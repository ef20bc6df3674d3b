"""What all tests share: options and layers."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.contract.cases", "tests.contract.machine")

# Kernels compile on first use, so no example is held to a deadline. A property-based method of the contract
# suite runs once per case, each time on a new instance of its class, which hypothesis would warn of.
settings.register_profile(
    "watchword", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors]
)
settings.load_profile("watchword")

HERE = Path(__file__).parent

ORDER = ("keywords", "predicates", "spark", "patterns", "paths", "properties")
"""Groups of tests that take long, in the order in which they begin; files that belong to none fill the end.

Spark comes third, when the kernels that it shares with the others are compiled."""

SHARED = {"sets": "keywords", "text": "keywords", "numbers": "keywords"}
"""Folders, or languages, whose kernels are those of a language."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--methods", metavar="NAMES", help="run the contract suite on these methods only, as in auto,trie")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs Spark, and say which tests stay in one process where there are several (`--dist loadgroup`)."""
    groups = {item: _group(item) for item in items}
    for item, group in groups.items():
        item.add_marker(pytest.mark.xdist_group(group))
        if group == "spark":
            item.add_marker("spark")
    items.sort(key=lambda item: ORDER.index(groups[item]) if groups[item] in ORDER else len(ORDER))


def pytest_collection_finish() -> None:
    """Let Python look for garbage less often, and not among what stays: compiling a kernel makes many objects."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _group(item: pytest.Item) -> str:
    """Return a language for its folder and its part of the contract, `spark`, or for all else the file.

    So a language's kernels are compiled by one process, and one process has a Spark session.
    """
    folder = item.path.relative_to(HERE).parts[0]
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    case = parameters.get("case") or parameters.get("method")
    if folder == "contract" and case:
        folder = case.language.name
    folder = SHARED.get(folder, folder)
    return folder if folder in ORDER else str(item.path.relative_to(HERE))
