"""Channels over HTTP: set up once, tested, told by the running server, with the log of what was sent and why not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from tests.limits import wait_until
from tests.notify.receivers import LOOPBACK, Receiver, receiver
from tests.serve.desk import Desk, desk
from watchword.items import Item


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk"), notify_networks=LOOPBACK) as made:
        yield made


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def put(client: httpx.Client, name: str, **wanted: Any) -> httpx.Response:
    return client.put(f"/channels/{name}", json={"kind": "webhook"} | wanted)


def test_an_event_comes_to_a_webhook_and_into_the_log(here: Desk, hook: Receiver) -> None:
    ada = here.client("ada")
    made = put(ada, "desk", address=hook.url).json()
    assert made["state"] == "ready" and made["secret"].startswith("whsec_")
    assert put(ada, "desk", address=hook.url).json()["secret"] is None
    assert "secret" not in ada.get("/channels").json()["channels"][0]
    ada.put("/subscriptions/storms", json={"text": "ferry AND storm"}).raise_for_status()
    ada.post("/events", json={"id": "e1", "title": "A ferry in the storm"}).raise_for_status()
    wait_until(lambda: bool(hook.came), "the message")
    data = Webhook(made["secret"]).verify(hook.came[0].body, hook.came[0].headers)["data"]
    assert data["item"]["title"] == "A ferry in the storm"
    assert [why["why"] for why in data["item"]["reasons"]] == ["match: ferry AND storm"]
    wait_until(lambda: ada.get("/notifications?state=sent").json()["messages"] != [], "the log")
    (message,) = ada.get("/notifications?channel=desk&state=sent").json()["messages"]
    assert message["titles"] == ["A ferry in the storm"] and message["id"] == hook.came[0].id
    assert message["attempts"][0]["answer"] == "204 No Content"
    assert here.client("bob").get("/notifications").json() == {"messages": [], "next": None}
    metrics = ada.get("/metrics").text
    assert 'watchword_outbox{state="waiting"} 0.0' in metrics and "watchword_notify_sent 1.0" in metrics


def test_a_test_says_what_the_receiver_answered(here: Desk, hook: Receiver) -> None:
    eve = here.client("eve")
    put(eve, "desk", address=hook.url)
    assert eve.post("/channels/desk/test").json() == {"ok": True, "answer": "204 No Content"}
    assert hook.came[0].json["type"] == "watchword.test"
    hook.answer = lambda received: 500
    assert eve.post("/channels/desk/test").json() == {"ok": False, "answer": "500 Internal Server Error"}
    assert [one["kind"] for one in eve.get("/notifications").json()["messages"]] == ["test", "test"]
    answers = [eve.post("/channels/desk/test").status_code for _ in range(40)]
    assert answers[-1] == 429 and answers[0] == 200


def test_routes_and_mutes(here: Desk, hook: Receiver) -> None:
    ann = here.client("ann")
    put(ann, "phone", address=hook.url, everything=False)
    ann.put("/subscriptions/boats", json={"text": "boat"})
    ann.put("/subscriptions/no-sport", json={"text": "regatta"})
    assert ann.get("/routes/boats").json() == {"channels": [], "mutes": False}
    assert ann.put("/routes/boats", json={"channels": ["phone"]}).json()["channels"] == ["phone"]
    assert ann.put("/routes/no-sport", json={"mutes": True}).json()["mutes"]
    assert ann.put("/routes/boats", json={"channels": ["nothing"]}).status_code == 404
    assert here.client("bob").put("/routes/boats", json={}).status_code == 404
    for name, title in (("m1", "A boat in the regatta"), ("m2", "A boat")):
        ann.post("/events", json={"id": name, "title": title}).raise_for_status()
    wait_until(lambda: bool(hook.came), "the message")
    wait_until(lambda: ann.get("/notifications/unsent").json()["unsent"] != [], "the withheld one")
    assert hook.items() == ["m2"]
    (unsent,) = ann.get("/notifications/unsent").json()["unsent"]
    assert (unsent["item"], unsent["reason"], unsent["state"]) == ("m1", "muted", "withheld")


def test_a_back_fill_tells_nobody(here: Desk, hook: Receiver) -> None:
    kim = here.client("kim")
    here.home.archive().write("old", [Item("k1", title="Old news of a lighthouse")])
    put(kim, "desk", address=hook.url)
    filled = kim.put("/subscriptions/light?backfill=7d", json={"text": "lighthouse"}).json()["backfill"]
    assert filled["items"] == 1 and len(kim.get("/inbox/kim").json()["entries"]) == 1
    assert here.service.store().outbox_counts("kim")[:4] == (0, 0, 0, 0) and hook.came == []


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"address": "file:///etc/passwd"}, "begins with http"),
        ({"address": "https://user:secret@desk.example/"}, "no user"),
        ({"address": "https://desk.example:22/"}, "port"),
        ({"address": "https://desk.example/" + "x" * 1990}, "at most 2000 characters"),
        ({"address": "https://desk.example/", "settings": {"times": ["25:00"]}}, "time of day"),
        ({"address": "https://desk.example/", "settings": {"quiet": "22-7"}}, "time of day"),
        ({"address": "https://desk.example/", "settings": {"budget": 0}}, "budget"),
        ({"address": "https://desk.example/", "settings": {"colour": "red"}}, "settings of a channel"),
        ({"kind": "mail", "address": "ada@island.example"}, "sends no mail"),
        ({"kind": "apprise", "address": "ntfy://x"}, "administrator"),
        ({"kind": "nothing", "address": "x"}, "no address"),
    ],
)
def test_what_cannot_be_is_refused_with_its_remedy(here: Desk, wanted: dict[str, Any], said: str) -> None:
    answer = put(here.client("ada"), "wrong", **wanted)
    assert answer.status_code == 422 and said in answer.json()["detail"]


def test_profiles_fallbacks_and_what_there_is_not(here: Desk, hook: Receiver) -> None:
    sue = here.client("sue")
    assert sue.put("/profile", json={"zone": "Europe/Athens", "by_story": False}).json()["zone"] == "Europe/Athens"
    assert sue.get("/profile").json() == {"zone": "Europe/Athens", "by_story": False}
    assert sue.put("/profile", json={"zone": "Europe/Atlantis"}).status_code == 422
    put(sue, "a", address=hook.url)
    put(sue, "b", address=hook.url, fallback="a")
    assert put(sue, "a", address=hook.url, fallback="b").status_code in (422, 503)
    for method, path in (("post", "test"), ("post", "secret"), ("post", "enable")):
        assert sue.request(method, f"/channels/missing/{path}").status_code == 404
    assert sue.delete("/channels/b").status_code == 204 and sue.delete("/channels/b").status_code == 404
    secret = sue.post("/channels/a/secret").json()["secret"]
    sue.post("/channels/a/test")
    Webhook(secret).verify(hook.came[-1].body, hook.came[-1].headers)
    assert len(hook.came[-1].headers["webhook-signature"].split()) == 2
    audit = here.client("root", "admin").get("/audit").json()["entries"]
    assert {"put channel", "remove channel", "rotate secret", "put profile"} <= {one["what"] for one in audit}
    assert secret not in str(audit)


def test_dead_letters_are_replayed(here: Desk, hook: Receiver) -> None:
    pat = here.client("pat")
    put(pat, "desk", address=hook.url)
    hook.answer = lambda received: 410
    pat.put("/subscriptions/pat", json={"text": "harbour"})
    pat.post("/events", json={"id": "p1", "title": "The harbour"})
    wait_until(lambda: pat.get("/notifications?state=dead").json()["messages"] != [], "the dead letter")
    assert pat.get("/channels").json()["channels"][0]["state"] == "disabled"
    hook.answer = lambda received: 200
    assert pat.post("/channels/desk/enable").json()["state"] == "ready"
    assert pat.post("/notifications/replay", json={"messages": [10**18]}).json() == {"replayed": 0}
    assert pat.post("/notifications/replay", json={}).json() == {"replayed": 1}
    wait_until(lambda: len(hook.came) == 2, "the message again")
    assert hook.came[0].id == hook.came[1].id


def test_the_inbox_has_a_story_once_and_reading_it_reads_all(here: Desk) -> None:
    ivy = here.client("ivy")
    ivy.put("/subscriptions/ivy", json={"text": "grounding"})
    for number, feed in enumerate("ABC"):
        event = {"id": f"g{number}", "title": "Grounding", "link": "https://port.example/g", "feed": feed}
        ivy.post("/events", json=event).raise_for_status()
    wait_until(lambda: here.service.store().inbox_counts("ivy").all == 3, "the items")
    (entry,) = ivy.get("/inbox/ivy").json()["entries"]
    assert entry["id"] == "g0" and [one["item"] for one in entry["sources"]] == ["g1", "g2"]
    assert ivy.get("/inbox/ivy/counts").json()["unread"] == 1
    done = ivy.post("/inbox/ivy/read", json={"items": ["g1"]}).json()
    assert done["changed"] == 3 and sorted(done["undo"]["items"]) == ["g0", "g1", "g2"]
    assert ivy.get("/inbox/ivy").json()["entries"] == []
    assert ivy.post("/inbox/ivy/unread", json={"items": ["g2"]}).json()["changed"] == 3


def test_a_server_without_notifications_sends_none(tmp_path: Path, hook: Receiver) -> None:
    with desk(tmp_path, notify=False) as made:
        assert made.service.dispatcher._thread is None
