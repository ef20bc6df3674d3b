"""The real pipeline, killed with SIGKILL at random moments and started again: no match lost, none written twice.

Two languages share a store. What is killed is drawn: the driver alone, the driver with all that it has started, the
Java process, or a Python worker; the last is no end of a run, which goes on by itself.

``WATCHWORD_KILLS`` says how often (2 unless given), ``WATCHWORD_RUNS`` how many named runs of the home work at once (1
unless given), each on items of its own; ``make soak`` asks for 100 and 2. ``WATCHWORD_SEED`` chooses another course.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

from tests.limits import PATIENCE, wait_until
from tests.oracle import matches
from watchword.home import Home
from watchword.store import Request

KILLS = int(os.environ.get("WATCHWORD_KILLS", "2"))
RUNS = int(os.environ.get("WATCHWORD_RUNS", "1"))
AHEAD, ITEMS = 8, 40
"""How many files a run has before it whenever something is killed, so that it does not come to its end; their items."""
WORDS = ["ferry", "storm", "harbour", "bread", "chess", "wind"]
VICTIMS = ("driver", "worker", "java", "group")
COMMANDS = {"worker": "pyspark.daemon", "java": "org.apache.spark.deploy.SparkSubmit"}
"""How the processes that a driver has started are known; workers are forks of a daemon."""


@dataclass
class Running:
    """A named run of a home, what was published for it, and the process that has it."""

    home: Path
    folder: Path
    published: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    found: int = 0
    """How many items were published when the process was started."""
    codes: list[int] = field(default_factory=list)

    def publish(self, draw: random.Random) -> None:
        """Publish files until there are enough that it has not matched yet. Each appears whole, as files should."""
        self.folder.mkdir(exist_ok=True)
        while (number := len(list(self.folder.iterdir()))) < self.batches() + AHEAD:
            name = f"{self.folder.name}-{number}"
            items = {f"{name}-{k}": " ".join(draw.choices(WORDS, k=draw.randint(0, 5))) for k in range(ITEMS)}
            lines = [json.dumps({"id": key, "title": "", "text": text}) for key, text in items.items()]
            aside = self.folder.with_name("aside")
            aside.write_text("\n".join(lines) + "\n", encoding="utf-8")
            aside.rename(self.folder / f"{number:04}.jsonl")
            self.published |= items

    def start(self) -> None:
        """Start it, unless it is running."""
        if self.process is not None:
            return
        self.found = len(self.published)
        command = [sys.executable, "-m", "watchword", "run", str(self.folder), "--once", "--home", str(self.home)]
        command += ["--option", "maxFilesPerTrigger=1", "--master", "local[2]", "--name", self.folder.name]
        with self.log().open("ab") as log:
            # A session of its own, so that the whole group, the Java process included, can be killed at once.
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def log(self) -> Path:
        return self.home / f"{self.folder.name}.log"

    def ended(self) -> bool:
        """Say whether the process is gone, and note how it ended."""
        if self.process is not None and self.process.poll() is not None:
            self.codes.append(self.process.returncode)
            self.process = None
        return self.process is None

    def files(self) -> list[Path]:
        return list((self.home / "runs" / self.folder.name / "matches").glob("batch-*.parquet"))

    def batches(self) -> int:
        return len({file.name.split("-")[1] for file in self.files()})

    def kill(self, victim: str, draw: random.Random) -> None:
        """Kill a part of it, and see the driver end, unless it was a worker."""
        assert self.process is not None
        driver = self.process.pid
        if victim == "group":
            os.killpg(driver, signal.SIGKILL)
        else:
            found = [driver] if victim == "driver" else below(driver, COMMANDS[victim])
            if found or victim != "worker":  # between two jobs there may be no worker
                with suppress(ProcessLookupError):
                    os.kill(draw.choice(found), signal.SIGKILL)
        if victim != "worker":
            self.codes.append(self.process.wait(timeout=PATIENCE))
            self.process = None

    def stop(self) -> None:
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def below(driver: int, command: str) -> list[int]:
    """Return the processes below one whose command line has this in it."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    parents, found = {driver}, []
    while parents:
        children = {int(row[0]): row[2] for row in rows if len(row) == 3 and int(row[1]) in parents}
        found += [pid for pid, said in children.items() if command in said]
        parents = set(children)
    return found


def kill_somewhere(runs: list[Running], victim: str, draw: random.Random) -> None:
    """Let all runs go on, one of them a little further, and kill it there, at whatever it is doing."""
    for run in runs:
        run.publish(draw)
        run.ended()
        run.start()
    chosen = draw.choice(runs)
    goal = len(chosen.files()) + draw.randint(1, 3)
    wait_until(lambda: chosen.ended() or len(chosen.files()) >= goal, f"{goal} files")
    time.sleep(draw.random() * 0.6)
    if not chosen.ended():
        chosen.kill(victim, draw)


def finish(runs: list[Running]) -> None:
    """Let all runs come to their ends; one that began before the last files were published needs another start."""
    for run in runs:
        for _ in range(4):
            run.start()
            wait_until(run.ended, "the end of a run")
            assert run.codes[-1] in (0, 2), (run.codes, run.log().read_text()[-2000:])
            if run.codes[-1] == 0 and run.found == len(run.published):
                break
        else:
            raise AssertionError(run.log().read_text()[-2000:])


def test_killed_and_started_again(tmp_path: Path) -> None:
    draw = random.Random(int(os.environ.get("WATCHWORD_SEED", "7")))
    home = tmp_path / "home"
    words = {f"s{n}": " ".join(draw.sample(WORDS, draw.randint(1, 2))) for n in range(12)}
    patterns = {f"p{n}": word[:3] for n, word in enumerate(WORDS)}
    with Home.make(home).store() as store:
        store.add_subscriber("ada")
        store.subscribe_many(Request("ada", text, key) for key, text in words.items())
        store.subscribe_many(Request("ada", text, key, "patterns") for key, text in patterns.items())
    runs = [Running(home, tmp_path / f"in{number}") for number in range(RUNS)]
    try:
        for number in range(KILLS):
            kill_somewhere(runs, VICTIMS[number % len(VICTIMS)] if KILLS < 10 else draw.choice(VICTIMS), draw)
        finish(runs)
    finally:
        for run in runs:
            run.stop()

    published = {id: text for run in runs for id, text in run.published.items()}
    expected = {(i, key) for i, text in published.items() for key, query in words.items() if matches(query, text)}
    expected |= {(i, key) for i, text in published.items() for key, piece in patterns.items() if piece in text}
    written = Counter[tuple[str, str]]()
    for file in [file for run in runs for file in run.files()]:
        table = pq.read_table(file)
        written.update(zip(table["id"].to_pylist(), table["subscription"].to_pylist(), strict=True))
    assert written == Counter(dict.fromkeys(expected, 1))
    with Home(home).store() as store:
        found = Counter((d.item.identity, r.subscription) for d in store.inbox("ada") for r in d.reasons)
        assert found == Counter(dict.fromkeys(expected, 1))
        # Killed between listing a file and planning its batch, Spark gives it to the next one.
        assert store.stats().batches == sum(len(run.files()) for run in runs) <= 2 * len(published) // ITEMS
    assert not list(home.rglob(".*.tmp"))
    for run in runs:  # a line for each thing that was killed, and no traces
        assert "Traceback" not in run.log().read_text() and "\tat " not in run.log().read_text()
