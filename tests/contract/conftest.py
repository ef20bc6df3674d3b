"""Hands every test of the contract its case."""

from __future__ import annotations

import pytest

from tests.contract.languages import CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        only = metafunc.config.getoption("--methods")
        chosen = [case for case in CASES if only is None or case.method in only.split(",")]
        groups = [pytest.mark.xdist_group(f"{case.language.name} {case.method}") for case in chosen]
        cases = [pytest.param(case, id=str(case), marks=group) for case, group in zip(chosen, groups, strict=True)]
        metafunc.parametrize("case", cases)
