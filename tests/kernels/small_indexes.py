"""A small index of each language, its answers, and the kernels that were compiled for them, as JSON.

python small_indexes.py keywords paths
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pyarrow as pa

from watchword import KeywordIndex, PathIndex, PatternIndex, PredicateIndex, PropertyIndex

CASES: dict[str, tuple[Any, dict[str, str], list[Any]]] = {
    "keywords": (
        KeywordIndex,
        {"s1": "greece AND crisis", "s2": "greece NOT imf", "s3": '"debt crisis" OR bailout'},
        ["Greece in crisis", "the IMF and Greece: a debt crisis", "bailout", ""],
    ),
    "patterns": (PatternIndex, {"s1": "song?blue", "s2": "pie*tea"}, ["song-blue", "apple pie and tea", "tea"]),
    "paths": (
        PathIndex,
        {"s1": "/nitf/head//title", "s2": "//a/*/b"},
        [b"<nitf><head><x><title/></x></head></nitf>", b"<a><c><b/></c></a>", b"<a><b/></a>"],
    ),
    "predicates": (
        PredicateIndex,
        {"s1": "name = 'RBS' AND value > 20", "s2": "value < 5 OR name = 'x'"},
        [{"name": "RBS", "value": 21}, {"name": "x"}, {"value": 3}, {"value": 30}],
    ),
    "properties": (
        PropertyIndex,
        {"s1": "sports=1 politics=0", "s2": "politics=1"},
        [{"sports"}, {"sports", "politics"}, set()],
    ),
}


def answers(language: str) -> list[Any]:
    """Return what an index answers to single events, to a batch, and after changes."""
    make, subscriptions, events = CASES[language]
    options = {"properties": ["sports", "politics"]} if language == "properties" else {}
    index = make(subscriptions, **options)
    single = [index.match(event) for event in events]
    table: pa.Table = index.match_many(events)
    batch = sorted(zip(table["event"].to_pylist(), table["subscription"].to_pylist(), strict=True))
    del index["s1"]
    index["s9"] = subscriptions["s2"]
    return [single, batch, [index.match(event) for event in events]]


if __name__ == "__main__":
    found = {language: answers(language) for language in sys.argv[1:]}
    from watchword.kernels import jit

    print(json.dumps({"answers": found, "compiled": jit.first_use.compiled}))
