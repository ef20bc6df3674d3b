"""Who may: tokens of every kind, sessions and pages of other sites, limits by token and address, secrets nowhere."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.limits import wait_until
from tests.serve.conftest import Running, serving
from watchword.serve.limits import Buckets, Limits
from watchword.serve.security import COOKIE


@pytest.mark.parametrize("token", [None, "wrong", "expired", "revoked", "ww_", "x" * 10_000])
def test_without_a_valid_token_the_answer_is_401(desk: Running, token: str | None) -> None:
    with desk.client(token) as client:
        answer = client.post("/match", json={"event": "a"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("header", ["Basic YTpi", "bearer", "Token x", "Bearer a b", "Bearer \xe9"])
def test_another_authorization_is_401(desk: Running, header: str) -> None:
    raw = {"Authorization": header.encode("latin-1")}
    assert httpx.get(f"{desk.url}/subscriptions", headers=raw).status_code == 401


def test_a_token_of_another_scope_is_403(desk: Running) -> None:
    with desk.client("read") as client:
        assert client.get("/subscriptions").status_code == 200
        refused = client.put("/subscriptions/x", json={"text": "a"})
        assert refused.status_code == 403
        assert "write" in refused.json()["detail"]
        assert client.post("/match", json={"event": "a"}).status_code == 403
    with desk.client("feed") as client:
        assert client.get("/subscriptions").status_code == 403


@pytest.mark.slow
def test_a_token_that_is_revoked_elsewhere_is_refused_within_two_seconds(desk: Running) -> None:
    with desk.home.store() as store:
        secret = store.add_token("ada", "short", ["read"])
        with desk.client(secret) as client:
            assert client.get("/subscriptions").status_code == 200
            number = next(token.number for token in store.tokens("ada") if token.name == "short")
            store.revoke_token("ada", number)
            began = time.monotonic()
            wait_until(lambda: client.get("/subscriptions").status_code == 401, "the token is refused")
            assert time.monotonic() - began < 30


@pytest.fixture
def session(desk: Running) -> tuple[str, str]:
    with desk.home.store() as store:
        secret = store.redeem_login(store.add_login("ada"))
        assert secret is not None
        found = store.find_session(secret)
        assert found is not None
        return secret, found.form_token


def put(desk: Running, session: tuple[str, str], **headers: str) -> httpx.Response:
    with desk.client(None, cookies={COOKIE: session[0]}) as client:
        return client.put("/subscriptions/by-session", json={"text": "a"}, headers=headers)


def test_a_session_may_read_by_its_cookie(desk: Running, session: tuple[str, str]) -> None:
    with desk.client(None, cookies={COOKIE: session[0]}) as client:
        assert client.get("/subscriptions").status_code == 200
        assert client.get("/audit").status_code == 403
    with desk.client(None, cookies={COOKIE: "x" * 43}) as client:
        assert client.get("/subscriptions").status_code == 401


def test_a_change_by_a_session_needs_the_own_site_and_the_form_token(desk: Running, session: tuple[str, str]) -> None:
    form = {"X-Form-Token": session[1]}
    own = {"Origin": desk.url}
    assert put(desk, session, **form, **own).status_code in (200, 201)
    assert put(desk, session, **form, **{"Sec-Fetch-Site": "same-origin"}).status_code in (200, 201)
    assert put(desk, session, **own).status_code == 403
    assert put(desk, session, **own, **{"X-Form-Token": "0" * 64}).status_code == 403
    for foreign in (
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": desk.url + ".evil.example"},
        {"Origin": desk.url.replace("http:", "https:")},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": desk.url},
    ):
        assert put(desk, session, **form, **foreign).status_code == 403, foreign


def test_a_session_that_has_ended_opens_nothing(desk: Running, session: tuple[str, str]) -> None:
    with desk.home.store() as store:
        store.end_session(session[0])
    assert put(desk, session, Origin=desk.url, **{"X-Form-Token": session[1]}).status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.", "", "[::2]", "a" * 5_000])
def test_another_host_is_refused(desk: Running, host: str) -> None:
    answer = httpx.get(f"{desk.url}/livez", headers={"Host": host})
    assert answer.status_code == 421
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8480", "127.0.0.1:1", "[::1]:8480"])
def test_names_of_the_loopback_interface_are_answered(desk: Running, host: str) -> None:
    assert httpx.get(f"{desk.url}/livez", headers={"Host": host}).status_code == 200


def test_every_answer_has_the_headers_of_safety(desk: Running, ada: httpx.Client) -> None:
    for answer in (ada.get("/livez"), ada.get("/nothing"), ada.post("/match", content=b"{"), ada.get("/docs")):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe-inline" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert "server" not in answer.headers
    assert "<script" not in ada.get("/docs").text


def test_forwarded_headers_of_a_stranger_are_ignored(desk: Running, ada: httpx.Client) -> None:
    forged = {"X-Forwarded-For": "10.9.9.9", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}
    assert ada.put("/subscriptions/forged", json={"text": "a"}, headers=forged).status_code == 201
    with desk.client("admin") as admin:
        entry = next(one for one in admin.get("/audit").json()["entries"] if one["which"] == "forged")
    assert entry["source"] == "127.0.0.1"


def test_a_listed_proxy_is_believed(tmp_path: Path) -> None:
    settings = {"proxies": ("127.0.0.0/8",), "host_names": ("alerts.example",), "base_path": "/alerts"}
    with serving(tmp_path / "home", **settings) as desk, desk.client("ada") as ada:
        headers = {"X-Forwarded-For": "evil, 10.9.9.9, 127.0.0.2", "X-Forwarded-Host": "alerts.example"}
        made = ada.put("/alerts/subscriptions/p", json={"text": "a"}, headers=headers)
        assert made.status_code == 201
        assert ada.get("/subscriptions/p", headers=headers).status_code == 200  # the proxy took the path off
        https = ada.get("/alerts/livez", headers=headers | {"X-Forwarded-Proto": "https"})
        assert "strict-transport-security" in https.headers
        assert ada.get("/livez", headers=headers | {"X-Forwarded-Host": "evil.example"}).status_code == 421
        with desk.client("admin") as admin:
            (entry,) = admin.get("/alerts/audit").json()["entries"]
        assert entry["source"] == "10.9.9.9"


def test_limits_are_answered_with_429_and_when_to_come_back(tmp_path: Path) -> None:
    limits = Limits(token_rate=0.001, failures=3, write_rate=0.001)
    with serving(tmp_path / "home", limits=limits) as desk:
        object.__setattr__(desk.service.limits, "token_rate", 0.001)
        desk.service.security._requests = Buckets(0.001, 3)
        with desk.client("ada") as ada:
            answers = [ada.get("/subscriptions") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert int(answers[-1].headers["retry-after"]) > 0
        with desk.client("bob") as bob:
            assert bob.get("/subscriptions").status_code == 200
            assert bob.put("/subscriptions/x", json={"text": "a"}).status_code == 201
            assert bob.put("/subscriptions/x", json={"text": "b"}).status_code == 429
        with desk.client("wrong") as stranger:
            statuses = [stranger.get("/subscriptions").status_code for _ in range(5)]
        assert statuses[:3] == [401, 401, 401]
        assert 429 in statuses[3:]
        with desk.client("match") as other:
            assert other.post("/match", json={"event": "a"}).status_code == 200


@pytest.mark.slow
def test_a_token_has_a_limited_number_of_requests_at_once(tmp_path: Path) -> None:
    with serving(tmp_path / "home", limits=Limits(at_once=2)) as desk:
        waiting = "/match?after=1000000"
        with desk.client("ada") as ada, desk.client("bob") as bob, ThreadPoolExecutor(2) as pool:
            object.__setattr__(desk.service.limits, "wait_seconds", 1.5)
            slow = [pool.submit(ada.post, waiting, json={"event": "a"}) for _ in range(2)]
            wait_until(lambda: 2 in desk.service.security._answered_now.values(), "two requests wait")
            assert ada.get("/subscriptions").status_code == 429
            assert bob.get("/subscriptions").status_code == 200
            assert [one.result().status_code for one in slow] == [503, 503]
            assert ada.get("/subscriptions").status_code == 200
        assert not desk.service.security._answered_now


def test_a_subscriber_has_a_limited_number_of_subscriptions(tmp_path: Path) -> None:
    with serving(tmp_path / "home", limits=Limits(subscriptions=2)) as desk, desk.client("ada") as ada:
        for id in ("a", "b"):
            assert ada.put(f"/subscriptions/{id}", json={"text": id}).status_code == 201
        refused = ada.put("/subscriptions/c", json={"text": "c"})
        assert (refused.status_code, refused.json()["type"]) == (422, "urn:watchword:problem:limit-reached")
        assert ada.put("/subscriptions/a", json={"text": "other"}).status_code == 200
        lines = {"Content-Type": "application/x-ndjson"}
        assert ada.post("/subscriptions", content=b'{"text": "d"}', headers=lines).status_code == 422
        assert ada.delete("/subscriptions/a").status_code == 204
        assert ada.post("/subscriptions", content=b'{"text": "d"}', headers=lines).status_code == 200
        assert ada.post("/subscriptions", json={"text": "e"}).status_code == 422


def test_bodies_have_a_limit(tmp_path: Path) -> None:
    with (
        serving(tmp_path / "home", limits=Limits(body=1_000, batch=5_000, line=300)) as desk,
        desk.client("ada") as ada,
    ):
        large = {"event": "x" * 2_000}
        assert ada.post("/match", json=large).status_code == 413
        assert ada.put("/subscriptions/x", json={"text": "x" * 2_000}).status_code == 413
        lines = {"Content-Type": "application/x-ndjson"}
        assert ada.post("/match", content=b'"x"\n' * 1_000, headers=lines).status_code == 200
        assert ada.post("/match", content=b'"x"\n' * 1_500, headers=lines).status_code == 413
        endless = (b" " * 500 for _ in range(10))
        kind = {"Content-Type": "application/json"}
        assert ada.put("/subscriptions/x", content=endless, headers=kind).status_code == 413
        chunked = (b'"x"\n' * 100 for _ in range(100))
        assert ada.post("/match", content=chunked, headers=lines).status_code == 413
        object.__setattr__(desk.service.limits, "held", 100)
        assert ada.post("/match", json={"event": "x" * 200}).status_code == 503
        assert ada.post("/match", json={"event": "x"}).status_code == 200
        object.__setattr__(desk.service.limits, "held", 1 << 20)
        long = ada.post("/match", content=b'"' + b"x" * 400 + b'"\n"y"', headers=lines)
        assert "more than 300 bytes" in long.text


def test_secrets_are_nowhere_in_the_files_of_the_home(desk: Running, ada: httpx.Client) -> None:
    ada.get("/subscriptions")
    content = b"".join(file.read_bytes() for file in desk.home.path.rglob("*") if file.is_file())
    for name in ("ada", "bob", "admin", "read"):
        assert desk.tokens[name].encode() not in content


def test_a_bucket_fills_again() -> None:
    buckets = Buckets(rate=1_000.0, burst=2)
    assert buckets.take("a") == 0
    assert buckets.take("a") == 0
    assert 0 < buckets.take("a") <= 0.001
    assert buckets.take("b") == 0
    time.sleep(0.01)
    assert buckets.take("a") == 0
