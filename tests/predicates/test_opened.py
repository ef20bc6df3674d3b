"""An opened predicate index changes like any other, before it has matched anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from watchword import Index, PredicateIndex, methods


@pytest.mark.parametrize("method", methods("predicates"))
def test_the_first_thing_is_a_change(tmp_path: Path, method: str) -> None:
    rules = {f"s{n}": f"a = {n % 5} AND b > {n}" for n in range(50)}
    PredicateIndex(rules, method=method).save(tmp_path / "one")
    index = Index.open(tmp_path / "one")
    del index["s3"]
    index["s50"] = "a = 3 AND c EXISTS"
    index.save(tmp_path / "two")
    for opened in (index, Index.open(tmp_path / "two")):
        wanted = [f"s{n}" for n in range(50) if n % 5 == 3 and n != 3] + ["s50"]
        assert opened.match({"a": 3, "b": 100, "c": 0}) == wanted
