"""Dispatchers and receivers are killed at random moments: every notification comes, each under one id."""

from __future__ import annotations

import os
import random
import socket
import time
from collections import defaultdict
from pathlib import Path

import pytest

from tests.limits import wait_until
from tests.notify.receivers import add_webhook, deliver, make_home
from tests.notify.workload import child, dispatch, read_lines, receive

KILLS = int(os.environ.get("WATCHWORD_KILLS", "6"))
CHANNELS = 3


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.slow
def test_nothing_is_lost_when_dispatchers_and_a_receiver_are_killed(tmp_path: Path) -> None:
    home, draw, port = make_home(tmp_path / "home"), random.Random(11), free_port()
    came = tmp_path / "came"
    came.touch()
    expected: set[tuple[str, str]] = set()
    with home.store() as store:
        for name in range(CHANNELS):
            add_webhook(store, f"http://127.0.0.1:{port}/{name}", str(name))
        receiver = child(receive, port, str(came))
        dispatchers = [child(dispatch, str(home.path)) for _ in range(2)]
        for turn in range(KILLS):
            names = [f"t{turn}-{number}" for number in range(30)]
            deliver(store, str(turn), *names)
            expected |= {(str(channel), name) for channel in range(CHANNELS) for name in names}
            seen = len(read_lines(came))
            wait_until(lambda seen=seen: len(read_lines(came)) > seen, "a message")  # type: ignore[misc]
            time.sleep(draw.uniform(0, 0.05))
            victim = draw.choice([0, 1, 2])
            if victim == 2:
                receiver.kill()
                receiver.join()
                receiver = child(receive, port, str(came))
                continue
            dispatchers[victim].kill()
            dispatchers[victim].join()
            assert dispatchers[victim].exitcode == -9
            dispatchers[victim] = child(dispatch, str(home.path))
        wait_until(lambda: {line[:2] for line in read_lines(came)} >= expected, "all messages")
        for process in (receiver, *dispatchers):
            process.kill()
            process.join()
    ids = defaultdict(set)
    for channel, item, id in read_lines(came):
        ids[id].add((channel, item))
    assert {pair for pairs in ids.values() for pair in pairs} == expected, "nothing else"
    assert all(len(pairs) == 1 for pairs in ids.values()), "an id is one notification"
    assert len(ids) == len(expected), "each id once after deduplication"
