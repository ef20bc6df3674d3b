"""Inboxes over HTTP: pages, views, search, marks with their undo, counts; a stranger's inbox does not exist."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.desk import Desk, desk
from watchword.home import Home
from watchword.serve.api import inbox as routes
from watchword.store import Item, Match

TIME = datetime(2026, 11, 18, 20, 15, tzinfo=UTC)


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk")) as made:
        yield made


@pytest.fixture
def ada(at: Desk) -> Iterator[httpx.Client]:
    """Return a client whose inbox has the items 0 to 9; the even ones match two subscriptions."""
    with at.home.store() as store:
        if any(one.name == "ada" for one in store.subscribers()):
            store.remove_subscriber("ada")
        client = at.client("ada")
        store.subscribe("ada", "ferry", id="ferries")
        store.subscribe("ada", "calm", id="calms")
        items = [Item(f"i{n}", f"Ferry {n}", "calm" if n % 2 == 0 else "wild", published=TIME) for n in range(10)]
        matches = [Match(item.identity, "ferries") for item in items]
        matches += [Match(item.identity, "calms") for item in items[::2]]
        assert store.record(secrets.token_hex(8), items, matches)
    yield client


def ids(client: httpx.Client, query: str = "") -> list[str]:
    return [entry["id"] for entry in client.get(f"/inbox/ada{query}").json()["entries"]]


def post(client: httpx.Client, action: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/inbox/ada/{action}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_pages_go_on_where_the_last_one_ended(ada: httpx.Client) -> None:
    first = ada.get("/inbox/ada?limit=4").json()
    assert [entry["id"] for entry in first["entries"]] == ["i9", "i8", "i7", "i6"]
    assert first["next"] == first["entries"][-1]["number"]
    second = ada.get(f"/inbox/ada?limit=4&before={first['next']}").json()
    third = ada.get(f"/inbox/ada?limit=2&before={second['next']}").json()
    assert [entry["id"] for entry in second["entries"] + third["entries"]] == ["i5", "i4", "i3", "i2", "i1", "i0"]
    assert third["next"] is None
    entry = first["entries"][1]
    assert entry["published"] == "2026-11-18T20:15:00+00:00" and entry["matched_at"]
    assert [reason["subscription"] for reason in entry["reasons"]] == ["calms", "ferries"]
    assert [reason["places"] for reason in entry["reasons"]] == [
        [{"attribute": None, "start": 9, "end": 13}],
        [{"attribute": None, "start": 0, "end": 5}],
    ]


def test_views_and_subscriptions(ada: httpx.Client) -> None:
    post(ada, "read", items=["i1", "i2"])
    post(ada, "star", items=["i2", "i5"])
    assert ids(ada, "?limit=500") == ["i9", "i8", "i7", "i6", "i5", "i4", "i3", "i0"]
    assert ids(ada, "?view=starred") == ["i5", "i2"] and len(ids(ada, "?view=all")) == 10
    assert ids(ada, "?view=all&subscription=calms") == ["i8", "i6", "i4", "i2", "i0"]
    counts = ada.get("/inbox/ada/counts").json()
    assert counts == {"unread": 8, "starred": 2, "all": 10, "by_subscription": {"calms": 4, "ferries": 8}}


def test_search_is_a_subscription_over_the_inbox(ada: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ids(ada, "?q=ferry NOT calm") == ["i9", "i7", "i5", "i3", "i1"]
    page = ada.get("/inbox/ada?q=ferry NOT calm&limit=2").json()
    assert ids(ada, f"?q=ferry NOT calm&limit=2&before={page['next']}") == ["i5", "i3"]
    refused = ada.get("/inbox/ada?q=ferry (").json()
    assert (refused["status"], refused["position"]) == (422, 6)
    monkeypatch.setattr(routes, "MOST", 3)
    monkeypatch.setattr(routes, "SEARCHED", 6)
    assert ids(ada, "?q=ferry NOT calm") == ["i9", "i7", "i5"]
    following = ada.get("/inbox/ada?q=ferry NOT calm").json()["next"]
    assert ids(ada, f"?q=ferry NOT calm&before={following}") == ["i3", "i1"]
    assert ada.get(f"/inbox/ada?q=ferry NOT calm&before={following}").json()["next"] is None


def test_search_reads_words_as_subscriptions_do(tmp_path: Path) -> None:
    with Home.make(tmp_path / "home").store() as store:
        store.set_options("keywords", stemmer="english", fold_accents=True)
    with desk(tmp_path) as made:
        ada = made.client("ada")
        with made.home.store() as store:
            store.subscribe("ada", "ferry", id="ferries")
            store.record("key", [Item("i", "The ferries to Orléans")], [Match("i", "ferries")])
        assert ids(ada, "?q=ferry orleans") == ["i"]


@pytest.mark.parametrize(("action", "back"), [("read", "unread"), ("star", "unstar")])
def test_every_mark_says_how_to_undo_it(ada: httpx.Client, action: str, back: str) -> None:
    post(ada, action, items=["i3"])
    done = post(ada, action, items=["i3", "i4", "i4", "nowhere"])
    assert done == {"changed": 1, "undo": {"action": back, "items": ["i4"]}}
    undone = post(ada, back, items=done["undo"]["items"])
    assert undone == {"changed": 1, "undo": {"action": action, "items": ["i4"]}}
    assert post(ada, back, items=["i3", "i4"])["undo"]["items"] == ["i3"]
    assert ids(ada, "?view=starred") == [] and len(ids(ada)) == 10


def test_mark_all_leaves_what_came_later_and_can_be_undone(ada: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    number = ada.get("/inbox/ada?limit=1").json()["entries"][0]["number"]
    post(ada, "read", items=["i0"])
    done = post(ada, "read", through=number - 2)
    assert done["changed"] == 7 and ids(ada) == ["i9", "i8"]
    assert post(ada, done["undo"]["action"], items=done["undo"]["items"])["changed"] == 7
    assert ids(ada) == [f"i{n}" for n in range(9, 0, -1)]
    monkeypatch.setattr(routes, "UNDONE", 8)
    assert post(ada, "read", through=number) == {"changed": 9, "undo": None}
    assert ids(ada) == []


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("read", {}),
        ("read", {"items": ["i1"], "through": 5}),
        ("unread", {"through": 5}),
        ("star", {}),
        ("read", {"items": "i1"}),
        ("read", {"through": -1}),
        ("read", {"through": 1 << 63}),
        ("read", {"items": [], "more": 1}),
        ("read", {"items": ["x"] * 5_001}),
    ],
)
def test_a_body_that_says_nothing_clear_is_refused(ada: httpx.Client, action: str, body: dict[str, Any]) -> None:
    answer = ada.post(f"/inbox/ada/{action}", json=body)
    assert answer.status_code == 422 and answer.json()["type"] == "urn:watchword:problem:wrong-value"
    assert len(ids(ada)) == 10


@pytest.mark.parametrize("query", ["?limit=0", "?limit=501", "?before=-1", "?before=9223372036854775808", "?view=new"])
def test_a_query_out_of_range_is_refused(ada: httpx.Client, query: str) -> None:
    assert ada.get(f"/inbox/ada{query}").status_code == 422


ROUTES = [("GET", ""), ("GET", "/counts"), ("GET", "/live"), *(("POST", f"/{a}") for a in ("read", "unread", "star"))]


@pytest.mark.parametrize(("method", "path"), [*ROUTES, ("POST", "/unstar")])
def test_a_strangers_inbox_does_not_exist(at: Desk, ada: httpx.Client, method: str, path: str) -> None:
    bob, body = at.client("bob"), {"items": ["i1"]} if method == "POST" else None
    for name in ("ada", "nobody-of-that-name"):
        answer = bob.request(method, f"/inbox/{name}{path}", json=body)
        assert answer.status_code == 404 and answer.json()["detail"] == f"there is no inbox of {name!r}"
    assert at.with_token(None).request(method, f"/inbox/ada{path}", json=body).status_code == 401
    narrow = at.client("ada", "write" if method == "GET" else "read")
    assert narrow.request(method, f"/inbox/ada{path}", json=body).status_code == 403
    admin = at.client("root", "admin")
    if path != "/live":
        assert admin.request(method, f"/inbox/ada{path}", json=body).status_code == 200
    assert admin.request(method, f"/inbox/nobody{path}", json=body).status_code == 404
