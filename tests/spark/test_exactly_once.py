"""The real pipeline, killed with SIGKILL at random moments and started again: no match lost, none written twice.

``WATCHWORD_KILLS`` says how often (2 unless given; ``make soak`` asks for 20).
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
from pathlib import Path

import pyarrow.parquet as pq

from tests.limits import PATIENCE, wait_until
from tests.oracle import matches
from watchword.home import Home
from watchword.store import Request

KILLS = int(os.environ.get("WATCHWORD_KILLS", "2"))
FILES, ITEMS = 12, 40
WORDS = ["ferry", "storm", "harbour", "bread", "chess", "wind"]


def publish(folder: Path, draw: random.Random) -> dict[str, str]:
    folder.mkdir()
    published = {}
    for number in range(FILES):
        items = {f"{number}-{k}": " ".join(draw.choices(WORDS, k=draw.randint(0, 5))) for k in range(ITEMS)}
        lines = [json.dumps({"id": key, "title": "", "text": text}) for key, text in items.items()]
        (folder / f"{number:03}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        published |= items
    return published


def start(home: Path, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "watchword.cli", "run", str(folder), "--once", "--home", str(home)]
    command += ["--option", "maxFilesPerTrigger=1", "--master", "local[2]"]
    # A session of its own, so that the whole group, the Java process included, can be killed at once.
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def batches(home: Path) -> int:
    return len(list((home / "runs" / "main" / "matches").glob("batch-*.parquet")))


def kill_somewhere(home: Path, folder: Path, draw: random.Random) -> None:
    """Let a run get a little further, and kill it there, at whatever it is doing."""
    process = start(home, folder)
    goal = batches(home) + draw.randint(1, 2)
    try:
        wait_until(lambda: process.poll() is not None or batches(home) >= goal, f"{goal} batches")
        time.sleep(draw.random() * 0.6)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_killed_and_started_again(tmp_path: Path) -> None:
    draw = random.Random(int(os.environ.get("WATCHWORD_SEED", "7")))
    home = tmp_path / "home"
    subscriptions = {f"s{n}": " ".join(draw.sample(WORDS, draw.randint(1, 2))) for n in range(12)}
    with Home.make(home).store() as store:
        store.add_subscriber("ada")
        store.subscribe_many(Request("ada", text, key) for key, text in subscriptions.items())
    published = publish(tmp_path / "in", draw)
    for _ in range(KILLS):
        kill_somewhere(home, tmp_path / "in", draw)
    last = start(home, tmp_path / "in")
    assert last.wait(timeout=PATIENCE) == 0

    expected = {
        (i, key) for i, text in published.items() for key, query in subscriptions.items() if matches(query, text)
    }
    files = Counter[tuple[str, str]]()
    for file in (home / "runs" / "main" / "matches").glob("batch-*.parquet"):
        table = pq.read_table(file)
        files.update(zip(table["id"].to_pylist(), table["subscription"].to_pylist(), strict=True))
    assert files == Counter(dict.fromkeys(expected, 1))
    with Home(home).store() as store:
        found = Counter((d.item.identity, r.subscription) for d in store.inbox("ada") for r in d.reasons)
        assert found == Counter(dict.fromkeys(expected, 1))
        # Killed between listing a file and planning its batch, Spark gives it to the next one.
        assert FILES - KILLS <= store.stats().batches == batches(home) <= FILES
