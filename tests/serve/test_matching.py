"""`POST /match`: one event in every form, many in lines and tables, reasons with places, waiting, handing over."""

from __future__ import annotations

import json
import random
import threading
import time

import httpx
import pyarrow as pa
import pytest

from tests.oracle import matches
from tests.serve.conftest import Running

LINES, ARROW = "application/x-ndjson", "application/vnd.apache.arrow.stream"
TEXTS = {
    "storms": ("keywords", "ferry AND storm"),
    "phrase": ("keywords", '"rough sea" OR harbour'),
    "not": ("keywords", "ferry NOT delayed"),
    "wild": ("patterns", "f?rry"),
    "cheap": ("predicates", "price < 20"),
    "reads": ("predicates", "title MATCHES 'ferry'"),
    "head": ("paths", "//head/title"),
}


@pytest.fixture(scope="module", autouse=True)
def subscribed(desk: Running) -> None:
    with desk.client("ada") as ada:
        for id, (language, text) in TEXTS.items():
            assert ada.put(f"/subscriptions/{id}", json={"language": language, "text": text}).status_code == 201
    with desk.client("bob") as bob:
        assert bob.put("/subscriptions/of-bob", json={"text": "ferry"}).status_code == 201


def found(answer: httpx.Response) -> list[tuple[str, str]]:
    assert answer.status_code == 200, answer.text
    return [(one["id"], one["language"]) for one in answer.json()["matches"]]


