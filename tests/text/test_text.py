"""The compiled analyser gives exactly the terms of a plain-Python one, whatever the text."""

from __future__ import annotations

import random
import sys
import unicodedata
from functools import partial
from itertools import chain, pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from watchword import EventError, OptionError
from watchword.kernels.text.scan import GROWTH
from watchword.kernels.text.scan import POINTS as POINTS_PER_BYTE
from watchword.keywords.reader import Reader
from watchword.text.analyzer import Analyzer
from watchword.text.folding import Folding
from watchword.text.vocabulary import Vocabulary

POINTS = [chr(point) for point in range(sys.maxunicode + 1)]
STOP_WORDS = ("the", "of", "é", "straße".casefold())
STEMMERS = ("english", "porter", "german", "greek", "russian", "arabic")

anything = st.text(st.characters(exclude_categories=()))
TRICKY = "aBcéÉßẞΣσςİıﬁŉǰ_0٣½Ⅷ\u0301\u0308東京עבﷺ🙂👩\u200d-' .,\t\n\0\ud800\udfff"
wordy = st.text(st.sampled_from(TRICKY), max_size=30)
marked = st.text(
    st.sampled_from("aeoΙかハ가ᄀ ᅡᆨक\u0301\u0302\u0323\u0327\u0345\u3099\u309a\u093c\u094d\u200d\ufe0f\u0338=-"),
    max_size=20,
)
english = st.lists(
    st.sampled_from(["The", "cats", "running", "OF", "generously", "straße", "É", "dogs'", "skies", "s"]),
    max_size=8,
).map(" ".join)

SPECIMENS = {
    "empty": "",
    "no words": " ... —!? \n",
    "emoji": "flags 🇬🇷🇬🇧, family 👩‍👩‍👧‍👦 and ✌🏽 at 9️⃣ o'clock",
    "combining marks": "e\u0301 = é? n\u0303o, \u0301lone, z\u0338\u0324x, हिन्दी, வணக்கம்",
    "CJK": "東京は日本の首都です。大韓民國 서울",
    "right to left": "שָׁלוֹם עולם! السلام عليكم، ﷺ ۱۲۳",
    "expansions": "ß ẞ ﬁ ﬃ ŉ ǰ İ ı ΐ և ﬗ ᾳ STRASSE ΌΣΟΣ",
    "numbers": "½ Ⅷ ² 3.14 ٣٤ 𝟘𝟙 x² ①",
    "underscores": "_ __init__ snake_case ‿not‿this﹏",
    "joiners": "soft\u00adhyphen zero\u200bwidth non\u200cjoiner joi\u200dner no\u00a0break \ufeffbom",
    "beyond the basic plane": "𐐀𐐁 𝔘𝔫𝔦 𠀀𠀁 𞤀",
    "controls": "a\0b\x1cc\x7fd\x85e\u2028f",
    "surrogates": "a\ud800b \udfff \ud83d \udc4d c\udc80",
    "one long word": "x" * 100_000,
    "long and wide": "é東🙂" * 20_000,
}


FOLDINGS = {
    "default": {},
    "accents": {"fold_accents": True},
    "bigrams": {"cjk": "bigrams"},
    "both": {"fold_accents": True, "cjk": "bigrams"},
}


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer()


