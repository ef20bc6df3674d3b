"""Queries of Lucene and Elasticsearch, and documents, over few words and values.

Fields are named after what they are: t and t2 texts, k keywords, n numbers, d dates, b booleans, o a list of objects.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.predicates.dialects.search_judge import Ask, Clause

WORDS = ("ferry", "ferries", "fery", "storm", "night", "boat", "sea", "of", "and", "or", "not", "42", "été", "x_y")
FIELDS = {
    "t": "text",
    "t2": "text",
    "k": "keyword",
    "n": "number",
    "d": {"type": "date", "format": "date"},
    "b": "boolean",
}
MAPPING: dict[str, Any] = {
    "properties": {
        **{name: {"type": given} if isinstance(given, str) else given for name, given in FIELDS.items()},
        "n": {"type": "double"},
        "o": {"type": "nested", "properties": {"k": {"type": "keyword"}, "n": {"type": "long"}, "t": {"type": "text"}}},
    }
}

word = st.sampled_from(WORDS)
some_words = st.lists(word, min_size=1, max_size=4)
letters = st.sampled_from(
    ("ferry", "Ferry", "storm", "night boat", "", "42", "it's", "50%", "a_b", "2026-01-01", "true")
)
number = st.sampled_from((0, 1, 2, 42, -1, 0.5, 1.5, 2**53 + 1))
day = st.sampled_from(("2026-01-01", "2026-01-02", "2026-01-03"))
moment = st.sampled_from(
    (
        "2026-01-01",
        "2026-01-01T00:00:00Z",
        "2026-01-01T23:59:59.999Z",
        "2026-01-02T12:00:00Z",
        "2026-01-03",
        "2025-12-31",
    )
)


def _some(one: st.SearchStrategy) -> st.SearchStrategy:
    """Return one value, several, or none."""
    return st.one_of(one, one, st.lists(one, max_size=3), st.none())


text = st.one_of(st.lists(word, max_size=4), st.lists(word, min_size=5, max_size=12)).map(" ".join)
element = st.fixed_dictionaries({}, optional={"k": letters, "n": st.integers(0, 3), "t": text})
document = st.fixed_dictionaries(
    {"t": _some(text)},
    optional={
        "t2": _some(text),
        "k": _some(st.one_of(letters, letters, number.filter(lambda one: isinstance(one, int)))),
        "n": _some(number),
        "d": _some(moment),
        "b": _some(st.booleans()),
        "o": st.lists(element, max_size=2),
        "_id": st.sampled_from(("1", "2")),
    },
)

# Lucene

lucene_word = st.sampled_from([one for one in WORDS if one.isascii()] + ["Ferry", "été"])
_asks = st.one_of(
    st.builds(Ask, st.just("word"), st.sampled_from(("", "", "t2")), lucene_word),
    st.builds(Ask, st.just("word"), st.sampled_from(("", "", "t2")), lucene_word),
    st.builds(
        Ask,
        st.just("phrase"),
        st.sampled_from(("", "t2")),
        st.tuples(st.lists(lucene_word, min_size=2, max_size=3), st.integers(0, 3)),
    ),
    st.builds(
        Ask, st.just("form"), st.sampled_from(("", "t2")), st.sampled_from(("ferr*", "f?rry", "*orm", "n*t", "Bo*"))
    ),
    st.builds(Ask, st.just("similar"), st.just(""), st.tuples(st.sampled_from(("ferry", "storm")), st.integers(1, 2))),
    st.builds(Ask, st.just("exists"), st.sampled_from(("n", "t2")), st.none()),
    st.builds(
        Ask,
        st.just("range"),
        st.just("n"),
        st.tuples(st.sampled_from((0, 1, "*")), st.sampled_from((1, 42, "*")), st.booleans(), st.booleans()),
    ),
)


@st.composite
def _clauses(draw: Any, asks: st.SearchStrategy) -> list[Clause]:
    found = draw(
        st.lists(
            st.tuples(st.sampled_from(("", "", "AND", "OR")), st.sampled_from(("", "", "+", "-", "NOT")), asks),
            min_size=1,
            max_size=4,
        )
    )
    return [Clause("" if not at else joined, sign, one) for at, (joined, sign, one) in enumerate(found)]


clauses = _clauses(
    st.one_of(_asks, _asks, st.builds(Ask, st.just("group"), st.sampled_from(("", "t2")), _clauses(_asks)))
)
simple_parts = st.lists(
    st.tuples(st.sampled_from(("+", "|")), st.booleans(), st.sampled_from(("ferry", "storm", "boat", "42"))),
    min_size=1,
    max_size=6,
)

# Elasticsearch

least = st.sampled_from((1, 2, 3, "2", "-1", "75%", "-25%", "50%", "2<75%", "1<-1 3<50%", "0%", 0))


def _of(field: Any, value: st.SearchStrategy) -> st.SearchStrategy:
    return st.tuples(field, value).map(lambda drawn: {drawn[0]: drawn[1]})


def _named(name: str, body: st.SearchStrategy) -> st.SearchStrategy:
    return body.map(lambda drawn: {name: drawn})


_texts = st.sampled_from(("t", "t2"))
_match_body = st.fixed_dictionaries(
    {"query": st.one_of(some_words.map(" ".join), st.just("!?"))},
    optional={
        "operator": st.sampled_from(("and", "or")),
        "fuzziness": st.sampled_from((0, "1")),
        "zero_terms_query": st.just("all"),
    },
)
_ranges = st.one_of(
    _of(st.just("n"), st.dictionaries(st.sampled_from(("gt", "lt")), number, max_size=2)),
    _of(st.just("n"), st.dictionaries(st.sampled_from(("gte", "lte")), number, max_size=2)),
    _of(st.just("d"), st.dictionaries(st.sampled_from(("gt", "lt")), day, max_size=2)),
    _of(st.just("d"), st.dictionaries(st.sampled_from(("gte", "lte")), day, max_size=2)),
)
leaf = st.one_of(
    _named("match", _of(_texts, _match_body)),
    _named(
        "match", _of(_texts, st.fixed_dictionaries({"query": some_words.map(" ".join), "minimum_should_match": least}))
    ),
    _named(
        "match_phrase",
        _of(_texts, st.fixed_dictionaries({"query": some_words.map(" ".join), "slop": st.integers(0, 3)})),
    ),
    _named(
        "match_phrase_prefix",
        _of(
            _texts,
            st.tuples(st.lists(word, max_size=2), st.sampled_from(("fer", "bo", "42"))).map(
                lambda drawn: " ".join([*drawn[0], drawn[1]])
            ),
        ),
    ),
    _named(
        "multi_match",
        st.fixed_dictionaries(
            {"query": some_words.map(" ".join), "fields": st.just(["t", "t2"])},
            optional={
                "type": st.sampled_from(("best_fields", "cross_fields")),
                "operator": st.sampled_from(("and", "or")),
            },
        ),
    ),
    _named(
        "term",
        st.one_of(
            _of(_texts, word),
            _of(st.just("k"), letters),
            _of(st.just("n"), number),
            _of(st.just("b"), st.booleans()),
            _of(st.just("d"), day),
        ),
    ),
    _named("term", _of(st.just("k"), st.fixed_dictionaries({"value": letters, "case_insensitive": st.just(True)}))),
    _named(
        "terms",
        st.one_of(
            _of(_texts, st.lists(word, max_size=3)),
            _of(st.just("k"), st.lists(letters, max_size=3)),
            _of(st.just("n"), st.lists(number, max_size=3)),
            _of(st.just("d"), st.lists(day, max_size=2)),
        ),
    ),
    _named(
        "terms_set",
        _of(
            st.sampled_from(("k", "k")),
            st.fixed_dictionaries({"terms": st.lists(letters, min_size=1, max_size=4), "minimum_should_match": least}),
        ),
    ),
    _named("exists", st.sampled_from(("t", "k", "n", "o")).map(lambda name: {"field": name})),
    _named(
        "prefix",
        st.one_of(
            _of(_texts, st.sampled_from(("ferr", "st"))),
            _of(st.just("k"), st.sampled_from(("Fe", "50%", "night ", "2026-"))),
        ),
    ),
    _named(
        "wildcard",
        st.one_of(
            _of(_texts, st.sampled_from(("f?rry", "*orm", "fer*s"))),
            _of(st.just("k"), st.sampled_from(("F*", "?0%", "*_*", "*t*t", "*", "42"))),
        ),
    ),
    _named("range", _ranges.filter(lambda drawn: next(iter(drawn.values())))),
    _named("ids", st.lists(st.sampled_from(("1", "3")), max_size=2).map(lambda drawn: {"values": drawn})),
    st.sampled_from(({"match_all": {}}, {"match_none": {}})),
)
_inner = st.one_of(
    _of(st.just("term"), _of(st.just("o.k"), letters)),
    _of(
        st.just("range"),
        _of(st.just("o.n"), st.dictionaries(st.sampled_from(("gte", "lt")), st.integers(0, 3), min_size=1)),
    ),
    _of(st.just("match"), _of(st.just("o.t"), some_words.map(" ".join))),
)


def _bool(part: st.SearchStrategy) -> st.SearchStrategy:
    several = st.one_of(st.lists(part, max_size=3), part)
    return _named(
        "bool",
        st.fixed_dictionaries(
            {},
            optional={
                "must": several,
                "filter": several,
                "should": st.lists(part, max_size=4),
                "must_not": several,
                "minimum_should_match": least,
            },
        ),
    )


nested = _bool(_inner).map(lambda drawn: {"nested": {"path": "o", "query": drawn}})
query = st.one_of(
    leaf,
    nested,
    _bool(st.one_of(leaf, leaf, nested, _bool(leaf))),
    _named("dis_max", st.lists(leaf, min_size=1, max_size=3).map(lambda drawn: {"queries": drawn})),
    _named("constant_score", leaf.map(lambda drawn: {"filter": drawn})),
)
