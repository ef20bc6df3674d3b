"""POST /events: durable, whole, once, and in the inboxes soon afterwards."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.limits import wait_until
from tests.serve.desk import Desk, desk
from tests.test_files import no_room
from watchword import KeywordIndex
from watchword.errors import StoreError

NDJSON = {"Content-Type": "application/x-ndjson"}
CLOUD = {"specversion": "1.0", "id": "7", "source": "/till/3", "type": "sale", "data": {"title": "A ferry"}}


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk")) as made:
        ada = made.client()
        with made.home.store() as store:
            store.subscribe("ada", "ferry", id="words")
        assert ada.get("/inbox/ada").json() == {"entries": [], "next": None}
        yield made


def inbox(client: httpx.Client) -> list[dict[str, Any]]:
    """Return the newest entries of ada's inbox when all posted events are delivered."""
    entries: list[dict[str, Any]] = client.get("/inbox/ada?limit=500&view=all").json()["entries"]
    return entries


def settled(at: Desk) -> None:
    wait_until(lambda: at.service.deliverer.waiting() == 0, "the delivery")


def test_an_event_is_in_the_inbox_with_the_reason_and_the_places(at: Desk) -> None:
    ada = at.client()
    answer = ada.post("/events", json={"id": "urn:1", "title": "A ferry", "text": "It sails", "categories": ["Sea"]})
    assert (answer.status_code, answer.json()) == (202, {"accepted": 1, "ids": ["urn:1"]})
    settled(at)
    (entry,) = (one for one in inbox(ada) if one["id"] == "urn:1")
    place = {"attribute": None, "start": 2, "end": 7}
    reason = {"subscription": "words", "text": "ferry", "why": "match: ferry", "places": [place]}
    assert entry["reasons"] == [reason] and entry["read_at"] is entry["starred_at"] is entry["row"] is None
    assert (entry["title"], entry["feed"], entry["categories"]) == ("A ferry", "posted", ["Sea"])
    assert "A ferry. It sails"[place["start"] : place["end"]] == "ferry"


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b'"a ferry"', {"Content-Type": "application/json"}),
        (b"a ferry", {"Content-Type": "text/plain"}),
        (b"<boat>ferry</boat>", {"Content-Type": "application/xml"}),
        (b'{"text": "a ferry"}', {}),
        (json.dumps(CLOUD).encode(), {"Content-Type": "application/cloudevents+json"}),
        (json.dumps([CLOUD]).encode(), {"Content-Type": "application/cloudevents-batch+json"}),
        (
            b'{"title": "A ferry"}',
            {"ce-specversion": "1.0", "ce-id": "8", "ce-source": "/till/3", "ce-type": "sale"},
        ),
    ],
)
def test_every_form_is_delivered(at: Desk, body: bytes, headers: dict[str, str]) -> None:
    ada = at.client()
    answer = ada.post("/events", content=body, headers=headers)
    assert answer.status_code == 202
    settled(at)
    assert answer.json()["ids"][0] in {one["id"] for one in inbox(ada)}


def test_many_at_once_and_a_cloud_event_again(at: Desk) -> None:
    ada = at.client()
    body = "\n".join(json.dumps({"id": f"many{number}", "text": "ferry"}) for number in range(2_000))
    assert len(body) > 1 << 15
    assert ada.post("/events", content=body, headers=NDJSON).json()["accepted"] == 2_000
    for _ in range(2):
        kind = {"Content-Type": "application/cloudevents+json"}
        assert ada.post("/events", content=json.dumps(CLOUD | {"id": "again"}), headers=kind).status_code == 202
    settled(at)
    assert ada.get("/inbox/ada/counts").json()["by_subscription"]["words"] >= 2_001
    assert ["sale" in (one["row"] or "") and "again" in one["row"] for one in inbox(ada)].count(True) == 1


def test_a_malformed_line_is_named_and_nothing_is_taken(at: Desk) -> None:
    ada, before = at.client(), at.service.spool.last()
    answer = ada.post("/events", content=b'{"text": "ferry"}\n{"text": ', headers=NDJSON)
    problem = answer.json()
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert (problem["line"], problem["character"], problem["position"]) == (2, 9, 1)
    assert problem["detail"] == "line 2, character 9: Expecting value" and "send all again" in problem["remedy"]
    assert ada.post("/events", content=b"x", headers={"Content-Type": "image/png"}).status_code == 415
    assert at.service.spool.last() == before


def test_scopes(at: Desk) -> None:
    assert at.with_token(None).post("/events", json={"text": "a"}).status_code == 401
    assert at.client("ada", "read", "write", "match").post("/events", json={"text": "a"}).status_code == 403


def test_a_repeated_request_adds_nothing_and_another_body_is_refused(at: Desk) -> None:
    ada, key = at.client(), {"Idempotency-Key": "k1"}
    first = ada.post("/events", json={"text": "the ferry once"}, headers=key)
    last = at.service.spool.last()
    again = ada.post("/events", json={"text": "the ferry once"}, headers=key)
    assert again.status_code == 202 and again.json() == first.json() and at.service.spool.last() == last
    other = ada.post("/events", json={"text": "another ferry"}, headers=key)
    assert other.status_code == 422 and "used for other events" in other.json()["detail"]
    bob = at.client("bob").post("/events", json={"text": "the ferry once"}, headers=key)
    assert bob.status_code == 202 and bob.json() != first.json()
    at.service.posting.add(("ada", "k2"))
    busy = ada.post("/events", json={"text": "a"}, headers={"Idempotency-Key": "k2"})
    at.service.posting.clear()
    assert busy.status_code == 409 and busy.headers["retry-after"] == "1"


