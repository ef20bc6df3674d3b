"""The options of pattern indexes, as data (`watchword.options`)."""

from __future__ import annotations

from watchword.options import Option, one_of, switch, whole

MAX_LENGTH = 65_536
_LONGEST = 1 << 29  # a gap is twice a number of characters, in 32 bits

OPTIONS = {
    "ignore_case": Option(False, switch, "Ignore case in patterns; keywords always do.", flag="switch"),
    "max_length": Option(MAX_LENGTH, whole(1, _LONGEST), "How many characters the text of a pattern may have."),
}
"""Options of every method."""

_RETRIEVER = {
    "min_word_len": Option(2, whole(1, 2**31 - 1), "The fewest characters of a word cut from a phrase."),
    "min_split_score": Option(2, whole(0, 2**31 - 1), "By how many shared states a cut must gain more than this."),
    "recombination": Option(
        "beginnings",
        one_of("beginnings", "records"),
        "How words are put together: beginnings shared by subscriptions, or records of each, as published.",
    ),
}

METHOD_OPTIONS = {f"retriever-{rule}": _RETRIEVER for rule in ("none", "single", "multi")}
"""Options of single methods."""
