"""`watchword demo`, as somebody runs it who has just installed it: a link, an inbox, a story that comes, Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.limits import PATIENCE, wait_until


@pytest.mark.slow
def test_a_demonstration_prints_a_link_and_ends_without_a_trace(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "watchword", "demo", "--every", "0.2"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            link = process.stdout.readline().strip()
            address, once = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/login\?once=([\w-]{43})", link).groups()
            with httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False) as client:
                client.headers["Accept"] = "text/html"
                assert client.get("/").status_code == 401
                assert "Sign in" in client.get(link).text
                assert client.post("/login", data={"once": once}, headers={"Origin": address}).status_code == 303
                assert "Ferries that sail" in client.get("/").text
                wait_until(lambda: delivered(client) > 2, "stories that come")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE)
        except BaseException:
            process.kill()
            raise
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "stories; a new one comes every 0.2 s" in errors
    assert list(tmp_path.glob("watchword-demo-*")) == []


def delivered(client: httpx.Client) -> int:
    """Return how many posted stories the health page says were delivered."""
    return int(re.search(r'<span class="big">([\d,]+)</span> delivered', client.get("/console/health").text)[1])
