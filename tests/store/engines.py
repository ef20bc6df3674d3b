"""The engines that the store's contract is tested over.

An entry is a function that takes an empty folder and returns the address of a new store, for `Store.open`. Tests that
ask for the fixture `address` run once for each engine; `sqlite/` has the tests of one engine's own files and locks.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

ENGINES: dict[str, Callable[[Path], str]] = {"sqlite": lambda folder: str(folder / "store.db")}
