"""Subscriptions over HTTP: conditions, details, many at once, somebody else's, and what a match then sees."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.serve.conftest import Running
from watchword.errors import StoreError
from watchword.serve.api import noting

LINES = "application/x-ndjson"


def ids_of(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["matches"]]


def test_a_new_subscription_is_made_and_matches_at_once(ada: httpx.Client) -> None:
    made = ada.put("/subscriptions/storms", json={"language": "keywords", "text": "ferry AND storm"})
    assert made.status_code == 201
    body = made.json()
    assert {"id": "storms", "language": "keywords", "text": "ferry AND storm"}.items() <= body.items()
    assert body["change"] >= 1
    assert made.headers["etag"].strip('"')
    assert ids_of(ada.post("/match", json={"event": "the ferry in the storm"})) == ["storms"]


def test_replacing_answers_200_with_another_tag_and_a_later_change(ada: httpx.Client) -> None:
    first = ada.put("/subscriptions/replaced", json={"text": "bread"})
    second = ada.put("/subscriptions/replaced", json={"text": "bread AND butter"})
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json()["change"] > first.json()["change"]
    assert first.headers["etag"] != second.headers["etag"]
    assert "replaced" not in ids_of(ada.post("/match", json={"event": "bread alone"}))


def test_a_refused_text_says_where_and_what_to_do_and_changes_nothing(ada: httpx.Client) -> None:
    ada.put("/subscriptions/kept", json={"text": "chess"})
    refused = ada.put("/subscriptions/kept", json={"text": "chess (storm"})
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    problem = refused.json()
    assert (problem["position"], problem["length"], problem["remedy"]) == (6, 1, "add the closing )")
    assert problem["caret"] == "  chess (storm\n        ^"
    assert problem["detail"].startswith("this parenthesis is never closed")
    assert problem["instance"] == "/subscriptions/kept"
    assert ada.get("/subscriptions/kept").json()["text"] == "chess"


@pytest.mark.parametrize(
    "body",
    [{}, {"text": 3}, {"text": None}, {"text": "a", "unknown": 1}, {"text": "a", "language": "klingon"}, [], "a", None],
)
def test_a_body_that_is_no_draft_is_refused(ada: httpx.Client, body: object) -> None:
    answer = ada.put("/subscriptions/nothing", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["type"].startswith("urn:watchword:problem:")
    assert ada.get("/subscriptions/nothing").status_code == 404


def test_somebody_elses_subscription_does_not_exist(ada: httpx.Client, bob: httpx.Client) -> None:
    ada.put("/subscriptions/of-ada", json={"text": "harbour"})
    for answer in (
        bob.get("/subscriptions/of-ada"),
        bob.delete("/subscriptions/of-ada"),
        bob.put("/subscriptions/of-ada", json={"text": "harbour"}),
        bob.get("/subscriptions", params={"subscriber": "ada"}),
        bob.post("/match", params={"subscriber": "ada"}, json={"event": "harbour"}),
    ):
        assert answer.status_code == 404, answer.text
        assert "ada" not in answer.json()["detail"].replace("of-ada", "").replace("'ada'", "")
    assert ids_of(bob.post("/match", json={"event": "the harbour"})) == []
    assert "of-ada" in ids_of(ada.post("/match", json={"event": "the harbour"}))


def test_an_administrator_sees_everybodys(desk: Running, ada: httpx.Client) -> None:
    ada.put("/subscriptions/seen", json={"text": "lighthouse"})
    with desk.client("admin") as admin:
        assert admin.get("/subscriptions/seen").json()["subscriber"] == "ada"
        assert ids_of(admin.post("/match", json={"event": "lighthouse"})) == []
        assert ids_of(admin.post("/match?subscriber=*", json={"event": "lighthouse"})) == ["seen"]
        assert ids_of(admin.post("/match?subscriber=ada", json={"event": "lighthouse"})) == ["seen"]


def test_conditions_are_kept(ada: httpx.Client) -> None:
    assert ada.put("/subscriptions/c", json={"text": "a"}, headers={"If-Match": '"x"'}).status_code == 412
    made = ada.put("/subscriptions/c", json={"text": "a"}, headers={"If-None-Match": "*"})
    assert made.status_code == 201
    assert ada.put("/subscriptions/c", json={"text": "b"}, headers={"If-None-Match": "*"}).status_code == 412
    assert ada.put("/subscriptions/c", json={"text": "b"}, headers={"If-Match": '"stale"'}).status_code == 412
    assert ada.get("/subscriptions/c").json()["text"] == "a"
    same = ada.put("/subscriptions/c", json={"text": "b"}, headers={"If-Match": made.headers["etag"]})
    assert same.status_code == 200
    assert ada.put("/subscriptions/c", json={"text": "c"}, headers={"If-Match": "*"}).status_code == 200
    assert ada.delete("/subscriptions/c", headers={"If-Match": '"stale"'}).status_code == 412
    now = ada.get("/subscriptions/c")
    assert ada.get("/subscriptions/c", headers={"If-None-Match": now.headers["etag"]}).status_code == 304
    assert ada.get("/subscriptions/c", headers={"If-None-Match": 'W/"x", "y"'}).status_code == 200
    assert ada.delete("/subscriptions/c", headers={"If-Match": now.headers["etag"]}).status_code == 204
    assert ada.delete("/subscriptions/c").status_code == 404


def test_details_are_kept_until_they_are_given_again(ada: httpx.Client) -> None:
    details = {"name": "Storms", "note": "at sea", "tags": ["sea", "sea", "wind"]}
    made = ada.put("/subscriptions/details", json={"text": "gale"} | details).json()
    assert (made["name"], made["note"], made["tags"]) == ("Storms", "at sea", ["sea", "wind"])
    kept = ada.put("/subscriptions/details", json={"text": "gale OR squall"}).json()
    assert (kept["name"], kept["tags"]) == ("Storms", ["sea", "wind"])
    cleared = ada.put("/subscriptions/details", json={"text": "gale", "tags": [], "name": ""}).json()
    assert (cleared["name"], cleared["note"], cleared["tags"]) == ("", "at sea", [])


def test_a_paused_subscription_matches_nothing_until_it_is_resumed(ada: httpx.Client) -> None:
    ada.put("/subscriptions/p", json={"text": "volcano"})
    ada.put("/subscriptions/p", json={"text": "volcano", "paused": True})
    assert ids_of(ada.post("/match", json={"event": "a volcano"})) == []
    assert ada.get("/subscriptions/p").json()["paused"] is True
    ada.put("/subscriptions/p", json={"text": "volcano", "paused": False})
    assert ids_of(ada.post("/match", json={"event": "a volcano"})) == ["p"]


def test_examples_are_checked_at_every_edit(ada: httpx.Client) -> None:
    examples = [{"event": "ice in the bay", "matches": True}, {"event": "ice cream", "matches": False}]
    assert ada.put("/subscriptions/ice", json={"text": "ice NOT cream", "examples": examples}).status_code == 201
    refused = ada.put("/subscriptions/ice", json={"text": "ice"})
    assert refused.status_code == 422
    assert "example 2" in refused.json()["detail"]
    assert ada.get("/subscriptions/ice").json()["text"] == "ice NOT cream"


def test_a_match_by_tag_asks_only_these(ada: httpx.Client) -> None:
    ada.put("/subscriptions/t1", json={"text": "comet", "tags": ["sky"]})
    ada.put("/subscriptions/t2", json={"text": "comet"})
    event = {"event": "a comet"}
    assert ids_of(ada.post("/match", json=event)) == ["t1", "t2"]
    assert ids_of(ada.post("/match?tag=sky", json=event)) == ["t1"]
    assert ids_of(ada.post("/match?tag=sea&tag=sky", json=event)) == ["t1"]
    assert ids_of(ada.post("/match?tag=sea", json=event)) == []
    ada.put("/subscriptions/t2", json={"text": "comet", "tags": ["sea"]})
    assert ids_of(ada.post("/match?tag=sea", json=event)) == ["t2"]


def test_the_list_is_filtered_and_paged(desk: Running) -> None:
    with desk.client("bob") as bob:
        for number in range(5):
            bob.put(f"/subscriptions/l{number}", json={"text": f"word{number}", "tags": ["odd"] if number % 2 else []})
        bob.put("/subscriptions/lp", json={"language": "patterns", "text": "w?rd"})
        first = bob.get("/subscriptions", params={"limit": 4}).json()
        rest = bob.get("/subscriptions", params={"limit": 4, "after": first["next"]}).json()
        assert [one["id"] for one in first["subscriptions"] + rest["subscriptions"]] == [
            "l0", "l1", "l2", "l3", "l4", "lp",
        ]  # fmt: skip
        assert rest["next"] is None
        assert [one["id"] for one in bob.get("/subscriptions?tag=odd").json()["subscriptions"]] == ["l1", "l3"]
        assert [one["id"] for one in bob.get("/subscriptions?language=patterns").json()["subscriptions"]] == ["lp"]
        lines = bob.get("/subscriptions", headers={"Accept": LINES}).text.splitlines()
        assert [json.loads(line)["id"] for line in lines] == ["l0", "l1", "l2", "l3", "l4", "lp"]
        assert bob.get("/subscriptions?limit=0").status_code == 422


def test_many_are_made_in_one_request(ada: httpx.Client) -> None:
    lines = b'{"id": "m1", "text": "walrus"}\n\n{"text": "seal", "tags": ["animals"]}\n'
    answer = ada.post("/subscriptions", content=lines, headers={"Content-Type": LINES})
    assert answer.status_code == 200
    first, second = map(json.loads, answer.text.splitlines())
    assert first == {"line": 1, "id": "m1"}
    assert second["line"] == 3
    assert ids_of(ada.post("/match", json={"event": "walrus and seal"})) == ["m1", second["id"]]


def test_many_are_all_made_or_none(ada: httpx.Client) -> None:
    lines = b'{"id": "n1", "text": "otter"}\n{"id": "n2", "text": "otter ("}\n{"id": "n3", "text": "otter"}'
    refused = ada.post("/subscriptions", content=lines, headers={"Content-Type": LINES})
    assert refused.status_code == 422
    assert (refused.json()["line"], refused.json()["position"]) == (2, 6)
    assert ada.get("/subscriptions/n1").status_code == 404


def test_the_good_ones_of_many_are_made_if_others_are_skipped(ada: httpx.Client, bob: httpx.Client) -> None:
    bob.put("/subscriptions/of-bob", json={"text": "x"})
    lines = [
        '{"id": "g1", "text": "stork"}', "no json", '{"id": "g2", "text": "stork ("}', '{"id": "of-bob", "text": "a"}',
        '{"id": "g1", "text": "twice"}', "7", '{"id": "g3", "text": "stork", "language": "klingon"}',
        '{"id": "g4", "text": "stork"}',
    ]  # fmt: skip
    answer = ada.post("/subscriptions?on_error=skip", content="\n".join(lines), headers={"Content-Type": LINES})
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [one["line"] for one in found] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [one.get("id") for one in found] == ["g1", None, None, None, None, None, None, "g4"]
    assert found[2]["position"] == 6
    assert "another" not in found[3]["error"].replace("choose another id", "")
    assert ids_of(ada.post("/match", json={"event": "a stork"})) == ["g1", "g4"]


def test_one_is_made_by_post_with_an_id_of_the_server(ada: httpx.Client) -> None:
    made = ada.post("/subscriptions", json={"text": "zeppelin"})
    assert made.status_code == 201
    assert ada.get(made.headers["location"]).json()["text"] == "zeppelin"
    assert ada.post("/subscriptions", json={"id": made.json()["id"], "text": "again"}).status_code == 412


def test_an_id_may_have_any_characters(ada: httpx.Client) -> None:
    made = ada.put("/subscriptions/a%2Fb%20%C3%A9", json={"text": "obelisk"})
    assert made.status_code == 201
    assert made.json()["id"] == "a/b é"
    assert ids_of(ada.post("/match", json={"event": "obelisk"})) == ["a/b é"]
    assert ada.delete("/subscriptions/a%2Fb%20%C3%A9").status_code == 204


def test_each_change_leaves_a_row_in_the_audit_log(desk: Running, ada: httpx.Client) -> None:
    ada.put("/subscriptions/logged", json={"text": "one"})
    ada.put("/subscriptions/logged", json={"text": "two"})
    ada.delete("/subscriptions/logged")
    with desk.client("admin") as admin:
        entries = [one for one in admin.get("/audit").json()["entries"] if one["which"] == "logged"]
    assert [(one["who"], one["what"]) for one in entries] == [
        ("ada", "unsubscribe"), ("ada", "replace subscription"), ("ada", "subscribe"),
    ]  # fmt: skip
    assert (entries[1]["old"]["text"], entries[1]["new"]["text"]) == ("one", "two")
    assert entries[0]["source"] == "127.0.0.1"
    assert desk.tokens["ada"] not in json.dumps(entries)


def test_a_change_that_cannot_be_noted_is_not_called_undone(
    desk: Running, ada: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError("the disk is full: nothing was changed", path=desk.home.path)

    with monkeypatch.context() as patch:
        patch.setattr(type(desk.service.store()), "add_audit", fail)
        answer = ada.put("/subscriptions/unnoted", json={"text": "ferry"})
    assert answer.status_code == 503
    assert answer.json()["detail"] == "the change was made, and could not be noted in the audit log"
    assert ada.get("/subscriptions/unnoted").json()["text"] == "ferry"


def test_many_changes_are_in_the_audit_log_with_what_was_there_before(
    desk: Running, ada: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noting, "NOTED", 2)
    ada.put("/subscriptions/kept", json={"text": "one", "tags": ["sea"]})
    lines = (
        '{"id": "kept", "text": "two"}\n{"id": "n1", "text": "x"}\n{"id": "n2", "text": "x"}\n{"id": "n3", "text": "x"}'
    )
    assert ada.post("/subscriptions", content=lines, headers={"Content-Type": LINES}).status_code == 200
    with desk.client("admin") as admin:
        entries = admin.get("/audit").json()["entries"][:3]
    assert [(one["what"], one["which"]) for one in entries] == [
        ("replace many", "1 subscription"), ("subscribe many", "1 subscription"), ("subscribe many", "2 subscriptions"),
    ]  # fmt: skip
    assert (entries[0]["old"]["kept"]["text"], entries[0]["new"]["kept"]["text"]) == ("one", "two")
    assert entries[0]["old"]["kept"]["tags"] == ["sea"]
    assert [one["new"]["ids"] for one in entries[1:]] == [["n3"], ["n1", "n2"]]
    monkeypatch.setattr(noting, "NOTED_BYTES", 1)
    assert ada.post("/subscriptions", content=lines, headers={"Content-Type": LINES}).status_code == 200
    with desk.client("admin") as admin:
        entries = admin.get("/audit").json()["entries"][:4]
    assert [next(iter(one["old"])) for one in entries] == ["n3", "n2", "n1", "kept"]
