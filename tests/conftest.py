"""What all tests share."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.contract.suite", "tests.contract.machine")

# Kernels compile on first use, so no example is held to a deadline. A property-based method of the contract
# suite runs once per case, each time on a new instance of its class, which hypothesis would warn of.
settings.register_profile(
    "watchword", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors]
)
settings.load_profile("watchword")
