"""The keyword language: words, phrases, wildcards, edits, distances, counts, AND, OR, NOT.

In the order in which data passes: `query` (a text into clauses), `words` (one word or quotation), `proximity` (where
words stand), `foreign` (syntax of other tools, refused), `compiler` (texts into rows, in bulk), `one_change` (plain
words, one text at a time), `reader` (events into term numbers), `one_text` (one event at a time), `atoms` (events'
terms by hashes, for routing), `language` (what plugs into an index), `index`; `places`, `covering`; `options` as data.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watchword.keywords.index import KeywordIndex as KeywordIndex

__all__ = ["KeywordIndex"]


def __getattr__(name: str) -> Any:
    """Load the index when it is first asked for: the options alone load no numba."""
    if name not in __all__:
        raise AttributeError(f"module 'watchword.keywords' has no attribute {name!r}")
    return getattr(import_module("watchword.keywords.index"), name)
