"""Whether the process lives and is ready, its figures, and the self-audit that finds a planted error."""

from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.limits import wait_until
from tests.serve.conftest import Running, running, serving
from tests.store.workload import version_1
from watchword import KeywordIndex
from watchword.home import STORE, Home
from watchword.serve.api import health


def test_a_server_that_is_well_is_green(desk: Running, ada: httpx.Client) -> None:
    ada.put("/subscriptions/a", json={"text": "ferry"})
    assert ada.get("/livez").text == "ok\n"
    ready = ada.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["status"] == "green"
    assert ready.json()["checks"]["store"]["change"] == ready.json()["checks"]["indexes"]["change"]


def test_figures_have_no_label_of_a_subscriber(desk: Running, ada: httpx.Client) -> None:
    ada.put("/subscriptions/secret-id", json={"text": "ferry"})
    ada.post("/match", json={"event": "a ferry"})
    ada.get("/nothing/at/all")
    text = ada.get("/metrics").text
    assert 'watchword_requests_total{method="POST",route="/match",status="200"}' in text
    assert 'route="/subscriptions/{id' in text
    assert "watchword_index_change" in text
    assert "watchword_connections" in text
    for word in ("ada", "secret-id", "nothing", desk.tokens["ada"]):
        assert word not in text


def test_a_store_that_is_gone_is_red_and_comes_back(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as desk, desk.client("ada") as ada:
        ada.put("/subscriptions/a", json={"text": "ferry"})
        file = desk.home.path / "store.sqlite"
        moved = tmp_path / "moved"
        desk.service.follower.refresh()
        shutil.move(desk.home.path, moved)
        assert ada.get("/livez").status_code == 200
        red = ada.get("/readyz")
        assert (red.status_code, red.json()["status"]) == (503, "red")
        refused = ada.put("/subscriptions/b", json={"text": "storm"})
        assert refused.status_code == 503
        assert refused.headers["retry-after"]
        assert str(tmp_path) not in refused.text
        assert ada.post("/match", json={"event": "a ferry"}).status_code in (200, 503)
        shutil.move(moved, desk.home.path)
        assert file.exists()
        wait_until(lambda: ada.get("/readyz").status_code == 200, "the store is back")
        assert ada.put("/subscriptions/b", json={"text": "storm"}).status_code == 201


def test_a_store_that_is_locked_holds_up_changes_alone(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as desk, desk.client("ada") as ada, ThreadPoolExecutor(1) as pool:
        ada.put("/subscriptions/a", json={"text": "ferry"})
        with closing(sqlite3.connect(desk.home.path / "store.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting = pool.submit(ada.put, "/subscriptions/b", json={"text": "storm"})
            with desk.client("match") as reader:
                assert reader.post("/match", json={"event": "a ferry"}).json()["matches"]
                assert reader.get("/readyz").json()["status"] == "green"
            assert not waiting.done()
            other.execute("ROLLBACK")
        assert waiting.result().status_code == 201


@pytest.mark.slow
def test_the_self_audit_finds_a_planted_error_and_turns_yellow(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(tmp_path / "home", audit=1.0) as desk, desk.client("ada") as ada:
        ada.put("/subscriptions/storms", json={"text": "ferry AND storm"})
        ada.put("/subscriptions/ferries", json={"text": "ferry"})
        for _ in range(5):
            ada.post("/match", json={"event": "the ferry in the storm"})
        lines = {"Content-Type": "application/x-ndjson"}
        ada.post("/match", content=b'"a ferry"\n{"price": 3}\n"storm"', headers=lines)
        audited = desk.service.metrics.audited
        wait_until(lambda: audited._value.get() >= 7, "events are decided again")
        assert ada.get("/readyz").json()["checks"]["audit"] == {"status": "green", "share": 1.0, "differences": 0}

        index = desk.service.follower.index("keywords")
        assert isinstance(index, KeywordIndex)
        index["storms"] = "ferry AND gale"  # a wrong answer: the store has another text
        index["ferries"] = "storm"
        ada.post("/match", json={"event": "one ferry in the storm"})
        wait_until(lambda: bool(desk.service.auditor and desk.service.auditor.differences), "the difference is found")
        ready = ada.get("/readyz").json()
        assert (ready["status"], ready["checks"]["audit"]["status"]) == ("yellow", "yellow")
        assert "watchword_audit_differences_total 1.0" in ada.get("/metrics").text
        assert "missed 'storms' for the event 'one ferry in the storm'" in caplog.text
        assert ", change 2: " in caplog.text


@pytest.mark.slow
def test_the_self_audit_blames_nothing_on_changes_that_came_later(tmp_path: Path) -> None:
    with serving(tmp_path / "home", audit=1.0) as desk, desk.client("ada") as ada:
        auditor = desk.service.auditor
        assert auditor is not None
        for turn in range(30):
            ada.put("/subscriptions/turning", json={"text": "ferry" if turn % 2 else "storm"})
            ada.post("/match", json={"event": "a ferry"})
        wait_until(lambda: desk.service.metrics.audited._value.get() >= 30, "events are decided again")
        assert not auditor.differences


@pytest.mark.slow
def test_every_language_is_decided_again(tmp_path: Path) -> None:
    with serving(tmp_path / "home", audit=1.0) as desk, desk.client("ada") as ada:
        texts = {"keywords": "ferry", "patterns": "f?rry", "predicates": "price < 20", "paths": "//a/b"}
        for language, text in texts.items():
            assert ada.put(f"/subscriptions/{language}", json={"language": language, "text": text}).status_code == 201
        for event in ("a ferry", {"price": 3}, "<a><b/></a>"):
            assert ada.post("/match", json={"event": event}).json()["matches"]
        auditor = desk.service.auditor
        assert auditor is not None
        wait_until(lambda: not auditor._waiting, "events are decided again")
        wait_until(lambda: set(auditor._references) == set(texts), "each language has been decided")
        assert not auditor.differences


@pytest.mark.slow
def test_a_home_of_an_earlier_run_is_served_again(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as desk:
        with desk.client("ada") as ada:
            ada.put("/subscriptions/a", json={"text": "ferry"})
        tokens, home = desk.tokens, desk.home
    with running(home, tokens) as again, again.client("ada") as ada:
        assert ada.post("/match", json={"event": "a ferry"}).json()["matches"] == [{"id": "a", "language": "keywords"}]


def test_a_disk_that_is_nearly_full_is_yellow(
    desk: Running, ada: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ada.get("/readyz").json()["checks"]["disk"]["free"] > 0
    monkeypatch.setattr(health, "LEAST_FREE", 1 << 62)
    ready = ada.get("/readyz")
    assert (ready.status_code, ready.json()["status"]) == (200, "yellow")
    assert "make room" in ready.json()["checks"]["disk"]["reason"]


def test_a_home_of_the_first_version_is_served(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    version_1(tmp_path / "home" / STORE)
    home = Home(tmp_path / "home")
    with home.store() as store:
        token = store.add_token("ann", "laptop", ("read", "write", "match"))
    with running(home, {"ann": token}) as made, made.client("ann") as ann:
        assert ann.get("/readyz").json()["status"] == "green"
        assert ann.get("/subscriptions/s1").json()["text"] == "old words"
        assert ann.post("/match", json={"event": "words, and old ones"}).json()["matches"][0]["id"] == "s1"
        (entry,) = ann.get("/inbox/ann").json()["entries"]
        assert (entry["title"], entry["reasons"][0]["why"]) == ("old title", "old why")
        assert ann.put("/subscriptions/s1", json={"text": "ferry", "tags": ["sea"]}).json()["change"] == 2


def test_an_error_that_nobody_foresaw_is_a_problem_and_the_connection_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(tmp_path / "home") as desk, desk.client("ada") as ada:
        ada.put("/subscriptions/a", json={"text": "ferry"})

        def fail(*_: object, **__: object) -> None:
            raise RuntimeError("a secret of the inside")

        monkeypatch.setattr(type(desk.service.store()), "subscription", fail)
        refused = ada.get("/subscriptions/a")
        assert (refused.status_code, refused.headers["content-type"]) == (500, "application/problem+json")
        assert "secret" not in refused.text and "a secret of the inside" in caplog.text
        monkeypatch.undo()
        assert ada.get("/subscriptions/a").status_code == 200
