"""Hands every test of the contract its case: each variant of each method, or, as `method`, the first of each."""

from __future__ import annotations

import pytest

from tests.contract.cases import Case
from tests.contract.languages import CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    only = metafunc.config.getoption("--methods")
    chosen = [case for case in CASES if only is None or case.method in only.split(",")]
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", [_parameter(case) for case in chosen])
    if "method" in metafunc.fixturenames:
        firsts = {_group(case): case for case in reversed(chosen)}
        metafunc.parametrize("method", [_parameter(case) for case in reversed(firsts.values())])


def _parameter(case: Case) -> object:
    return pytest.param(case, id=str(case), marks=pytest.mark.xdist_group(_group(case)))


def _group(case: Case) -> str:
    return f"{case.language.name} {case.method}"
