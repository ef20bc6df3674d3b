"""Hands every test of the contract its case: each variant of each method; as `method`, the first of each; as `reader`,
`auto` of each language whose events may be a column of strings, for what is the same code for all methods."""

from __future__ import annotations

import pytest

from tests.contract.languages import CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    only = metafunc.config.getoption("--methods")
    chosen = [case for case in CASES if only is None or case.method in only.split(",")]
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", chosen, ids=str)
    if "reader" in metafunc.fixturenames:
        readers = [case for case in chosen if case.method == "auto" and case.language.column is not None]
        metafunc.parametrize("reader", readers, ids=str)
    if "method" in metafunc.fixturenames:
        firsts = {(case.language.name, case.method): case for case in reversed(chosen)}
        metafunc.parametrize("method", list(reversed(firsts.values())), ids=str)
