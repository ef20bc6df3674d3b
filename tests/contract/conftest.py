"""Hands every test of the contract its case: each variant of each method, or, as `method`, the first of each."""

from __future__ import annotations

import pytest

from tests.contract.languages import CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    only = metafunc.config.getoption("--methods")
    chosen = [case for case in CASES if only is None or case.method in only.split(",")]
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", chosen, ids=str)
    if "method" in metafunc.fixturenames:
        firsts = {(case.language.name, case.method): case for case in reversed(chosen)}
        metafunc.parametrize("method", list(reversed(firsts.values())), ids=str)
