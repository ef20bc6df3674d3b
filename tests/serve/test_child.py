"""`serve --run`: the child is started again after a pause, its lines are logged, and it ends with the server."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.limits import PATIENCE, wait_until
from tests.serve.desk import desk
from watchword.home import Home
from watchword.serve import child
from watchword.serve.child import RunChild, read_state

pytestmark = pytest.mark.slow

SLEEP = "import time; print('ready', flush=True); time.sleep(3600)"
STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); time.sleep(3600)"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.make(tmp_path / "home")


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def pid_of(home: Home) -> int:
    wait_until(lambda: (read_state(home) or {}).get("state") == "running", "the child")
    return int((read_state(home) or {})["pid"])


def test_it_runs_watchword_run_on_the_sources_and_the_home(home: Home) -> None:
    command = RunChild(home, ["a.opml", "b.xml"])._command
    assert command[1:] == ["-m", "watchword", "run", "a.opml", "b.xml", "--home", str(home.path)]


def test_it_is_started_passes_its_lines_on_and_ends_with_the_server(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    assert read_state(home) is None
    with caplog.at_level(logging.WARNING), RunChild(home, [], python(SLEEP)):
        pid = pid_of(home)
        assert is_alive(pid) and os.getsid(pid) == pid
        assert home.feeds.exists(), "so that the run reads feeds that are added later"
        wait_until(lambda: "run: ready" in caplog.text, "its line")
    assert not is_alive(pid)
    state = read_state(home)
    assert state is not None and (state["state"], state["pid"], state["starts"]) == ("ended", None, 1)
    assert state["ended"] == -signal.SIGTERM


def test_readiness_shows_it_in_every_process_and_is_yellow_while_it_does_not_run(tmp_path: Path) -> None:
    with desk(tmp_path) as made:
        client = made.with_token(None)
        assert "run" not in client.get("/readyz").json()["checks"]
        with RunChild(made.home, [], python(SLEEP)):
            pid = pid_of(made.home)
            ready = client.get("/readyz").json()
            assert ready["status"] == ready["checks"]["run"]["status"] == "green"
            assert (ready["checks"]["run"]["pid"], ready["checks"]["run"]["state"]) == (pid, "running")
        ready = client.get("/readyz").json()
        assert (ready["status"], ready["checks"]["run"]["state"]) == ("yellow", "ended")


def test_one_that_ends_is_started_again_after_a_pause_that_doubles(
    home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(child, "LONGEST_PAUSE", 0.05)
    with caplog.at_level(logging.WARNING), RunChild(home, [], ["false"]):
        wait_until(lambda: (read_state(home) or {"starts": 0})["starts"] >= 4, "some starts")
    pauses = [record.args[1] for record in caplog.records if record.args and len(record.args) == 2]  # type: ignore[index]
    assert pauses[:3] == [0.02, 0.04, 0.05] and (read_state(home) or {})["ended"] == 1


def test_a_program_that_is_not_there_is_logged_and_tried_again(
    home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child, "FIRST_PAUSE", 0.01)
    with caplog.at_level(logging.WARNING), RunChild(home, [], [str(home.path / "nothing")]):
        wait_until(lambda: caplog.text.count("cannot be started: No such file") >= 2, "two attempts")


def test_one_that_does_not_end_is_killed_with_what_it_has_started(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "PATIENCE", 0.2)
    grandchild = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {SLEEP!r}]).pid, flush=True)"
    with RunChild(home, [], python(f"{grandchild}\n{STUBBORN}")):
        pid = pid_of(home)
        time.sleep(0.5)
        group = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and _group(int(p.name)) == pid]
        assert pid in group and len(group) == 2
    assert not any(map(is_alive, group))


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return -1


def test_where_the_server_is_killed_the_kernel_ends_the_child(home: Home) -> None:
    program = f"""
import sys, time
from watchword.home import Home
from watchword.serve.child import RunChild
with RunChild(Home({str(home.path)!r}), [], [sys.executable, "-c", {SLEEP!r}]):
    time.sleep(3600)
"""
    with subprocess.Popen(python(program)) as server:
        pid = pid_of(home)
        server.kill()
        server.wait(PATIENCE)
    wait_until(lambda: not is_alive(pid), "the end of the child")
    assert read_state(home) is None, "the server that wrote it is gone"
