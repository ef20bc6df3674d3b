"""The pattern language: literals with the wildcards `?` and `*`, found anywhere in a text.

In the order in which data passes: `query` (one text into words and gaps) and `compiler` (a column of them), `rows`
(words and gaps in flat arrays), then a structure: `keyed/` (`auto`), or one of the paper's: `naive`, `nfa`, `retriever`
(`split` cuts its phrases). A pattern without a word is kept by the length that it asks for (`lengths`). `texts` reads
events, `alignment` says where an instance lies, `explaining` why there is none, `stream` matches text that arrives in
chunks; `language` plugs it all into an index, `options` are data.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watchword.patterns.index import Occurrence as Occurrence
    from watchword.patterns.index import PatternIndex as PatternIndex

__all__ = ["Occurrence", "PatternIndex"]


def __getattr__(name: str) -> Any:
    """Load the index when it is first asked for: the options alone load no numba."""
    if name not in __all__:
        raise AttributeError(f"module 'watchword.patterns' has no attribute {name!r}")
    return getattr(import_module("watchword.patterns.index"), name)
