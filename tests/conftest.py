"""What all tests share: options and layers."""

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs Spark."""
    for item in items:
        if HERE / "spark" in item.path.parents:
            item.add_marker("spark")
