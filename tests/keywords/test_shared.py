"""Events that were read once for several indexes match what they match as they are."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.spark.data import subscriptions, texts
from watchword import EventError, KeywordIndex

TEXTS = [text for text in texts(80) if text is not None]
TERMS = [text.split() for text in TEXTS]
PHRASES = {"p": '"greece crisis"', "q": '"sea bank" NOT imf', "r": "東京 OR ägäis"}

COLUMNS = {
    "strings": pa.array(TEXTS),
    "large strings": pa.array(TEXTS, pa.large_string()),
    "views": pa.array(TEXTS, pa.string_view()),
    "bytes": pa.array([text.encode() for text in TEXTS]),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "a part": pa.array(["imf", *TEXTS, "imf"])[1:-1],
    "lists": pa.array(TERMS),
    "large lists": pa.array(TERMS, pa.large_list(pa.large_string())),
    "a part of lists": pa.array([["imf"], *TERMS, ["imf"]])[1:-1],
    "several texts": pa.array([{"title": text, "body": text} for text in TEXTS]),
    "none": pa.array([], pa.string()),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("options", [{}, {"stemmer": "english"}, {"method": "count"}], ids=["auto", "stems", "count"])
def test_the_same_pairs(column: pa.Array, options: dict[str, str]) -> None:
    index = KeywordIndex(subscriptions(40) | PHRASES, **options)
    wanted = index.match_many(column, ordered=True)
    assert index.match_many(index.shared(column), ordered=True).equals(wanted)
    assert wanted.num_rows or not len(column)


def test_texts_are_cut_once() -> None:
    shared = KeywordIndex().shared(pa.array(["Greece, in crisis", "", "crisis? What crisis"]))
    assert shared.to_pylist() == [["greece", "in", "crisis"], [], ["crisis", "what", "crisis"]]
    assert len(shared.values.dictionary) == 4


@pytest.mark.parametrize(
    ("column", "place"),
    [
        (pa.array([b"sea", b"\xff"]), 1),
        (pa.array([["sea"], ["sea", None]]), 1),
        (pa.array([1, 2]), 0),
    ],
    ids=["not UTF-8", "a null term", "numbers"],
)
def test_what_cannot_be_read_is_refused_at_its_place(column: pa.Array, place: int) -> None:
    index = KeywordIndex({"s": "sea"})
    with pytest.raises(EventError) as caught:
        index.match_many(index.shared(column))
    assert caught.value.position == place
