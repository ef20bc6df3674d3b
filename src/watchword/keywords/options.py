"""The options of keyword indexes, as data (`watchword.options`)."""

from __future__ import annotations

from typing import Any

from watchword.errors import OptionError
from watchword.options import Option, switch, text_or_none, whole, words

__all__ = ["METHOD_OPTIONS", "OPTIONS"]


def _order(name: str, value: Any) -> str:
    orders = ("rank", "reverse-rank", "given")
    if value not in orders:
        raise OptionError(f"{name} must be one of {', '.join(orders)}, not {value!r}")
    return str(value)


def _storage(name: str, value: Any) -> str:
    if value not in ("whole", "delta"):
        raise OptionError(f"{name} must be whole or delta, not {value!r}")
    return str(value)


def _cjk(name: str, value: Any) -> str | None:
    if value not in (None, "bigrams"):
        raise OptionError(f"{name} must be None or 'bigrams', not {value!r}")
    return None if value is None else "bigrams"


def _capacity(name: str, value: Any) -> float | int:
    if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
        raise OptionError(f"{name} is {value}; it must be positive")
    return value


OPTIONS = {
    "stop_words": Option((), words, "Words to leave out, one per line.", flag="words"),
    "stemmer": Option(
        None, text_or_none, "Match by stems of this language, such as english (needs PyStemmer).", flag="text"
    ),
    "fold_accents": Option(False, switch, "Compare without accents: café is cafe.", flag="switch"),
    "cjk": Option(
        None,
        _cjk,
        "bigrams: read Chinese, Japanese and Korean by pairs of characters, to find 東京 in 東京都.",
        flag="text",
    ),
    "literal_operators": Option(
        False,
        switch,
        "Read and, or, not in lower case as words, instead of refusing them between words.",
        flag="switch",
    ),
    "min_plain": Option(2, whole(1), "How many plain characters a word with wildcards must have."),
    "max_clauses": Option(4096, whole(1), "How many clauses OR and NOT may multiply into."),
    "max_work": Option(1 << 21, whole(1), "How many steps it may take to multiply out OR and NOT."),
    "max_terms": Option(1024, whole(1, 32767), "How many terms a subscription may have."),
    "max_term_bytes": Option(1024, whole(1), "How many bytes a term may have."),
    "max_depth": Option(64, whole(1, 100), "How deep parentheses and NOT may be nested."),
}
"""Options of every method."""

_RANKING = Option((), words, "Terms, the most frequent first; others follow by their frequency in each load.")

METHOD_OPTIONS = {
    "brute-ordered": {"ranking": _RANKING},
    "compact-count": {
        "capacity": Option(0.5, _capacity, "Buckets: a fraction of the vocabulary, or a number."),
        "vocabulary": Option(
            0, whole(0), "How many terms there can be: 0 for those of the ranking, else of the first load."
        ),
        "ranking": Option((), words, "All terms that there can be, the most frequent first; they are numbered so."),
        "block": Option(25, whole(1), "The thesis's K: postings in a block."),
    },
    "poset": {"storage": Option("whole", _storage, "What a set keeps: itself, or the delta against its subsets.")},
    "trie": {"order": Option("rank", _order, "The order of terms along a path."), "ranking": _RANKING},
    "compact-trie": {
        "order": Option("rank", _order, "The order of terms along a path."),
        "ranking": _RANKING,
        "block": Option(2, whole(1), "The thesis's K: payloads in a block."),
    },
}
"""Options of single methods."""