def lines_of(answer: httpx.Response) -> list[dict[str, object]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == LINES
    return [json.loads(line) for line in answer.text.splitlines()]


def arrow(table: pa.Table, **options: object) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def test_every_language_that_can_read_an_event_answers(ada: httpx.Client) -> None:
    text = ada.post("/match", json={"event": "the ferry in the storm"})
    assert found(text) == [("storms", "keywords"), ("not", "keywords"), ("wild", "patterns")]
    assert found(ada.post("/match", json={"event": {"price": 7}})) == [("cheap", "predicates")]
    assert found(ada.post("/match", json={"event": '{"price": 7}'})) == [("cheap", "predicates")]
    xml = "<a><head><title/></head></a>"
    assert found(ada.post("/match", json={"event": xml})) == [("head", "paths")]
    both = found(ada.post("/match", json={"event": {"title": "ferry"}}))
    assert both == [("not", "keywords"), ("wild", "patterns"), ("reads", "predicates")]


def test_a_language_that_is_named_answers_alone(ada: httpx.Client) -> None:
    event = {"event": "a ferry", "language": "patterns"}
    assert found(ada.post("/match", json=event)) == [("wild", "patterns")]
    assert found(ada.post("/match?language=patterns", json={"event": "a ferry"})) == [("wild", "patterns")]
    refused = ada.post("/match", json={"event": "no object", "language": "predicates"})
    assert refused.status_code == 422
    assert refused.json()["type"] == "urn:watchword:problem:event-unreadable"
    assert found(ada.post("/match", json={"event": "110", "language": "properties"})) == []  # none is subscribed


@pytest.mark.parametrize(
    "kind, body",
    [
        ("text/plain", b"the ferry in the storm"),
        ("text/plain; charset=utf-8", b"the ferry in the storm"),
        ("application/json; charset=utf-8", b'{"event": "the ferry in the storm"}'),
    ],
)
def test_a_text_may_come_plain_or_in_json(ada: httpx.Client, kind: str, body: bytes) -> None:
    answer = ada.post("/match", content=body, headers={"Content-Type": kind})
    assert ("storms", "keywords") in found(answer)


def test_a_document_comes_as_xml(ada: httpx.Client) -> None:
    document = '<?xml version="1.0" encoding="iso-8859-1"?><x><head><title>é</title></head></x>'.encode("latin-1")
    answer = ada.post("/match", content=document, headers={"Content-Type": "application/xml"})
    assert found(answer) == [("head", "paths")]
    broken = ada.post("/match", content=b"<x><head>", headers={"Content-Type": "application/xml"})
    assert broken.status_code == 422
    as_text = ada.post("/match", content=b"<x><head>", headers={"Content-Type": "text/plain"})
    assert found(as_text) == []  # keywords and patterns read it, paths do not
    bomb = b'<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>'
    assert ada.post("/match?language=paths", content=bomb, headers={"Content-Type": "text/xml"}).status_code == 422


def test_a_null_matches_nothing(ada: httpx.Client) -> None:
    assert found(ada.post("/match", json={"event": None})) == []


@pytest.mark.parametrize("event", [7, 1.5, True, [1, 2], [{"a": 1}]])
def test_values_that_are_no_events(ada: httpx.Client, event: object) -> None:
    answer = ada.post("/match", json={"event": event, "language": "keywords"})
    assert answer.status_code == 422
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"event": ', b"[]", b'"text"', b'{"evnt": 1}', b'{"event": 1, "more": 2}', b"\xff\xfe", b"NaN",
     b'{"event": "a", "language": 7}', b'{"event": "a", "language": "klingon"}', b"[" * 100_000,
     b'{"event": "\\ud800"}'],
)  # fmt: skip
def test_malformed_json_is_a_problem(ada: httpx.Client, body: bytes) -> None:
    answer = ada.post("/match", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_another_type_of_body_is_refused_with_those_that_are_read(ada: httpx.Client) -> None:
    answer = ada.post("/match", content=b"a=b", headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status_code == 415
    assert "application/x-ndjson" in answer.json()["remedy"]
    assert ada.post("/match", content=b"\xff", headers={"Content-Type": "text/plain"}).status_code == 422


@pytest.mark.parametrize(
    "query", ["explain=perhaps", "after=x", "after=-1", "after=" + "9" * 30, "nonsense=1", "a=%ff"]
)
def test_unknown_parameters_are_refused(ada: httpx.Client, query: str) -> None:
    assert ada.post(f"/match?{query}", json={"event": "a"}).status_code == 422


def test_reasons_name_the_places_in_the_text(ada: httpx.Client) -> None:
    text = "Délayed? No: the FERRY in a rough  sea"
    answer = ada.post("/match?explain=true", json={"event": text}).json()["matches"]
    by_id = {one["id"]: one for one in answer}
    assert by_id["not"]["why"].startswith("match: ferry")
    assert [text[place["start"] : place["end"]] for place in by_id["not"]["places"]] == ["FERRY"]
    assert [text[place["start"] : place["end"]] for place in by_id["phrase"]["places"]] == ["rough  sea"]


def test_lines_are_answered_by_lines(ada: httpx.Client) -> None:
    events = ['"ferry storm"', '{"price": 3}', "", '{"event": "harbour"}', "null", '{"event": {"price": 1}}', '"none"']
    answer = ada.post("/match", content="\n".join(events), headers={"Content-Type": LINES})
    assert lines_of(answer) == [
        {"event": 0, "id": "storms"}, {"event": 0, "id": "not"}, {"event": 0, "id": "wild"},
        {"event": 1, "id": "cheap"}, {"event": 2, "id": "phrase"}, {"event": 4, "id": "cheap"},
    ]  # fmt: skip


def test_a_bad_line_is_refused_by_its_number_and_the_others_are_matched(ada: httpx.Client) -> None:
    events = [b'"a harbour"', b"no json", b"7", b'{"event": "a", "language": "klingon"}', b"\xff", b'"b harbour"']
    answer = ada.post("/match?language=keywords", content=b"\n".join(events), headers={"Content-Type": LINES})
    found = lines_of(answer)
    assert [one["event"] for one in found if "id" in one] == [0, 5]
    assert [one["event"] for one in found if "error" in one] == [1, 2, 3, 4]


def test_lines_may_ask_for_reasons(ada: httpx.Client) -> None:
    answer = ada.post("/match?explain=true", content='"a harbour"\n"x"', headers={"Content-Type": LINES})
    (only,) = lines_of(answer)
    assert only == {"event": 0, "id": "phrase", "why": only["why"], "places": [{"start": 2, "end": 9}]}


@pytest.mark.slow
def test_a_large_batch_is_streamed_and_agrees_with_the_oracle(ada: httpx.Client) -> None:
    words = ["ferry", "storm", "rough", "sea", "harbour", "delayed", "bread"]
    source = random.Random(7)
    texts = [" ".join(source.choices(words, k=4)) for _ in range(9_000)]
    body = "\n".join(map(json.dumps, texts))
    answer = lines_of(ada.post("/match?language=keywords", content=body, headers={"Content-Type": LINES}))
    wanted = {
        (number, id)
        for number, text in enumerate(texts)
        for id, (language, query) in TEXTS.items()
        if language == "keywords" and matches(query, text)
    }
    assert {(one["event"], one["id"]) for one in answer} == wanted
    assert [one["event"] for one in answer] == sorted(one["event"] for one in answer)  # type: ignore[type-var]


def test_a_table_of_texts_is_answered_by_a_table(ada: httpx.Client) -> None:
    table = pa.table({"text": ["a ferry", None, "harbour", ""]})
    for body in (
        arrow(table),
        arrow(table, compression="zstd"),
        arrow(pa.table({"text": table["text"].dictionary_encode()})),
    ):
        answer = ada.post("/match?language=keywords", content=body, headers={"Content-Type": ARROW})
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == ARROW
        given = pa.ipc.open_stream(answer.content).read_all()
        assert given.schema == pa.schema([("event", pa.int64()), ("subscription", pa.string())])
        assert given.to_pydict() == {"event": [0, 2], "subscription": ["not", "phrase"]}


def test_a_table_of_objects_is_read_by_predicates(ada: httpx.Client) -> None:
    body = arrow(pa.table({"title": ["a ferry", "x"], "price": [50.0, 3.0]}))
    answer = ada.post("/match", content=body, headers={"Content-Type": ARROW})
    pairs = pa.ipc.open_stream(answer.content).read_all().to_pydict()
    assert set(zip(pairs["event"], pairs["subscription"], strict=True)) == {(0, "reads"), (1, "cheap")}
    chosen = ada.post("/match?column=title&language=patterns", content=body, headers={"Content-Type": ARROW})
    assert pa.ipc.open_stream(chosen.content).read_all().to_pydict() == {"event": [0], "subscription": ["wild"]}
    refused = ada.post("/match?language=keywords", content=body, headers={"Content-Type": ARROW})
    assert refused.status_code == 422
    assert "?column=title" in refused.json()["detail"]
    assert ada.post("/match?column=none", content=body, headers={"Content-Type": ARROW}).status_code == 422


def test_waiting_for_a_change_that_does_not_come_ends(desk: Running) -> None:
    with desk.client("ada") as ada:
        began = time.monotonic()
        object.__setattr__(desk.service.limits, "wait_seconds", 0.2)
        try:
            answer = ada.post("/match?after=1000000", json={"event": "a"})
        finally:
            object.__setattr__(desk.service.limits, "wait_seconds", 10.0)
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert time.monotonic() - began < 60


def test_a_change_of_another_process_is_seen_after_its_number(desk: Running, ada: httpx.Client) -> None:
    with desk.home.store() as store:  # as another process has it
        store.subscribe("ada", "meteor", id="meteor")
        number = store.counter
    assert found(ada.post(f"/match?after={number}", json={"event": "a meteor"})) == [("meteor", "keywords")]


@pytest.mark.slow
def test_an_id_that_changes_hands_is_never_shown_to_the_other(desk: Running) -> None:
    """Ada and bob take turns with one id; each may only ever see the own text match."""
    stop, faults = threading.Event(), []
    texts = {"ada": "anchor", "bob": "buoy"}

    def watch(name: str) -> None:
        other = texts["bob" if name == "ada" else "ada"]
        with desk.client(name) as client:
            while not stop.is_set():
                if ("shared", "keywords") in found(client.post("/match", json={"event": other})):
                    faults.append(name)

    watchers = [threading.Thread(target=watch, args=(name,)) for name in texts]
    for watcher in watchers:
        watcher.start()
    clients = {name: desk.client(name) for name in texts}
    try:
        for turn in range(16):
            client = clients["ada" if turn % 2 else "bob"]
            text = texts["ada" if turn % 2 else "bob"]
            assert client.put("/subscriptions/shared", json={"text": text}).status_code == 201
            assert ("shared", "keywords") in found(client.post("/match", json={"event": text}))
            assert client.delete("/subscriptions/shared").status_code == 204
    finally:
        stop.set()
        for watcher in watchers:
            watcher.join()
        for client in clients.values():
            client.close()
    assert not faults
