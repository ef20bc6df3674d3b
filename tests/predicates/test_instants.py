"""Instants of whole columns, against those of single texts."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from tests.contract.cases import found
from watchword import PredicateIndex
from watchword.kernels.predicates.instants import find_instants
from watchword.predicates.constants import split_number
from watchword.predicates.events.placing import _split
from watchword.predicates.values import instant_of_text
from watchword.strings import from_texts

WRITTEN = [
    "1970-01-01", "1970-01-02", "1969-12-31", "2024-02-29", "2023-02-29", "2000-02-29", "1900-02-29", "2024-13-01",
    "2024-00-10", "2024-01-00", "2024-04-31", "2024-01-01T10:20", "2024-01-01 10:20:30", "2024-01-01T10:20:30Z",
    "2024-01-01T24:00", "2024-01-01T10:60", "2024-01-01T10:20:60", "2024-01-01T10:20:30.5", "2024-01-01T10:20:30.",
    "2024-01-01T10:20:30.123456789987Z", "2024-01-01T10:20+01:30", "2024-01-01T10:20:30.25-23:59", "2024-01-01Z",
    "2024-01-01T10:20+24:00", "2024-01-01T10:20+01:60", "2024-01-01T10:20+0130", "2024-01-01T10", "2024-01-01T",
    "2024-01-01T10:2", "2024-01-01T10:20:3", "2024-01-01T10:20ZZ", "2024-01-01T10:20:30 Z", "", "x", "2024-1-01",
    "20240101", "+024-01-01", "2024-01-0a", "2024-01-01t10:20", "٢٠٢٤-٠١-٠١", "2024-01-01T1٠:20", "2024-01-01\n",
    "1678-01-01", "2261-12-31T23:59:59.999999999",
]  # fmt: skip


def kernel(texts: list[str]) -> list[int | None]:
    strings = from_texts(texts)
    instants, known = np.empty(len(texts), np.int64), np.empty(len(texts), np.bool_)
    find_instants(strings.data, strings.offsets, instants, known)
    return [int(one) if sure else None for one, sure in zip(instants, known, strict=True)]


def test_instants_are_those_of_single_texts() -> None:
    assert kernel(WRITTEN) == [instant_of_text(text) for text in WRITTEN]


def test_texts_with_a_sign_changed() -> None:
    one = random.Random(7)
    texts = []
    for _ in range(4000):
        text = list(one.choice(WRITTEN[:30]) or "x")
        text[one.randrange(len(text))] = one.choice("0123456789-:.+ TZx")
        texts.append("".join(text)[: one.choice([99, 99, 10, 16, 19])])
    expected = [instant_of_text(text) for text in texts]
    assert sum(one is not None for one in expected) > 400
    pairs = zip(texts, kernel(texts), expected, strict=True)
    assert [pair for pair in pairs if pair[1] != pair[2] and "1678" <= pair[0][:4] <= "2261"] == []
    assert all(one is None for one, text in zip(kernel(texts), texts, strict=True) if not "1678" <= text[:4] <= "2261")


@pytest.mark.parametrize("other", [None, "x", "0001-01-01", "9999-12-31T00:00"])
def test_columns_of_instants(other: str | None) -> None:
    """Texts that the kernel leaves alone are read as single ones are, and those beside them too."""
    days = [
        f"20{year}-0{month}-1{day}T0{day}:00:00.000000001Z" for year in (10, 24) for month in (1, 7) for day in (0, 9)
    ]
    days += [] if other is None else [other]
    rules = {
        0: "day >= '2024-01-10'",
        1: "day < '2020-01-01'",
        2: "day = '2024-07-19T09:00:00.000000001'",
    }
    index = PredicateIndex(rules)
    events = pa.table({"day": days})
    one_by_one = [index.match({"day": day}) for day in days]
    assert found(index.match_many(events), len(days)) == one_by_one
    assert {2} <= set().union(*one_by_one)


def test_numbers_beyond_doubles() -> None:
    values = [
        0,
        2**53,
        2**53 + 1,
        -(2**53) - 1,
        2**62 + 1,
        2**63 - 1,
        2**63 - 512,
        2**63 - 513,
        -(2**63),
        1_700_000_000_123_456_789,
    ]
    for array in (np.array(values, np.int64), np.array([2**64 - 1, 2**63, 2**63 + 1, 2**53 + 1], np.uint64)):
        near, rest = _split(array)
        assert list(zip(near.tolist(), rest.tolist(), strict=True)) == [split_number(int(value)) for value in array]
