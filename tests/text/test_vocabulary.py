"""A vocabulary finds the strings that it has, and no others, whatever they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from watchword import PredicateIndex
from watchword.strings import from_texts
from watchword.text.vocabulary import Vocabulary

texts = st.text(max_size=20) | st.sampled_from(
    ["", "\0", "\0\0", "a", "seven77", "eight888", "sixteen_16sixtee", "x" * 17]
)


@given(st.lists(texts, unique=True, max_size=40), st.lists(texts, max_size=20))
def test_strings_are_found_by_all_their_bytes(known: list[str], asked: list[str]) -> None:
    made, again = Vocabulary(), Vocabulary()
    assert made.intern_texts(known).tolist() == list(range(len(known)))
    again.restore(made.arrays())
    every = [*known, *asked, *map(chr, range(32, 96))]
    for one in (made, again):
        assert one.find(from_texts(every)).tolist() == [known.index(text) if text in known else -1 for text in every]


def test_the_empty_text_is_not_found_in_place_of_others(tmp_path: object) -> None:
    """Its key is that of an empty bucket: texts whose search passed it were taken for it, in opened indexes."""
    index = PredicateIndex({"": "a = ''"} | {f"x{n}": f"a = 'x{n}'" for n in range(400)})
    index.save(f"{tmp_path}/saved")
    opened = PredicateIndex.open(f"{tmp_path}/saved")
    for text in ["", "x7", *(chr(code) for code in range(33, 2000))]:
        expected = [] if text not in ("", "x7") else [text]
        assert opened.match({"a": text}) == expected
    events = [{"a": chr(code)} for code in range(33, 2000)]
    assert opened.match_many(events).num_rows == index.match_many(events).num_rows == 0
