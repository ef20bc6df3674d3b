"""Building and running the harnesses. A peer whose tools (mvn, Java, cargo) are not there is left out.

A harness takes RULES EVENTS SECONDS MATCHES, and what it wants besides. RULES and EVENTS are files with a rule or an
event a line. It adds the rules, matches every event once (the ids of each go to MATCHES, a line such as ``[3,7]``; the
id of a rule is the number of its line), then matches for SECONDS, and prints a line of figures as JSON.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
JVMS = Path("/usr/lib/jvm")
"""Where Linux keeps several versions of Java side by side."""


@dataclass(frozen=True)
class Peer(ABC):
    """A matcher of others: how its harness, in a folder beside this file, is built and run."""

    name: str
    version: str
    folder: str

    @abstractmethod
    def missing(self) -> list[str]:
        """Return what it needs and this machine has not."""

    @abstractmethod
    def make(self) -> None:
        """Build the harness; what was built before is used again."""

    @abstractmethod
    def command(self) -> list[str]:
        """Return what starts the harness."""

    @property
    def home(self) -> Path:
        """The folder of the harness."""
        return HERE / self.folder

    def run(self, rules: Path, events: Path, seconds: float, matches: Path, *more: str) -> dict[str, Any]:
        """Return the figures; the ids of every event are in `matches`."""
        command = [*self.command(), str(rules), str(events), str(seconds), str(matches), *more]
        figures: dict[str, Any] = json.loads(self._outcome(command, "the harness"))
        return figures

    def _outcome(self, command: list[str], what: str, **environment: str) -> str:
        """Return what a command prints; one that fails ends the run."""
        outcome = subprocess.run(
            command, cwd=self.home, env={**os.environ, **environment}, capture_output=True, text=True
        )
        if outcome.returncode:
            raise SystemExit(f"{self.name}: {what} failed\n{outcome.stdout}{outcome.stderr}")
        return outcome.stdout


@dataclass(frozen=True)
class Maven(Peer):
    """A peer in Java, of a version or newer."""

    main: str
    java: int

    def missing(self) -> list[str]:
        """Return which of Maven and Java are not there."""
        needs = {"mvn": shutil.which("mvn"), f"Java {self.java} or newer": java_home(self.java)}
        return [name for name, found in needs.items() if found is None]

    def make(self) -> None:
        """Compile, and fetch the libraries."""
        command = ["mvn", "-q", "-B", "compile", "dependency:copy-dependencies", "-DoutputDirectory=target/lib"]
        self._outcome(command, " ".join(command), JAVA_HOME=str(java_home(self.java)))

    def command(self) -> list[str]:
        """Return the call of Java, with one thread for garbage."""
        path = f"{self.home / 'target' / 'classes'}:{self.home / 'target' / 'lib'}/*"
        return [f"{java_home(self.java)}/bin/java", "-XX:+UseSerialGC", "-Xmx4g", "-cp", path, self.main]


@dataclass(frozen=True)
class Cargo(Peer):
    """A peer in Rust."""

    program: str

    def missing(self) -> list[str]:
        """Return whether there is no cargo."""
        return [] if shutil.which("cargo") else ["cargo"]

    def make(self) -> None:
        """Compile."""
        command = ["cargo", "build", "--release", "--quiet"]
        self._outcome(command, " ".join(command))

    def command(self) -> list[str]:
        """Return the program."""
        return [str(self.home / "target" / "release" / self.program)]


def java_home(version: int) -> Path | None:
    """Return the folder of a Java, with compiler, of this version or newer: JAVA_HOME, on the path, or in `JVMS`."""
    return next(
        (home for home in _java_homes() if (home / "bin" / "javac").exists() and _version(home) >= version), None
    )


def _java_homes() -> Iterator[Path]:
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"])
    if java := shutil.which("java"):
        yield Path(java).resolve().parents[1]
    yield from sorted(JVMS.glob("*"))


def _version(home: Path) -> int:
    """Return the version that stands in the file `release` of a Java: 21 of ``JAVA_VERSION="21.0.4"``."""
    release = home / "release"
    found = (
        re.search(r'^JAVA_VERSION="(\d+)', release.read_text(encoding="utf-8"), re.MULTILINE)
        if release.exists()
        else None
    )
    return int(found[1]) if found else 0


EVENT_RULER = Maven("event-ruler", "2.1.0", "event_ruler", "EventRulerPeer", java=17)
A_TREE = Cargo("a-tree", "0.6.1", "a_tree", "a-tree-peer")
LUCENE_MONITOR = Maven("Lucene Monitor", "10.3.0", "lucene_monitor", "LuceneMonitorPeer", java=21)
PEERS: tuple[Peer, ...] = (EVENT_RULER, A_TREE, LUCENE_MONITOR)
