"""`POST /preview` and back-fills: what a draft would have brought, and what a new subscription is given of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from tests.limits import wait_until
from tests.serve.conftest import Running, serving
from watchword.items import Item
from watchword.serve.limits import Buckets


@pytest.fixture(scope="module", autouse=True)
def today(desk: Running) -> datetime:
    """Archive items of five days, and return the last of these; tests may begin before midnight and end behind it."""
    today = datetime.now(UTC)
    archive = desk.home.archive()
    for day in range(5):
        items = [
            Item(
                f"urn:{day}:1", title="The ferry in a storm", text="It sails", link="https://example.org/1", feed="Sea"
            ),
            Item(f"urn:{day}:2", title="The ferry is delayed", feed="Sea"),
            Item(f"urn:{day}:3", title="Bread", text="<b>and</b> butter", feed="Land"),
        ]
        archive.write(f"day {day}", items, today - timedelta(days=day))
    archive.write("old", [Item("urn:old", title="A ferry long ago")], today - timedelta(days=20))
    return today


def test_a_preview_counts_by_day_and_shows_hits_near_misses_and_parts(ada: httpx.Client, today: datetime) -> None:
    ada.put("/subscriptions/same", json={"text": "ferry NOT delayed"})
    answer = ada.post("/preview", json={"language": "keywords", "text": "ferry NOT delayed", "days": 30})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["total"] == 6
    assert len(found["days"]) == 30
    assert sum(day["count"] for day in found["days"]) == 6
    assert {"day": today.date().isoformat(), "count": 1} in found["days"][-2:]
    hit = found["sample"][0]
    assert (hit["title"], hit["link"]) == ("The ferry in a storm", "https://example.org/1")
    assert hit["places"] == [{"start": 4, "end": 9}]
    assert hit["why"].startswith("match")
    assert {near["failed"] for near in found["near"]} == {"NOT delayed", "ferry"}
    assert {"clause": "NOT delayed", "total": 11} in found["without"]
    assert {"id": "same", "relation": "equals", "share": 1.0} in found["like"]
    assert found["complete"] is True


def test_a_preview_of_fewer_days_counts_these(ada: httpx.Client) -> None:
    assert ada.post("/preview", json={"text": "ferry", "days": 2}).json()["total"] == 4


def test_a_preview_knows_only_the_callers_own_subscriptions(bob: httpx.Client, ada: httpx.Client) -> None:
    ada.put("/subscriptions/same", json={"text": "ferry NOT delayed"})
    assert bob.post("/preview", json={"text": "ferry NOT delayed"}).json()["like"] == []


def test_examples_are_tried(ada: httpx.Client) -> None:
    texts = ["the Ferry sails", "a delayed ferry"]
    tried = ada.post("/preview", json={"text": "ferry NOT delayed", "examples": texts}).json()["examples"]
    assert [one["matches"] for one in tried] == [True, False]
    assert tried[0]["places"] == [{"start": 4, "end": 9}]
    assert "delayed" in tried[1]["why"]


@pytest.mark.parametrize(
    "body",
    [{"text": "ferry ("}, {"text": ""}, {}, {"text": "a", "days": 0}, {"text": "a", "days": 10**9},
     {"text": "a", "language": "klingon"}, {"text": "x" * 100_000}, {"text": "a", "more": 1}],
)  # fmt: skip
def test_a_bad_draft_is_a_problem(ada: httpx.Client, body: dict[str, object]) -> None:
    answer = ada.post("/preview", json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_previews_have_a_budget_of_computing(desk: Running, bob: httpx.Client) -> None:
    before = desk.service.previews._spent
    desk.service.previews._spent = Buckets(0.0001, 0.005)
    try:
        statuses = [bob.post("/preview", json={"text": "ferry"}).status_code for _ in range(8)]
    finally:
        desk.service.previews._spent = before
    assert statuses[0] == 200
    assert statuses[-1] == 429


def test_a_backfill_says_how_many_and_then_delivers_each_once(desk: Running, ada: httpx.Client) -> None:
    dry = ada.put("/subscriptions/filled?backfill=7d&dry_run=true", json={"text": "storm"})
    assert dry.json() == {"backfill": {"items": 5, "days": 7.0, "complete": True, "dry_run": True}}
    assert ada.get("/subscriptions/filled").status_code == 404
    made = ada.put("/subscriptions/filled?backfill=7d", json={"text": "storm"})
    assert made.status_code == 201
    assert made.json()["backfill"]["items"] == 5
    ada.put("/subscriptions/filled?backfill=7d", json={"text": "storm"})
    with desk.home.store() as store:
        inbox = store.inbox("ada")
    assert sorted(one.item.identity for one in inbox) == [f"urn:{day}:1" for day in range(5)]
    assert ada.put("/subscriptions/filled?backfill=30d", json={"text": "ferry"}).json()["backfill"]["items"] == 11
    with desk.home.store() as store:
        assert len(store.inbox("ada")) == 11


def test_a_backfill_has_the_events_that_were_posted_just_before(tmp_path: Path) -> None:
    with serving(tmp_path / "home", deliver_every=0.02) as made, made.client("ada") as ada:
        wait_until(lambda: made.service.deliverer._archive_at > 0, "the first look for what is to be archived")
        ada.post("/events", content='"a ferry"\n"a storm"\n', headers={"Content-Type": "application/x-ndjson"})
        wait_until(lambda: made.service.deliverer.waiting() == 0, "the delivery")
        assert made.service.archive.days() == []
        dry = ada.put("/subscriptions/late?backfill=1d&dry_run=true", json={"text": "ferry"}).json()
        assert dry["backfill"]["items"] == 1
        assert ada.put("/subscriptions/late?backfill=1d", json={"text": "ferry"}).json()["backfill"]["items"] == 1
        assert [one["text"] for one in ada.get("/inbox/ada").json()["entries"]] == ["a ferry"]
        made.service.deliverer.close()
        with made.service.deliverer.holding():
            made.service.deliverer.archive()
        assert sum(day.items for day in made.service.archive.days()) == 2


@pytest.mark.parametrize("days", ["", "7", "-1d", "0d", "999999d", "7y", "d", "1e3d", "٧d"])
def test_a_backfill_of_no_time_is_refused_and_nothing_is_made(ada: httpx.Client, days: str) -> None:
    assert ada.put("/subscriptions/none", params={"backfill": days}, json={"text": "a"}).status_code == 422
    assert ada.get("/subscriptions/none").status_code == 404


def test_an_empty_archive_has_nothing_to_show(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as desk, desk.client("ada") as ada:
        found = ada.post("/preview", json={"text": "ferry"}).json()
        assert (found["total"], found["archived"]) == (0, 0)
        assert found["warnings"]
        assert ada.put("/subscriptions/a?backfill=7d", json={"text": "a"}).json()["backfill"]["items"] == 0
