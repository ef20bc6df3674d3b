"""Every route with every kind of token, from the OpenAPI: a route that is not listed here fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.serve.conftest import Running, serving
from watchword.feeds.opml import Outline
from watchword.feeds.own_list import FeedList
from watchword.home import Home
from watchword.serve.app import make_app
from watchword.serve.state import Service
from watchword.store import SCOPES, Channel

ROWS: dict[tuple[str, str], tuple[str, dict[str, Any] | None]] = {
    ("get", "/livez"): ("public", None),
    ("get", "/healthz"): ("public", None),
    ("get", "/readyz"): ("public", None),
    ("get", "/metrics"): ("public", None),
    ("get", "/openapi.json"): ("public", None),
    ("get", "/docs"): ("public", None),
    ("get", "/audit"): ("admin", None),
    ("get", "/subscriptions"): ("read", None),
    ("post", "/subscriptions"): ("write", {"json": {"text": "ferry"}}),
    ("get", "/subscriptions/{id}"): ("read", None),
    ("put", "/subscriptions/{id}"): ("write", {"json": {"text": "ferry"}}),
    ("delete", "/subscriptions/{id}"): ("write", None),
    ("post", "/match"): ("match", {"json": {"event": "a ferry"}}),
    ("post", "/preview"): ("read", {"json": {"text": "ferry"}}),
    ("post", "/events"): ("events", {"json": {"text": "a ferry"}}),
    ("get", "/inbox/{subscriber}"): ("read", None),
    ("get", "/inbox/{subscriber}/counts"): ("read", None),
    ("get", "/inbox/{subscriber}/live"): ("read", None),
    **{
        ("post", f"/inbox/{{subscriber}}/{action}"): ("write", {"json": {"items": []}})
        for action in ("read", "unread", "star", "unstar")
    },
    ("get", "/f/{token}.{form}"): ("public", None),
    ("get", "/feeds"): ("read", None),
    ("post", "/feeds"): ("write", {"json": {"url": "file:///etc/passwd"}}),
    ("delete", "/feeds"): ("write", {"params": {"url": "https://a.test/feed"}}),
    ("get", "/feeds/opml"): ("read", None),
    ("post", "/feeds/opml"): ("write", {"content": b"<opml><body/></opml>"}),
    ("get", "/topics"): ("read", None),
    ("put", "/topics"): ("admin", {"json": {}}),
    ("get", "/channels"): ("read", None),
    ("put", "/channels/{name}"): ("write", {"json": {"kind": "nothing"}}),
    ("delete", "/channels/{name}"): ("write", None),
    ("post", "/channels/{name}/test"): ("write", None),
    ("post", "/channels/{name}/secret"): ("write", None),
    ("post", "/channels/{name}/enable"): ("write", None),
    ("get", "/profile"): ("read", None),
    ("put", "/profile"): ("write", {"json": {"zone": "Europe/Athens"}}),
    ("get", "/routes/{id}"): ("read", None),
    ("put", "/routes/{id}"): ("write", {"json": {"mutes": False}}),
    ("get", "/notifications"): ("read", None),
    ("get", "/notifications/unsent"): ("read", None),
    ("post", "/notifications/replay"): ("write", {"json": {}}),
}
"""The scope that each route asks for, and a request that it takes."""
REFUSED = {("post", "/feeds"): 422, ("post", "/channels/{name}/secret"): 422}
"""Routes whose request here is refused, after the caller was let in: they would need the network, or a webhook."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(tmp_path_factory.mktemp("matrix") / "home") as made:
        yield made


def operations() -> dict[tuple[str, str], str]:
    """Return the scopes of all operations, by method and path, from the OpenAPI."""
    schema = make_app(Service(Home("no-home"))).openapi()
    return {
        (method, path): operation["x-scope"]
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }


def test_every_route_is_listed_with_its_scope() -> None:
    assert operations() == {route: scope for route, (scope, _) in ROWS.items()}


