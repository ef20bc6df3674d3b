"""What a version is: a language, a kind of ids, its shards, and the state of the store that it has.

>>> shard = Shard("shards/0000-000001-c0ffee", 1, 250_000, 18_000_000)
>>> version = Version("/data/index", 1, "keywords", "string", (shard,), origin=Origin("a1", 17, "b2"))
>>> version.subscriptions, parse_version("/data/index", version_facts(version)) == version
(250000, True)

The values are small and plain: a task is sent a `Version` in place of an index, and a file of `versions/` is its JSON.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from watchword.index import Index

_COUNTS_NAME = re.compile(r"versions/\d{6,}\.counts\.npy")
SHARD_NAME = re.compile(r"\d+-\d+-[0-9a-f]+")

IdKind = Literal["string", "long"]


@dataclass(frozen=True)
class Shard:
    """One shard: its folder (relative to the index; empty for a plain snapshot), snapshot version and size.

    Where a shard has a base, `bytes` counts the changes alone, `subscriptions` all subscriptions of the shard.
    """

    folder: str
    snapshot: int
    subscriptions: int
    bytes: int
    atoms: int | None = None
    """The number of atoms that it owns (`index.routing`); None where it needs every event."""
    base: Shard | None = None
    """The shard that this one changes; None where it is whole."""

    @property
    def parts(self) -> tuple[Shard, ...]:
        """The shard, and its base if it has one: each has a folder."""
        return (self,) if self.base is None else (self, self.base)


@dataclass(frozen=True)
class Origin:
    """A state of a store: the store's identity, the number of its last change, and the random name of that state."""

    store: str
    counter: int
    epoch: str


@dataclass(frozen=True)
class Version:
    """One version of an index. Small: a task is sent this in place of the index."""

    path: str
    version: int
    language: str
    ids: IdKind
    shards: tuple[Shard, ...]
    counts: str | None = None
    """Where subscriptions are sharded by atoms: the file, relative to the index, by which they are placed."""
    origin: Origin | None = None
    """Where the index follows a store: the state of it that this version has."""

    @property
    def bytes(self) -> int:
        """The bytes of all shards on disk, and so of memory where every page of them is in use."""
        return sum(part.bytes for shard in self.shards for part in shard.parts)

    @property
    def subscriptions(self) -> int:
        """The number of subscriptions in all shards."""
        return sum(shard.subscriptions for shard in self.shards)

    def folder(self, number: int) -> Path:
        """Return the folder of a shard of an index on this machine (`opening` copies the shards of others)."""
        return self.part_folder(self.shards[number])

    def part_folder(self, part: Shard) -> Path:
        """Return the folder of a shard, or of its base, of an index on this machine."""
        return Path(self.path) / part.folder


def id_kind(index: Index) -> IdKind:
    """Return which kind of ids an index has; an empty one, which may still get either, counts as numbers."""
    return "string" if index.id_type is str else "long"


def version_facts(version: Version) -> dict[str, Any]:
    """Return a version as its file has it: without the path, so that the folder can be moved."""
    facts = asdict(version)
    del facts["path"]
    return facts


def parse_version(path: str, facts: dict[str, Any]) -> Version:
    """Return the version that a file describes; a `KeyError`, `TypeError` or `ValueError` if the facts do not fit."""
    shards = tuple(_shard(**shard) for shard in facts["shards"])
    counts, origin = facts.get("counts"), facts.get("origin")
    if (
        type(facts["version"]) is not int
        or not isinstance(facts["language"], str)
        or facts["ids"] not in ("string", "long")
        or not shards
        or not all(map(_is_shard, shards))
        or (counts is not None and _COUNTS_NAME.fullmatch(counts) is None)
    ):
        raise ValueError(facts["version"])
    found = None if origin is None else Origin(str(origin["store"]), origin["counter"], str(origin["epoch"]))
    if found is not None and type(found.counter) is not int:
        raise ValueError(facts["version"])
    return Version(path, facts["version"], facts["language"], facts["ids"], shards, counts, found)


def _shard(*, base: dict[str, Any] | None = None, **facts: Any) -> Shard:
    return Shard(**facts, base=None if base is None else Shard(**base))


def _is_shard(shard: Shard) -> bool:
    """Return whether the facts are of the right kinds, the folder stays inside the index, and the base is whole."""
    if shard.base is not None and (shard.base.base is not None or not _is_shard(shard.base)):
        return False
    parent, _, name = str(shard.folder).partition("/")
    numbers = (shard.snapshot, shard.subscriptions, shard.bytes, 0 if shard.atoms is None else shard.atoms)
    return (
        parent == "shards" and SHARD_NAME.fullmatch(name) is not None and all(type(number) is int for number in numbers)
    )
