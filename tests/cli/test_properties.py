"""The command line with properties: bit strings, lists of names, a column for each property."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.test_cli import done, fails, pairs_of, save

NAMES = ["sports", "politics", "arts"]
RULES = {"s1": "sports=1 politics=0", "s2": "*1*", "s3": "arts=0"}
BITS = ["100", "110", "011", "000"]
PAIRS = {(1, "s1"), (1, "s3"), (2, "s2"), (2, "s3"), (3, "s2"), (4, "s3")}
SETS = [[name for name, bit in zip(NAMES, bits, strict=True) if bit == "1"] for bits in BITS]
COLUMNS = {name: [int(bits[place]) for bits in BITS] for place, name in enumerate(NAMES)}


@pytest.fixture
def flags(tmp_path: Path) -> list[object]:
    return ["--language", "properties", "--properties", save(tmp_path / "names.txt", {"": NAMES})]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return save(tmp_path / "rules.csv", {"id": [*RULES], "subscription": [*RULES.values()]})


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.jsonl"])
def test_a_column_for_each_property(tmp_path: Path, rules: Path, flags: list[object], name: str) -> None:
    path = save(tmp_path / name, {"key": ["a", "b", "c", "d"], **COLUMNS})
    assert pairs_of(done("match", rules, path, *flags, "--format", "jsonl")) == PAIRS
    found = done("match", rules, path, *flags, "--format", "jsonl", "--event-id", "key", "--batch", 3)
    assert pairs_of(found) == {("abcd"[place - 1], id) for place, id in PAIRS}


def test_bit_strings_and_lists_of_names(tmp_path: Path, rules: Path, flags: list[object]) -> None:
    lines = save(tmp_path / "e.txt", {"": BITS})
    assert pairs_of(done("match", rules, lines, *flags, "--format", "jsonl")) == PAIRS
    for name in ("t.csv", "t.parquet", "t.jsonl"):
        path = save(tmp_path / name, {"n": [1, 2, 3, 4], "bits": BITS})
        assert pairs_of(done("match", rules, path, *flags, "--text", "bits", "--format", "jsonl")) == PAIRS
    pq.write_table(pa.table({"names": pa.array(SETS, pa.list_(pa.string()))}), tmp_path / "l.parquet")
    for path in (tmp_path / "l.parquet", save(tmp_path / "l.jsonl", {"names": SETS})):
        assert pairs_of(done("match", rules, path, *flags, "--text", "names", "--format", "jsonl")) == PAIRS


def test_a_line_of_json_may_leave_properties_out(tmp_path: Path, rules: Path, flags: list[object]) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text("".join(json.dumps(dict.fromkeys(names, True)) + "\n" for names in SETS), encoding="utf-8")
    assert pairs_of(done("match", rules, path, *flags, "--format", "jsonl")) == PAIRS
    shown = done("match", rules, path, *flags, "--format", "jsonl", "--explain").stdout.splitlines()
    assert len(shown) == len(PAIRS) and all(json.loads(row)["why"].startswith("match: ") for row in shown)


def test_snapshots_homes_and_mistakes(tmp_path: Path, rules: Path, flags: list[object]) -> None:
    lines = save(tmp_path / "e.txt", {"": BITS})
    done("index", "build", rules, tmp_path / "built", *flags)
    assert pairs_of(done("match", tmp_path / "built", lines, "--format", "jsonl")) == PAIRS
    for event in ("110", '["sports", "politics"]', '{"sports": 1, "politics": 1}'):
        assert "forbidden politics=1" in done("explain", tmp_path / "built", event, "s1").stdout
    fails("explain", tmp_path / "built", "[" * 100_000, "s1", says=["the event is no JSON: nested too deeply"])
    fails("match", rules, lines, "--language", "properties", says=["properties is missing"])
    bad = save(tmp_path / "bad.txt", {"": ["110", "12"]})
    fails("match", rules, bad, *flags, says=[bad, "line 2", "'2' at 1"])
    few = save(tmp_path / "few.csv", {"sports": [1], "politics": [0]})
    fails("match", rules, few, *flags, says=[few, "no column for the property 'arts'"])
    home = ["--home", tmp_path / "home"]
    assert "3 properties" in done("init", *home, *flags).stderr
    done("subscribe", "ada", "sports=1", "--language", "properties", *home)
    fails("subscribe", "ada", "chess=1", "--language", "properties", *home, says=["chess"])