def ask(home: Running, token: str | None, route: tuple[str, str]) -> httpx.Response:
    """Send the route's request, for a subscription of ada's that is there."""
    method, path = route
    with home.home.store() as store:
        store.subscribe("ada", "ferry", id="matrix")
        for name in ("ada", "root"):
            if not store.channels(name):
                store.add_channel(Channel(0, name, "matrix", "nothing", ""))
    FeedList(home.home.feeds).add([Outline("https://a.test/feed", "A feed", (), True, "ada")])
    with home.client(token) as client, client.stream(method, at(home, path), **(ROWS[route][1] or {})) as answer:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):  # which has no end
            answer.read()
        return answer


def at(home: Running, path: str) -> str:
    """Return the address of a route with values in it."""
    return path.format(id="matrix", subscriber="ada", name="matrix", token=home.tokens["feed"], form="atom")


@pytest.mark.slow
@pytest.mark.parametrize("route", ROWS, ids=" ".join)
def test_each_kind_of_token_gets_its_answer(home: Running, route: tuple[str, str]) -> None:
    scope = ROWS[route][0]
    for token in (None, "wrong", "expired", "revoked"):
        status = ask(home, token, route).status_code
        assert (status < 300) if scope == "public" else (status == 401), token
    for name in SCOPES:
        status = ask(home, name, route).status_code
        allowed = scope == "public" or name in (scope, "admin")
        assert (status < 300 or status == REFUSED.get(route)) if allowed else (status == 403), (name, status)
    if "{id}" in route[1] or "{subscriber}" in route[1]:
        assert ask(home, "bob", route).status_code == 404


def test_other_methods_are_405_and_other_paths_404(home: Running) -> None:
    known = {at(home, path): {method for method, other in ROWS if other == path} for _, path in ROWS}
    with home.client("ada") as client:
        for path, methods in known.items():
            for method in {"get", "put", "post", "delete", "patch"} - methods:
                answer = client.request(method, path)
                assert answer.status_code == 405, (method, path)
                assert answer.headers["content-type"] == "application/problem+json"
                assert answer.headers["allow"]
        for path in ("/nothing", "/subscriptions/a/../../etc/passwd/", "/static/../app.py", "/%2f", "/%00"):
            answer = client.get(path)
            assert answer.status_code in (404, 422), (path, answer.status_code)
            assert answer.headers["content-type"] == "application/problem+json"


def test_head_is_get_without_a_body(home: Running) -> None:
    with home.client("ada") as client:
        for path in ("/livez", "/readyz", "/docs", "/subscriptions", "/inbox/ada", "/nothing"):
            head, whole = client.head(path), client.get(path)
            assert (head.status_code, head.content) == (whole.status_code, b""), path
            assert head.headers["content-type"] == whole.headers["content-type"]
        assert client.head("/inbox/ada/live").status_code == 405
        assert client.head("/match").status_code == 405
        assert client.get("/livez").text == "ok\n"  # on the same connection
    assert httpx.head(f"{home.url}/subscriptions").status_code == 401


def test_the_openapi_is_3_1_and_names_problems(home: Running) -> None:
    schema = httpx.get(f"{home.url}/openapi.json").json()
    assert schema["openapi"].startswith("3.1")
    assert schema["components"]["schemas"]["Problem"]["required"] == ["type", "title", "status", "detail", "instance"]
    for methods in schema["paths"].values():
        for operation in methods.values():
            assert "default" in operation["responses"]
            assert operation["summary"]
            assert operation["description"]


def test_the_page_of_operations_lists_each(home: Running) -> None:
    page = httpx.get(f"{home.url}/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for method, path in ROWS:
        assert f"{method.upper()} {path}" in page.text
    assert "<code>examples</code></td><td>body</td><td>Texts that it has to match" in page.text
    assert "`" not in page.text
    assert "http://" not in page.text
    assert "https://" not in page.text
