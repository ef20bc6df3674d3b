"""The property language: which of some declared properties are 1, which are 0, and which do not matter.

In the order in which data passes: `query` (a text into what it asks), `compiler` (texts into rows of literals, in
bulk), `reader` (events into `bits`), `language` (what plugs into an index), `index`; `options` as data. The methods:
`tree` and `rapid` over `forest`, `grouped` (`auto`) over `group_base` and `group_delta`; `brute` and `count` are those
of `watchword.sets`. `blanks` is what the language keeps beside. `reduction` shows that matching is as hard as partial
match."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watchword.properties.index import PropertyIndex as PropertyIndex

__all__ = ["PropertyIndex"]


def __getattr__(name: str) -> Any:
    """Load the index when it is first asked for: the options alone load no numba."""
    if name not in __all__:
        raise AttributeError(f"module 'watchword.properties' has no attribute {name!r}")
    return getattr(import_module("watchword.properties.index"), name)
