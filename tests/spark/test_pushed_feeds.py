"""Feeds that a hub pushes are polled now and then, as long as the lease runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from watchword.feeds.websub import SLOW, Hub, Pushes
from watchword.spark import feed_source
from watchword.spark.feed_source import FeedStreamReader, _Options


def test_a_feed_that_is_pushed_is_asked_every_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = FeedStreamReader(_Options({"feeds": "a\nb", "spool": str(tmp_path / "runs" / "main" / "spool")}))
    reader._feeds = ("a", "b")
    pushes, now = Pushes(tmp_path / "websub.json"), [5000.0]
    monkeypatch.setattr(feed_source.time, "monotonic", lambda: now[0])
    made = pushes.ask("a", Hub("https://h.example/", "t"), time.time())
    assert reader._asked_now() == ["a", "b"], "no lease yet"
    assert pushes.confirm(made.token, "t", 864_000, time.time())
    assert reader._asked_now() == ["b"]
    now[0] += SLOW - 1
    assert reader._asked_now() == ["b"]
    now[0] += 1
    assert reader._asked_now() == ["a", "b"] and reader._asked_now() == ["b"]
    pushes.path.unlink()
    assert reader._asked_now() == ["a", "b"]
    (tmp_path / "websub.json").write_text("damaged")
    assert reader._asked_now() == ["a", "b"]
