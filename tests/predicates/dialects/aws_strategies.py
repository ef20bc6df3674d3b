"""Event patterns and events over few names and values. Letters are ASCII, for beyond it the two fold case differently.

Fields with values and fields with objects have different names; so have those inside $or. `patterns` and `events`
go together: no lists. `list_patterns` have only what is one predicate, `list_events` have lists.
"""

from __future__ import annotations

from hypothesis import strategies as st

TEXTS = (
    "",
    "a",
    "ab",
    "aba",
    "abab",
    "A",
    "aB",
    "it's",
    "*",
    "a_!",
    "ab%",
    "%x_",
    "a\\b",
    "5",
    "2024-01-01",
    "2024-01-01T00:00:00Z",
)
CASED = ("2024-01-01t00:00:00z", "2024-01-01T00:00:00Z!", "2024-01-01T00:00:00+00:00", "10.0.0.1", "10.1.0.1", "::1")
NUMBERS = (0, 1, 5, -1, 0.5, 5.0, 2**53, 2**53 + 1, 10**20)
ADDRESSES = ("10.0.0.0/8", "10.0.0.1/32", "::/0")
WILDCARDS = (
    "*",
    "a*",
    "*a",
    "*ab",
    "a*b",
    "ab*ab",
    "aba*ba",
    "a*a",
    "a",
    r"\*",
    r"a\\*",
    "*b*",
    "a*b*a*b",
    "*ab*ab*",
    "a*b%",
    "%*_*",
    "a_*!",
    "2024-01-01*00:00Z",
    "2024-01-01T00:00:00Z",
)
FIELDS = ("a", "b", "c-c")
CHOSEN = ("in", "x.y")
OBJECTS = ("o", "o p")

text = st.sampled_from(TEXTS)
number = st.sampled_from(NUMBERS)
value = st.one_of(text, text, st.sampled_from(CASED), number, st.booleans())
some_text = text.filter(bool)


def _of(name: str, operand: st.SearchStrategy) -> st.SearchStrategy:
    return operand.map(lambda drawn: {name: drawn})


def _one_or_more(drawn: st.SearchStrategy) -> st.SearchStrategy:
    return st.one_of(drawn, st.lists(drawn, min_size=1, max_size=3))


ranges = st.tuples(st.sampled_from([">", ">="]), number, st.sampled_from(["<", "<="]), number)
ignored = _of("equals-ignore-case", text)
single = st.one_of(
    value,
    value,
    _of("prefix", text),
    _of("suffix", text),
    _of("prefix", ignored),
    _of("suffix", ignored),
    ignored,
    _of("numeric", st.tuples(st.sampled_from(["=", "<", "<=", ">", ">="]), number).map(list)),
    _of("numeric", ranges.filter(lambda range: range[1] < range[3]).map(list)),
    _of("exists", st.booleans()),
    _of("cidr", st.sampled_from(ADDRESSES)),
    _of("anything-but", st.one_of(text, number)),
    _of("anything-but", ignored),
    _of("wildcard", st.sampled_from(WILDCARDS)),
    _of("exactly", text),
)
double = st.one_of(
    _of("anything-but", st.one_of(st.lists(text, min_size=1, max_size=3), st.lists(number, min_size=1, max_size=3))),
    _of("anything-but", _of("equals-ignore-case", _one_or_more(text))),
    _of("anything-but", _of("prefix", _one_or_more(some_text))),
    _of("anything-but", _of("suffix", _one_or_more(some_text))),
    _of("anything-but", _of("wildcard", _one_or_more(st.sampled_from(WILDCARDS)))),
)


def _patterns(condition: st.SearchStrategy, nested: bool = True) -> st.SearchStrategy[dict]:
    conditions = st.lists(condition, min_size=1, max_size=3)
    flat = st.dictionaries(st.sampled_from(FIELDS), conditions, min_size=1, max_size=3)
    chosen = st.dictionaries(st.sampled_from(CHOSEN), conditions, min_size=1)
    choice = st.lists(chosen, min_size=2, max_size=3)
    objects = st.dictionaries(st.sampled_from(OBJECTS), flat, min_size=1) if nested else flat
    deep = st.one_of(flat, st.tuples(flat, objects).map(lambda drawn: drawn[0] | drawn[1]), objects)
    return st.one_of(deep, st.tuples(deep, choice).map(lambda drawn: drawn[0] | {"$or": drawn[1]}))


def _events(leaf: st.SearchStrategy) -> st.SearchStrategy[dict]:
    flat = st.one_of(
        st.dictionaries(st.sampled_from(FIELDS + CHOSEN), leaf, max_size=5),
        st.fixed_dictionaries(dict.fromkeys(FIELDS + CHOSEN, leaf)),
    )
    objects = st.dictionaries(st.sampled_from(OBJECTS), flat)
    return st.one_of(flat, st.tuples(flat, objects).map(lambda drawn: drawn[0] | drawn[1]))


def _keeps_dates(condition: object) -> bool:
    """Say whether a condition leaves out no text that reads like a date with letters in it."""
    return not isinstance(condition, dict) or "2024-01-01T" not in str(condition.get("anything-but"))


patterns = _patterns(st.one_of(single, double))
flat_patterns = _patterns(st.one_of(single, double), nested=False)
events = _events(value)
list_patterns = _patterns(single.filter(_keeps_dates))
list_events = _events(st.one_of(value, st.lists(value, max_size=3)))
