"""Loading many subscriptions on top of many: every origin of an id, all of them or none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from watchword import KeywordIndex, SubscriptionError, strings

WORDS = ["ant", "bee", "cat", "dog", "eel"]


def text(number: int) -> str:
    return f"{WORDS[number % 5]} {WORDS[number // 5 % 5]}" + (" NOT eel" if number % 7 == 0 else "")


def check(index: KeywordIndex, model: dict[int | str, str]) -> None:
    assert list(index.items()) == list(model.items())
    expected = KeywordIndex(model, method="brute")
    for event in ("ant bee", "cat dog eel", "ant bee cat dog eel", "ant"):
        assert index.match(event) == expected.match(event)
    assert index.stats().clauses == expected.stats().clauses
    assert index.stats().atoms == expected.stats().atoms


@pytest.mark.slow
@pytest.mark.parametrize("name", [int, "id-{}".format])
def test_ids_of_every_origin(name: Callable[[int], int | str]) -> None:
    model: dict[int | str, str] = {name(n): text(n) for n in range(25_000)}
    index = KeywordIndex(model)
    for number in range(0, 600, 3):
        del index[name(number)], model[name(number)]
    for number in range(25_000, 25_400):
        index[name(number)] = model[name(number)] = text(number)
    for number in range(25_000, 25_010):
        del index[name(number)], model[name(number)]
    # of the base, gone from it, of the tail, gone from that, new
    chosen = [*range(100), *range(24_900, 25_500), *range(30_000, 52_000)]
    load: dict[int | str, str] = {name(n): text(n + 1) for n in reversed(chosen)}
    ids = pa.array(load.keys())
    index.update(pa.table({"id": ids, "subscription": pa.array(load.values())}))
    model.update(load)
    check(index, model)


def test_a_bad_row_among_new_and_known_ones_is_named_and_changes_nothing() -> None:
    model: dict[int | str, str] = {n: text(n) for n in range(100)}
    index = KeywordIndex(model)
    for bad in (3, 150):  # a known id, a new one
        texts = [text(n) for n in range(200)]
        texts[bad] = "cat AND ("
        with pytest.raises(SubscriptionError) as refusal:
            index.update(pa.table({"id": np.arange(200), "subscription": texts}))
        assert refusal.value.row == bad
        check(index, model)


def test_a_load_into_an_index_from_which_everything_went() -> None:
    index = KeywordIndex({n: text(n) for n in range(50)})
    for number in range(50):
        del index[number]
    index.update({f"s{n}": text(n) for n in range(50)})
    check(index, {f"s{n}": text(n) for n in range(50)})


def test_texts_as_dictionary_and_in_chunks() -> None:
    texts = pa.chunked_array([pa.array([text(n) for n in range(10)]), pa.array([text(n) for n in range(10, 30)])])
    table = pa.table({"id": pa.array(range(30), pa.uint8()), "subscription": texts.dictionary_encode()})
    check(KeywordIndex(table), {n: text(n) for n in range(30)})


def test_a_column_that_outgrows_short_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow's plain strings reach 2 GiB in one piece; what came in several pieces may have more."""
    pieces = [[f"ant {number}" for number in range(start, start + 50)] for start in (0, 50)]
    texts = pa.chunked_array(pieces, pa.string())
    monkeypatch.setattr(strings, "_SHORT_OFFSETS", 800)
    assert texts.chunk(0).nbytes < 800 < texts.nbytes
    assert strings.one_chunk(texts).type == pa.large_string()
    table = pa.table({"id": np.arange(100), "subscription": texts})
    assert KeywordIndex(table)[77] == "ant 77"
