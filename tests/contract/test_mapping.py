"""An index is a mapping: subscribing, replacing, unsubscribing, ids of both kinds."""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.contract.cases import Case, Id, check, table, unchanged
from watchword import SubscriptionError


class TestMapping:
    def test_starts_empty(self, case: Case) -> None:
        index = case.index()
        assert isinstance(index, MutableMapping)
        check(case, index, {}, case.events(5))
        assert list(index) == [] and "s0" not in index
        assert index.match_many([]).num_rows == 0

    def test_subscribe_replace_unsubscribe(self, case: Case) -> None:
        index, model, events = case.index(), {}, case.events(10)
        texts = case.texts(8)
        for key, text in zip("cabd", texts, strict=False):
            index[key] = model[key] = text
        check(case, index, model, events)
        index["a"] = model["a"] = texts[4]  # keeps its place
        check(case, index, model, events)
        del index["c"], model["c"]
        check(case, index, model, events)
        index["c"] = model["c"] = texts[5]  # goes to the end
        check(case, index, model, events)
        index["b"] = model["b"]  # replaced by itself
        check(case, index, model, events)
        assert "c" in index and "z" not in index and index["c"] == texts[5]
        assert list(index) == list(index.keys()) == ["a", "b", "d", "c"]

    def test_unknown_ids(self, case: Case) -> None:
        index = case.index(case.model())
        with unchanged(index, case.events(5)):
            for key in ("nobody", 7, None):
                assert key not in index
                assert index.get(key, "default") == "default"
                with pytest.raises(KeyError):
                    index[key]
                with pytest.raises(KeyError):
                    del index[key]
                with pytest.raises(KeyError):
                    index.pop(key)
                with pytest.raises(KeyError):
                    index.explain(case.events(1)[0], key)

    def test_mixed_in_methods(self, case: Case) -> None:
        model, events, text = case.model(), case.events(5), case.texts(13)[12]
        index = case.index(model)
        assert index == model and index != {} and list(index.values()) == list(model.values())
        assert index.pop("s3") == model.pop("s3") and index.pop("s3", None) is None
        assert index.setdefault("s4", text) == model["s4"]
        assert index.setdefault("new", text) == model.setdefault("new", text)
        check(case, index, model, events)
        key, value = index.popitem()
        assert model.pop(key) == value
        check(case, index, model, events)
        index.update(s0=text, other=text)
        model.update(s0=text, other=text)
        check(case, index, model, events)
        index.clear()
        check(case, index, {}, events)
        index.update(model)
        check(case, index, model, events)


class TestIds:
    @pytest.mark.parametrize(
        "ids", [["b", "", "é 東京", "b\0", "x" * 300], [3, -(2**63), 2**63 - 1, 0, -1]], ids=["str", "int"]
    )
    def test_both_kinds(self, case: Case, ids: list[Id], tmp_path: Path) -> None:
        model, events = dict(zip(ids, case.texts(len(ids)), strict=True)), case.events(8)
        index = case.index(model)
        check(case, index, model, events)
        kind = pa.string() if isinstance(ids[0], str) else pa.int64()
        assert index.match_many(events).schema.field("subscription").type == kind
        assert case.index(table(model)) == model
        index.save(tmp_path / "index")
        check(case, case.language.index.open(tmp_path / "index"), model, events)

    @pytest.mark.parametrize(
        ("good", "bad"),
        [
            ("s", [1, True, None, 1.5, b"s", ("s",), "\ud800"]),
            (1, ["s", True, False, None, 1.0, 2**63, -(2**63) - 1]),
        ],
        ids=["str", "int"],
    )
    def test_wrong_kinds_are_refused(self, case: Case, good: Id, bad: list[Any]) -> None:
        texts = case.texts(2)
        index = case.index({good: texts[0]})
        with unchanged(index, case.events(5)):
            for key in bad:
                with pytest.raises(SubscriptionError):
                    index[key] = texts[1]
                with pytest.raises(SubscriptionError):
                    index.update([(good, texts[1]), (key, texts[1])])
                with pytest.raises(SubscriptionError):
                    case.index([(good, texts[0]), (key, texts[1])])
