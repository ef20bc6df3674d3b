"""Which linear XPath expressions does an XML document satisfy?

A subscription passes `query` or `compiler` (text into steps), `labels` (names and conditions into numbers) and the
structure of a method: `guided` (`auto`), `yfilter`, `lazy_dfa`, and those of `pma`. A document passes `parsing`, which
makes moves of it, and a `passes.Pass` of the structure.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watchword.paths.index import DocumentMatch as DocumentMatch
    from watchword.paths.index import Occurrence as Occurrence
    from watchword.paths.index import PathIndex as PathIndex

__all__ = ["DocumentMatch", "Occurrence", "PathIndex"]


def __getattr__(name: str) -> Any:
    """Load the index when it is first asked for: the options alone load no numba."""
    if name not in __all__:
        raise AttributeError(f"module 'watchword.paths' has no attribute {name!r}")
    return getattr(import_module("watchword.paths.index"), name)
