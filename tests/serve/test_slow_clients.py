"""Clients that are silent, half-sent, endless or do not read: each is ended, and none holds up another."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from tests.serve.conftest import Running, serving
from watchword.serve.limits import Limits

LIMITS = Limits(
    header_seconds=0.6, request_seconds=1.2, idle_seconds=0.6, answer_seconds=0.6, header_bytes=4_096,
    batch=8 << 20, connections=120, address_connections=100, drain_seconds=2.0,
)  # fmt: skip


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(tmp_path_factory.mktemp("slow") / "home", limits=LIMITS) as made:
        yield made


def connect(desk: Running) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", desk.port), timeout=30)
    return made


def everything(connection: socket.socket) -> bytes:
    """Return all that comes until the other side closes."""
    pieces = []
    try:
        while piece := connection.recv(65_536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


def problem_in(answer: bytes) -> dict[str, object]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head, answer
    found: dict[str, object] = json.loads(body)
    return found


def head_of(desk: Running, length: int) -> bytes:
    return (
        f"POST /match HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {desk.tokens['ada']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


@pytest.mark.slow
@pytest.mark.parametrize("sent", [b"", b"GET /livez HTTP/1.1\r\nHost: loc", b"GET"], ids=["silent", "half", "a word"])
def test_headers_that_do_not_come_are_answered_with_408(hurried: Running, sent: bytes) -> None:
    with closing(connect(hurried)) as one:
        one.sendall(sent)
        began = time.monotonic()
        answer = everything(one)
        assert answer.startswith(b"HTTP/1.1 408")
        assert problem_in(answer)["status"] == 408
        assert time.monotonic() - began < 20


@pytest.mark.slow
def test_a_body_that_does_not_come_is_answered_with_408(hurried: Running) -> None:
    with closing(connect(hurried)) as one:
        one.sendall(head_of(hurried, 100) + b'{"event"')
        assert everything(one).startswith(b"HTTP/1.1 408")


@pytest.mark.slow
def test_a_trickle_of_bytes_does_not_move_the_deadline(hurried: Running) -> None:
    with closing(connect(hurried)) as one:
        one.sendall(head_of(hurried, 1_000))
        began = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - began < 60:
                one.sendall(b" ")
                time.sleep(0.05)
        assert time.monotonic() - began < 30


@pytest.mark.slow
def test_an_idle_connection_is_closed_without_a_word(hurried: Running) -> None:
    with closing(connect(hurried)) as one:
        one.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = everything(one)
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.count(b"HTTP/1.1") == 1


def test_headers_without_end_are_refused(hurried: Running) -> None:
    with closing(connect(hurried)) as one:
        one.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: " + b"a" * 8_000)
        assert everything(one).startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize(
    "sent",
    [b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", b"nonsense\r\n\r\n",
     b"GET /livez HTTP/1.1\r\nHost : x\r\n\r\n",
     b"POST /match HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
     b"POST /match HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     b"POST /match HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
)  # fmt: skip
def test_what_is_no_http_is_answered_with_400(hurried: Running, sent: bytes) -> None:
    with closing(connect(hurried)) as one:
        one.sendall(sent)
        answer = everything(one)
        assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 401")), answer
        assert problem_in(answer.partition(b"HTTP/1.1 400")[0] or answer)


@pytest.mark.slow
def test_an_endless_body_is_refused_and_ended(hurried: Running) -> None:
    with closing(connect(hurried)) as one:
        head = head_of(hurried, 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        one.sendall(head)
        one.settimeout(0.2)
        sent = 0
        with pytest.raises(OSError):
            while sent < 1 << 30:
                one.sendall(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
                sent += 65_536
        assert sent < 1 << 30
        one.settimeout(30)
        assert b"HTTP/1.1 413" in everything(one)


@pytest.mark.slow
def test_many_silent_connections_leave_room_for_others(hurried: Running) -> None:
    with ExitStack() as stack:
        for number in range(300):  # thrice what an address may have
            one = stack.enter_context(closing(connect(hurried)))
            if number % 3 == 1:
                one.sendall(b"GET /livez HTTP/1.1\r\n")
            elif number % 3 == 2:
                one.sendall(head_of(hurried, 50))
            if number % 50 == 49:
                began = time.monotonic()
                assert httpx.get(f"{hurried.url}/livez", timeout=30).status_code == 200
                assert time.monotonic() - began < 10
        assert httpx.get(f"{hurried.url}/livez", timeout=30).status_code == 200


@pytest.mark.slow
def test_a_thousand_slow_connections_hold_up_nobody(tmp_path: Path) -> None:
    """With the limits that a server has by itself; the best of some answers is judged, for others use the machine."""
    beginnings = (b"", b"GET /livez HTTP/1.1\r\n", b"POST /match HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
    with serving(tmp_path / "home", limits=Limits()) as made, ExitStack() as stack, made.client("ada") as ada:
        for number in range(1_000):
            stack.enter_context(closing(connect(made))).sendall(beginnings[number % 3])
        took = []
        for _ in range(10):
            began = time.monotonic()
            assert httpx.get(f"{made.url}/livez", timeout=30).status_code == 200
            took.append(time.monotonic() - began)
        assert min(took) < 0.1
        assert ada.post("/match", json={"event": "a ferry"}).status_code == 200


@pytest.mark.slow
def test_a_client_that_does_not_read_its_answer_is_cut_off(hurried: Running) -> None:
    with hurried.client("ada") as ada:
        lines = "\n".join(json.dumps({"text": f"common w{number}"}) for number in range(2_000))
        ada.post("/subscriptions", content=lines, headers={"Content-Type": "application/x-ndjson"})
    body = b'"common ' + b" ".join(b"w%d" % number for number in range(2_000)) + b'"\n'
    body *= 60  # 120,000 lines of answer: 4 MB, which no buffer of a socket holds
    with closing(socket.socket()) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        one.settimeout(60)
        one.connect(("127.0.0.1", hurried.port))
        head = head_of(hurried, len(body)).replace(b"application/json", b"application/x-ndjson")
        one.sendall(head + body)
        time.sleep(3)
        with pytest.raises(OSError):  # reset, or closed for writing
            for _ in range(100):
                one.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                time.sleep(0.1)


@pytest.mark.slow
def test_an_upgrade_to_another_protocol_is_not_taken(hurried: Running) -> None:
    with closing(connect(hurried)) as one:
        one.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        assert everything(one).startswith(b"HTTP/1.1 200")


@pytest.mark.slow
def test_requests_behind_one_another_are_answered_in_order(hurried: Running) -> None:
    with closing(connect(hurried)) as one:
        one.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = everything(one)
    assert answer.index(b"HTTP/1.1 200") < answer.index(b"HTTP/1.1 404")


@pytest.mark.slow
def test_a_server_ends_though_clients_are_silent(tmp_path: Path) -> None:
    with serving(tmp_path / "home", limits=Limits(drain_seconds=0.5)) as desk, ExitStack() as stack:
        for number in range(20):
            one = stack.enter_context(closing(connect(desk)))
            one.sendall([b"", b"GET /livez HT", head_of(desk, 100)][number % 3])
        time.sleep(0.1)
        desk.server.should_exit = True  # `serving` waits for the end
