"""How much is compared, where the files of a run lie, and which peers are there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from benchmarks.harness import Report
from benchmarks.peers.rivals import Peer

AnyPeer = TypeVar("AnyPeer", bound=Peer)


@dataclass(frozen=True)
class Scale:
    """How much a run compares, and for how many seconds each peer is measured.

    Of rules `rules`, on `events` events; of texts `posts` against as many generated queries as `queries` says, or the
    real ones if it is None, and `boolean_posts` against `booleans` searches.
    """

    rules: int
    events: int
    queries: int | None
    posts: int
    booleans: int
    boolean_posts: int
    seconds: float


SCALES = {
    "small": Scale(1_000, 100, 300, 300, 300, 300, 0.5),
    "paper": Scale(100_000, 1_000, None, 2_000, 100_000, 500, 3.0),
}


@dataclass(frozen=True)
class Setting:
    """A scale, a folder for files, and the peers that were looked for."""

    scale: Scale
    folder: Path
    _asked: dict[Peer, bool] = field(default_factory=dict)

    def ready(self, report: Report, *peers: AnyPeer) -> list[AnyPeer]:
        """Build those peers whose tools are there, and name the others; each once in a run."""
        for peer in peers:
            if peer not in self._asked:
                missing = peer.missing()
                self._asked[peer] = not missing
                if missing:
                    report.note(f"{peer.name} is left out: there is no {' and no '.join(missing)}")
                    continue
                with report.console.status(f"building {peer.name}"):
                    peer.make()
        return [peer for peer in peers if self._asked[peer]]


@contextmanager
def setting(scale: str) -> Iterator[Setting]:
    """Return what sections measure on; the files are gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield Setting(SCALES[scale], Path(folder))