def test_a_request_whose_answer_was_lost_delivers_once(at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the spool and the remembered answer: repeated, the events have the same ids."""

    def locked(*_: object) -> None:
        raise StoreError("it is locked", path="store.sqlite")

    ada, key = at.client(), {"Idempotency-Key": "k3"}
    with monkeypatch.context() as patch:
        patch.setattr(type(at.service.store()), "remember_answer", locked)
        assert ada.post("/events", json={"text": "a lost ferry"}, headers=key).status_code == 503
    answer = ada.post("/events", json={"text": "a lost ferry"}, headers=key)
    settled(at)
    assert [one["id"] for one in inbox(ada) if one["text"] == "a lost ferry"] == answer.json()["ids"]


def test_a_full_disk_is_a_503_and_nothing_is_taken(at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, before = at.client(), at.service.spool.last()
    settled(at)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_room)
        answer = ada.post("/events", json={"text": "a ferry"})
    assert answer.status_code == 503 and "No space left" in answer.json()["detail"]
    assert answer.headers["retry-after"] and at.service.spool.last() == before


def test_a_full_spool_is_a_503_with_a_remedy(at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at.service.spool, "most_bytes", 1)
    answer = at.client().post("/events", json={"text": "a ferry"})
    assert answer.status_code == 503 and answer.headers["retry-after"] == "10"
    assert answer.json()["type"] == "urn:watchword:problem:limit-reached" and "not delivered" in answer.json()["remedy"]


@pytest.mark.slow
def test_posted_events_are_decided_again_by_brute_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk(tmp_path, audit=1.0) as made:
        ada, auditor = made.client(), made.service.auditor
        assert auditor is not None
        with made.home.store() as store:
            store.subscribe("ada", "ferry NOT calm", id="words")
            store.subscribe("ada", "value > 20", id="rule", language="predicates")
        body = b'{"text": "a ferry"}\n{"value": 25}\n{"text": "calm ferry"}\n{"text": "' + b"[" * 500 + b'"}'
        ada.post("/events", content=body, headers=NDJSON)
        wait_until(lambda: "watchword_audited_events_total 8.0" in ada.get("/metrics").text, "eight decisions")
        assert not auditor.differences
        real = KeywordIndex.match_many
        monkeypatch.setattr(KeywordIndex, "match_many", lambda index, events: real(index, ["bread"] * len(events)))
        ada.post("/events", json={"text": "a ferry"})
        wait_until(lambda: bool(auditor.differences), "the planted error")
        assert auditor.differences[0].missed == ["words"] and ada.get("/readyz").json()["status"] == "yellow"


@pytest.mark.slow
def test_events_that_wait_when_the_server_ends_are_delivered_by_the_next(tmp_path: Path) -> None:
    with desk(tmp_path, deliver_every=60) as made:
        ada = made.client()
        with made.home.store() as store:
            store.subscribe("ada", "ferry")
        wait_until(lambda: made.service.deliverer.is_holding, "the deliverer")
        token = made.token()
        assert ada.post("/events", json={"id": "a", "text": "ferry"}).status_code == 202
    with desk(tmp_path) as made:
        ada = made.with_token(token)
        wait_until(lambda: [one["id"] for one in inbox(ada)] == ["a"], "the delivery")
        assert made.home.archive().item("a") is not None


def test_readiness_and_figures_say_how_events_are_delivered(at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    settled(at)
    client = at.with_token(None)
    checks = client.get("/readyz").json()["checks"]
    assert checks["posted"] == {"status": "green", "waiting": 0, "delivers": True}
    figures = dict(
        line.split() for line in client.get("/metrics").text.splitlines() if line.startswith("watchword_posted")
    )
    assert float(figures["watchword_posted_waiting"]) == float(figures["watchword_posted_failing"]) == 0
    assert float(figures["watchword_posted_delivered"]) >= 2_000
    with monkeypatch.context() as patch:
        patch.setattr(at.service.deliverer, "deliver", lambda: no_room(0))
        wait_until(lambda: at.service.deliverer.error is not None, "an error")
        answer = client.get("/readyz")
        assert answer.status_code == 200 and answer.json()["status"] == "yellow"
        assert "No space left" in answer.json()["checks"]["posted"]["reason"]
    wait_until(lambda: at.service.deliverer.error is None, "the end of the error")


@pytest.mark.slow
def test_two_servers_of_a_home_share_events_and_inboxes(tmp_path: Path) -> None:
    """Each event is delivered once, whichever took it, and a subscription that was made at one is seen at the other."""
    with desk(tmp_path) as one, desk(tmp_path) as two:
        token = one.token()
        ada, again = one.with_token(token), two.with_token(token)
        wait_until(lambda: one.service.deliverer.is_holding or two.service.deliverer.is_holding, "a deliverer")
        assert one.service.deliverer.is_holding != two.service.deliverer.is_holding
        for number in range(20):
            body = {"text": f"word{number}"}
            assert ada.put(f"/subscriptions/w{number}", json=body).status_code == 201
            assert again.post("/events", json=body).status_code == 202
            assert ada.post("/events", json={"text": f"other {number}"}).status_code == 202
        settled(one)
        texts = sorted(one["text"] for one in inbox(again))
        assert texts == sorted(f"word{number}" for number in range(20))
        holder, other = (one, two) if one.service.deliverer.is_holding else (two, one)
        wait_until(lambda: holder.service.deliverer.delivered == 40, "its count")
        assert other.service.deliverer.delivered == 0
        holder.stop()
        wait_until(lambda: other.service.deliverer.is_holding, "the other takes over")
        assert other.with_token(token).post("/events", json={"text": "word7"}).status_code == 202
        wait_until(lambda: other.service.deliverer.delivered == 1, "the delivery")
