"""Server-sent events: entries as they come, from where a client was, by one poller for all."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest

from tests.limits import wait_until
from tests.serve.desk import Desk, desk
from watchword.serve import listening
from watchword.serve.api import live
from watchword.store import Item, Match

Event = dict[str, Any]


@pytest.fixture
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk")) as made:
        made.token()
        with made.home.store() as store:
            store.subscribe("ada", "ferry", id="ferries")
        yield made


@contextmanager
def listening_to(client: httpx.Client, path: str = "/inbox/ada/live", **headers: str) -> Iterator[Iterator[Event]]:
    """Yield the events of a stream; a comment is an event with the name ``:``."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    with client.stream("GET", path, headers=given) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        yield events(answer.iter_lines())


def events(lines: Iterator[str]) -> Iterator[Event]:
    event: Event = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            event[name or ":"] = value.strip()
        else:
            if "data" in event:
                event["data"] = json.loads(event["data"])
            yield event
            event = {}


def deliver(at: Desk, *names: str, subscriber: str = "ada", key: str = "ferries") -> None:
    with at.home.store() as store:
        items = [Item(name, title=f"Ferry {name}") for name in names]
        assert store.record(f"batch {names[0]}", items, [Match(name, key) for name in names])


def taken(stream: Iterator[Event], count: int) -> list[str]:
    """Return the ids of the next deliveries of a stream."""
    found: list[str] = []
    while len(found) < count:
        event = next(stream)
        if event.get("event") == "delivery":
            assert int(event["id"]) == event["data"]["number"]
            found.append(event["data"]["id"])
    return found


def test_entries_come_as_they_are_delivered_and_earlier_ones_do_not(at: Desk) -> None:
    deliver(at, "old")
    with listening_to(at.client()) as stream:
        assert next(stream) == {"retry": "3000"}
        deliver(at, "a", "b")
        assert taken(stream, 2) == ["a", "b"]
        deliver(at, "c")
        event = next(stream)
        assert event["data"]["reasons"][0]["why"] == "match: ferry" and event["data"]["id"] == "c"


def test_a_client_that_comes_back_gets_what_it_missed(at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "AT_ONCE", 2)
    deliver(at, *"abcdef")
    ada = at.client()
    numbers = {one["id"]: one["number"] for one in ada.get("/inbox/ada").json()["entries"]}
    with listening_to(ada, Last_Event_ID=str(numbers["b"])) as stream:
        assert taken(stream, 4) == ["c", "d", "e", "f"]
    with listening_to(at.client(), f"/inbox/ada/live?after={numbers['e']}") as stream:
        assert taken(stream, 1) == ["f"]
    for wrong in ("x", "-1", "9" * 30, "٣"):
        answer = ada.get("/inbox/ada/live", headers={"Last-Event-ID": wrong.encode()})  # type: ignore[dict-item]
        assert answer.status_code == 422, wrong


@pytest.mark.slow
def test_one_poller_serves_all_and_stops_with_the_last(at: Desk) -> None:
    with at.home.store() as store:
        store.add_subscriber("bob")
        store.subscribe("bob", "ferry", id="bobs")
    with ExitStack() as stack:
        one, two, bobs = (
            stack.enter_context(listening_to(at.client(name), f"/inbox/{name}/live")) for name in ("ada", "ada", "bob")
        )
        for stream in (one, two, bobs):
            next(stream)
        service = at.service.listening
        assert sum(map(len, service._listeners.values())) == 3
        began, looks = time.monotonic(), service.looks
        time.sleep(0.7)
        assert service.looks - looks <= (time.monotonic() - began) / listening.EVERY + 1
        deliver(at, "mine", subscriber="ada")
        deliver(at, "his", key="bobs")
        assert taken(one, 1) == taken(two, 1) == ["mine"] and taken(bobs, 1) == ["his"]
    wait_until(lambda: not service._listeners and service._poller is None, "the end of the poller")
    looks = service.looks
    time.sleep(2 * listening.EVERY)
    assert service.looks == looks
    text = at.client().get("/metrics").text
    assert "watchword_open_streams 0.0" in text


@pytest.mark.slow
def test_a_token_has_a_bounded_number_of_streams(at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MOST", 1)
    token = at.token()
    with listening_to(at.with_token(token)) as stream:
        next(stream)
        refused = at.with_token(token).get("/inbox/ada/live")
        assert refused.status_code == 429 and refused.headers["retry-after"] == "5"
        with listening_to(at.client()) as other:
            next(other)
    wait_until(lambda: not at.service.listening._open, "the end of the streams")
    with listening_to(at.with_token(token)) as stream:
        next(stream)


@pytest.mark.slow
def test_a_silent_stream_has_heartbeats_and_ends_when_the_token_is_revoked(
    at: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "HEARTBEAT", 0.1)
    token = at.token()
    with listening_to(at.with_token(token)) as stream:
        next(stream)
        assert next(stream) == next(stream) == {":": ""}
        with at.home.store() as store:
            store.revoke_token("ada", store.tokens("ada")[-1].number)
        assert all(event == {":": ""} for event in stream), "until it ends"


@pytest.mark.slow
def test_a_revoked_token_gets_no_further_entry(at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "REMEMBERED", 0.0)
    monkeypatch.setattr("watchword.serve.security.REMEMBERED", 0.0)
    with listening_to(at.with_token(at.token())) as stream:
        next(stream)
        with at.home.store() as store:
            store.revoke_token("ada", store.tokens("ada")[-1].number)
        deliver(at, "late")
        assert list(stream) == []


def test_it_ends_with_the_server(at: Desk) -> None:
    with listening_to(at.client()) as stream:
        next(stream)
        began = time.monotonic()
        at.stop()
        assert list(stream) == []
        assert time.monotonic() - began < 5


def test_a_store_that_was_restored_from_a_copy_wakes_everybody(at: Desk) -> None:
    deliver(at, "a")
    at.service.listening.looks = 0
    assert at.service.listening._look(-1) == (1, None)
    assert at.service.listening._look(1) == (1, ())
    assert at.service.listening._look(7) == (1, None)
    deliver(at, "b")
    assert at.service.listening._look(1) == (2, ["ada"])