@pytest.fixture(params=FOLDINGS.values(), ids=FOLDINGS.keys())
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The options that decide how text is folded."""
    return request.param


def compare(analyzer: Analyzer, texts: list[str], **analysis: object) -> None:
    """Hold both ways of the analyser, and both kinds of input of the compiled one, against the oracle."""
    expected = [oracle.terms(text, **analysis) for text in texts]
    assert [analyzer.terms(text) for text in texts] == expected
    answer = analyzer.terms_many(texts)
    assert pa.types.is_list(answer.type) or pa.types.is_large_list(answer.type)
    assert answer.to_pylist() == expected
    storable = [at for at, text in enumerate(texts) if _is_unicode(text)]
    array = pa.array([texts[at] for at in storable], pa.string())
    assert analyzer.terms_many(array).to_pylist() == [expected[at] for at in storable]
    if not analysis.keys() & {"stop_words", "stemmer"}:
        compare_numbers(analyzer, texts, expected)


def compare_numbers(analyzer: Analyzer, texts: list[str], expected: list[list[str]]) -> None:
    """Hold the numbers that events are read into against terms, of which every second one is known."""
    numbers = {term: number for number, term in enumerate(dict.fromkeys(chain(*expected, ["between"])))}
    vocabulary = Vocabulary()
    vocabulary.intern_texts([term for term, number in numbers.items() if number % 2 == 0])
    rows = Reader(analyzer, vocabulary, None).read(texts, 0)
    found = [rows.atoms[first:last].tolist() for first, last in pairwise(rows.offsets.tolist())]
    assert found == [[-1 if numbers[term] % 2 else numbers[term] // 2 for term in terms] for terms in expected]


def _is_unicode(text: str) -> bool:
    return text == text.encode(errors="ignore").decode()


@pytest.mark.slow
@settings(max_examples=200)
@given(
    texts=st.lists(st.one_of(anything, wordy, wordy, marked), max_size=6),
    options=st.sampled_from(list(FOLDINGS.values())),
)
def test_any_text(texts: list[str], options: dict[str, Any]) -> None:
    compare(Analyzer(folding=Folding(**options)), texts, **options)


@settings(max_examples=80)
@given(
    texts=st.lists(st.one_of(english, wordy), max_size=5),
    stemmer=st.sampled_from([None, *STEMMERS]),
    options=st.sampled_from(list(FOLDINGS.values())),
)
def test_stop_words_and_stemming(texts: list[str], stemmer: str | None, options: dict[str, Any]) -> None:
    stop_words = tuple(term for word in STOP_WORDS for term in oracle.terms(word, **options))
    analyzer = Analyzer(STOP_WORDS, stemmer, Folding(**options))
    compare(analyzer, texts, stop_words=stop_words, stemmer=stemmer, **options)


@pytest.mark.parametrize("text", SPECIMENS.values(), ids=SPECIMENS.keys())
def test_specimens(options: dict[str, Any], text: str) -> None:
    analyzer = Analyzer(folding=Folding(**options))
    compare(analyzer, [text], **options)
    compare(analyzer, [text, "", text, "between"], **options)


PATTERNS = {"alone": "{} ", "inside": "a{}B ", "marked": "{}\u0301 ", "marks": "o\u0302{}\u0323 ", "run": "{}"}
PLANES = [POINTS[:0x40000], POINTS[0xDFF00:0xE1100], POINTS[-0x200:]]
"""All code points, but for planes that hold nothing or are for private use."""
VARIED = [POINTS[:0x20200], POINTS[0x2F700:0x30100], POINTS[0x3FF00:0x40000], *PLANES[1:]]
"""The same without ideographs that differ in their numbers only, for what is seen in the company of others."""


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS.keys())
def test_every_code_point(analyzer: Analyzer, pattern: str) -> None:
    compare(analyzer, every_code_point(pattern, PLANES if pattern == PATTERNS["alone"] else VARIED))


@pytest.mark.slow
def test_every_code_point_under_the_options() -> None:
    options = FOLDINGS["both"]
    compare(Analyzer(folding=Folding(**options)), every_code_point("日o\u0302{}\u0323本 ", VARIED), **options)


def every_code_point(pattern: str, planes: list[list[str]]) -> list[str]:
    pieces = [pattern.format(point) for plane in planes for point in plane]
    return ["".join(pieces[start : start + 4096]) for start in range(0, len(pieces), 4096)]


@pytest.mark.slow
def test_every_pair_that_unites(options: dict[str, Any]) -> None:
    """What a character is made of, in order and out of order, makes it again."""
    made = [point for point in POINTS if unicodedata.normalize("NFD", point) != point]
    apart = [unicodedata.normalize("NFD", point) for point in made]
    texts = [
        " ".join(
            [
                *made,
                *apart,
                *(f"{point}\u0323\u3099x" for point in apart),
                *(point[0] + point[:0:-1] for point in apart),
            ]
        )
    ]
    compare(Analyzer(folding=Folding(**options)), texts, **options)


@pytest.mark.slow
def test_a_byte_of_text_never_becomes_more_than_the_kernels_have_room_for() -> None:
    for point in PLANES[0]:
        if oracle.terms(point) != [point]:
            size, folded = len(point.encode(errors="surrogatepass")), oracle.terms(f"a{point}a")
            assert sum(len(term.encode()) for term in folded) - 2 <= GROWTH // 2 * size
            assert len(folded) <= 1 + 3 * size // 2
            assert len("".join(unicodedata.normalize("NFD", term) for term in folded)) - 2 <= POINTS_PER_BYTE * size


def test_code_points_in_any_company(options: dict[str, Any]) -> None:
    """Whatever is decided for a piece of text at a time must not leak into the next."""
    analyzer = Analyzer(folding=Folding(**options))
    random_ = random.Random(7)
    lengths = [*range(70), 255, 256, 257, 1000]
    latin = [chr(point) for point in range(0x370)]
    marks = [*(point for point in POINTS if unicodedata.combining(point)), *"aeo東か"]
    quotes = [chr(point) for point in range(0x2000, 0x2080)]
    for alphabet in (POINTS, latin, "ab Z.é", marks, quotes, [*quotes, *"abcdefgé\u0301\u0323\U0001f468東"]):
        compare(analyzer, ["".join(random_.choices(alphabet, k=length)) for length in lengths], **options)


@pytest.mark.slow
def test_a_hostile_number_of_marks_out_of_order_takes_no_quadratic_time(analyzer: Analyzer) -> None:
    text = "a" + "\u0301\u0323" * 300_000
    expected = "\u1ea1" + "\u0323" * 299_999 + "\u0301" * 300_000
    assert analyzer.terms(text) == [expected]
    assert analyzer.terms_many([text]).to_pylist() == [[expected]]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()], ids=str)
def test_arrow_layouts(analyzer: Analyzer, kind: pa.DataType) -> None:
    texts = ["Straße A", "", "ΣΊΣΥΦΟΣ", "x" * 50, "東京 b", "c"]
    array = pa.array(texts, pa.string()).cast(kind)
    expected = [oracle.terms(text) for text in texts]
    assert analyzer.terms_many(array).to_pylist() == expected
    assert analyzer.terms_many(array[2:5]).to_pylist() == expected[2:5]
    assert analyzer.terms_many(array[:0]).to_pylist() == []


def binary(*rows: bytes, kind: pa.DataType) -> pa.Array:
    """Build an Arrow array from its buffers: as a text array it is not checked by anyone."""
    raw = pa.array(rows, pa.large_binary() if pa.types.is_large_string(kind) else pa.binary())
    return pa.Array.from_buffers(kind, len(rows), raw.buffers())


INVALID = {
    "no such byte": b"\xff",
    "Latin-1": b"caf\xe9 au lait",
    "lone continuation": b"a\x80",
    "cut short": b"euro \xe2\x82",
    "cut short by a letter": b"\xe2\x82a",
    "overlong": b"\xc0\xaf",
    "overlong of three": b"\xe0\x80\xaf",
    "overlong of four": b"\xf0\x80\x80\xaf",
    "surrogate": b"\xed\xa0\x80",
    "past the last code point": b"\xf4\x90\x80\x80",
    "five bytes": b"\xf8\x88\x80\x80\x80",
    "a quotation mark cut short": b"it\xe2\x80",
    "cut short by a quotation mark": "it\N{RIGHT SINGLE QUOTATION MARK}s".encode().replace(b"t", b"\xc3"),
    "more than a quotation mark": "it\N{RIGHT SINGLE QUOTATION MARK}".encode() + b"\x80s",
}


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()], ids=str)
@pytest.mark.parametrize("bad", INVALID.values(), ids=INVALID.keys())
def test_invalid_utf8(analyzer: Analyzer, kind: pa.DataType, bad: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        bad.decode("utf-8")
    for rows, position in (((bad,), 0), ((b"fine", "é".encode(), bad, b"fine"), 2)):
        with pytest.raises(EventError) as refusal:
            analyzer.terms_many(binary(*rows, kind=kind))
        assert refusal.value.position == position
    array = binary(bad, b"Fine", b"too", bad, kind=kind)
    assert analyzer.terms_many(array[1:3]).to_pylist() == [["fine"], ["too"]]


@pytest.mark.parametrize("character", ["€", "\N{RIGHT SINGLE QUOTATION MARK}"])
def test_a_character_cut_by_the_end_of_its_row(analyzer: Analyzer, character: str) -> None:
    """The buffer as a whole is valid UTF-8; the rows are not."""
    whole = character.encode()
    for read in (analyzer.terms_many, partial(Reader(analyzer, Vocabulary(), None).read, position=0)):
        with pytest.raises(EventError) as refusal:
            read(binary(b"ok", whole[:2], whole[2:], kind=pa.string()))
        assert refusal.value.position == 1


@pytest.mark.parametrize("texts", [["a", None], pa.array(["a", None])], ids=["list", "array"])
def test_no_text(analyzer: Analyzer, texts: object) -> None:
    with pytest.raises(EventError) as refusal:
        analyzer.terms_many(texts)
    assert refusal.value.position == 1


def test_unknown_stemmer() -> None:
    with pytest.raises(OptionError):
        Analyzer(stemmer="klingon")
