"""Building and running the harnesses. A peer whose tool (mvn, cargo) is not there is left out.

A harness takes RULES EVENTS SECONDS MATCHES: it adds the rules, matches every event once (the ids of each go to
MATCHES, a line such as ``[3,7]``), then matches for SECONDS, and prints a line of figures as JSON.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import notation
from benchmarks.peers.notation import Write

HERE = Path(__file__).parent
JAVA = HERE / "event_ruler"
RUST = HERE / "a_tree"


@dataclass(frozen=True)
class Peer:
    """A matcher of others: how its harness is built and run, and how its rules are written."""

    name: str
    needs: tuple[str, ...]
    build: tuple[str, ...]
    folder: Path
    command: Callable[[], list[str]]
    write: Write

    def missing(self) -> list[str]:
        """Return the tools that it needs and this machine has not."""
        return [tool for tool in self.needs if shutil.which(tool) is None]

    def make(self) -> None:
        """Build the harness; what was built before is used again."""
        outcome = subprocess.run(self.build, cwd=self.folder, capture_output=True, text=True)
        if outcome.returncode:
            raise SystemExit(f"{self.name}: {' '.join(self.build)} failed\n{outcome.stdout}{outcome.stderr}")

    def run(self, rules: Path, events: Path, seconds: float, matches: Path) -> dict[str, Any]:
        """Return the figures; the ids of every event are in `matches`."""
        command = [*self.command(), str(rules), str(events), str(seconds), str(matches)]
        outcome = subprocess.run(command, capture_output=True, text=True)
        if outcome.returncode:
            raise SystemExit(f"{self.name}: the harness failed\n{outcome.stderr}")
        figures: dict[str, Any] = json.loads(outcome.stdout)
        return figures


def _java() -> list[str]:
    path = f"{JAVA / 'target' / 'classes'}:{JAVA / 'target' / 'lib'}/*"
    return ["java", "-XX:+UseSerialGC", "-cp", path, "EventRulerPeer"]


PEERS = (
    Peer(
        "event-ruler 2.1.0",
        ("mvn", "java"),
        ("mvn", "-q", "-B", "compile", "dependency:copy-dependencies", "-DoutputDirectory=target/lib"),
        JAVA,
        _java,
        notation.event_ruler,
    ),
    Peer(
        "a-tree 0.6.1",
        ("cargo",),
        ("cargo", "build", "--release", "--quiet"),
        RUST,
        lambda: [str(RUST / "target" / "release" / "a-tree-peer")],
        notation.a_tree,
    ),
)
