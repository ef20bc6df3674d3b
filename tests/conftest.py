"""What all tests share: options, layers, and how tests are spread over processes."""

from __future__ import annotations

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--methods", metavar="NAMES", help="run the contract suite on these methods only, as in auto,trie")


@pytest.hookimpl(tryfirst=True)  # before groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs Spark, and keep together in one process what shares a session or the same kernels to compile.

    Spark comes first, for it takes longest; the contract brings its groups along, one for each method.
    """
    for item in items:
        folder = item.path.relative_to(HERE).parts[0] if HERE in item.path.parents else "elsewhere"
        if folder == "spark":
            item.add_marker("spark")
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(folder))
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)
