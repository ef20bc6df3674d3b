"""Signing in and out, and who may see and send what."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute

from tests.limits import PATIENCE
from tests.serve.console.visitors import Page, Visitor
from tests.serve.desk import Desk, desk
from watchword.serve.console import ROUTERS

ROUTES = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
PAGES = [
    route.path for route in ROUTES if "GET" in route.methods and route.path not in ("/login", "/console/static/{name}")
]
# Those for whoever has a letter, and for hubs, have tests of their own: test_channels and test_websub.
PAGES = [path for path in PAGES if not path.startswith(("/notify/", "/websub/"))]
FORMS = [route.path for route in ROUTES if "POST" in route.methods]
FORMS = [path for path in FORMS if not path.startswith(("/login", "/notify/", "/websub/"))]
QUERIES = {"/console/day": "?day=2026-11-18&text=ferry", "/console/news": "?after=0", "/console/routes": "?id=x"}


@pytest.fixture
def stranger(island: Desk) -> httpx.Client:
    client = httpx.Client(base_url=island.address, timeout=PATIENCE, trust_env=False, headers={"Accept": "text/html"})
    island.clients.append(client)
    return client


def new_link(made: Desk, name: str = "ada") -> str:
    with made.home.store() as store:
        store.add_subscriber(name)
        return store.add_login(name)


def test_every_page_and_form_is_known_to_these_tests() -> None:
    assert len(PAGES) == 12
    assert len(FORMS) == 10


@pytest.mark.parametrize("path", PAGES)
def test_a_page_without_a_session_says_how_to_sign_in(stranger: httpx.Client, path: str) -> None:
    answer = stranger.get(path + QUERIES.get(path, ""))
    assert answer.status_code == 401
    assert "watchword login NAME" in answer.text
    assert "www-authenticate" not in answer.headers  # browsers would ask for a password


@pytest.mark.parametrize("path", FORMS)
def test_a_form_without_its_token_or_from_another_site_changes_nothing(you: Visitor, path: str) -> None:
    fields = {"do": "delete", "id": "ferries", "item": "x"}
    own = str(you.base_url).rstrip("/")
    for headers, token in (
        ({"Origin": own}, ""),
        ({"Origin": own}, "0" * 64),
        ({"Origin": "https://elsewhere.example"}, you.form_token),
        ({"Origin": "null"}, you.form_token),
        ({"Sec-Fetch-Site": "same-site"}, you.form_token),
        ({"Origin": own, "Sec-Fetch-Site": "cross-site"}, you.form_token),
        ({}, you.form_token),
    ):
        answer = you.post(path, data={**fields, "form_token": token}, headers=headers)
        assert answer.status_code == 403, headers
    assert "Ferries that sail" in you.get("/console/subscriptions").text


@pytest.mark.parametrize("path", FORMS)
def test_a_form_without_a_session_is_refused(stranger: httpx.Client, path: str) -> None:
    assert stranger.post(path, data={"do": "delete"}).status_code == 401


def test_opening_the_link_does_not_use_it_up(island: Desk, stranger: httpx.Client) -> None:
    once = new_link(island)
    for _ in range(3):
        page = stranger.get("/login", params={"once": once})
        assert page.status_code == 200
        assert not page.cookies
    answer = stranger.post("/login", data={"once": once}, headers={"Origin": island.address})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_the_cookie_is_for_this_server_and_not_for_scripts(island: Desk, stranger: httpx.Client) -> None:
    answer = stranger.post("/login", data={"once": new_link(island)}, headers={"Origin": island.address})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("watchword=")
    for part in ("HttpOnly", "SameSite=lax", "Path=/"):
        assert part in cookie
    assert "Secure" not in cookie
    assert "Domain" not in cookie


def test_a_link_is_good_once(island: Desk, stranger: httpx.Client) -> None:
    once = new_link(island)
    first = stranger.post("/login", data={"once": once}, headers={"Origin": island.address})
    stranger.cookies.clear()
    second = stranger.post("/login", data={"once": once}, headers={"Origin": island.address})
    assert (first.status_code, second.status_code) == (303, 401)
    assert "used already" in second.text
    assert "set-cookie" not in second.headers


def test_another_site_cannot_sign_a_browser_in(island: Desk, stranger: httpx.Client) -> None:
    once = new_link(island)
    answer = stranger.post("/login", data={"once": once}, headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 403
    assert stranger.post("/login", data={"once": once}, headers={"Origin": island.address}).status_code == 303


def test_signing_in_again_ends_the_session_of_before(island: Desk) -> None:
    with Visitor(island, "ada") as visitor:
        old = visitor.cookies["watchword"]
        answer = visitor.post("/login", data={"once": new_link(island)}, headers={"Origin": island.address})
        assert answer.status_code == 303
        assert visitor.cookies["watchword"] != old
        visitor.cookies.clear()
        visitor.cookies.set("watchword", old)
        assert visitor.get("/").status_code == 401


def test_a_cookie_is_worth_nothing_after_signing_out(island: Desk) -> None:
    with Visitor(island, "ada") as visitor:
        secret = visitor.cookies["watchword"]
        answer = visitor.submit("/logout")
        assert answer.status_code == 200
        assert "watchword" not in visitor.cookies
        visitor.cookies.set("watchword", secret)
        assert visitor.get("/").status_code == 401


def test_behind_a_proxy_the_cookie_is_for_tls_and_links_have_the_base_path(tmp_path: Path) -> None:
    with desk(tmp_path, proxies=("127.0.0.1",), host_names=("alerts.example",), base_path="/desk") as made:
        once = new_link(made)
        headers = {
            "Accept": "text/html",
            "Origin": "https://alerts.example",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "alerts.example",
        }
        with httpx.Client(base_url=made.address, timeout=PATIENCE, trust_env=False, headers=headers) as client:
            answer = client.post("/desk/login", data={"once": once})
            assert answer.headers["location"] == "/desk/"
            cookie = answer.headers["set-cookie"]
            assert cookie.startswith("__Host-watchword=")
            assert "Secure" in cookie
            assert "Path=/;" in cookie
            session = cookie.partition(";")[0]
            page = client.get("/desk/", headers={"Cookie": session})
            assert page.status_code == 200
            local = [one.get("href") or one.get("action") or one.get("src") for one in Page(page.text).elements]
            assert all(link.startswith(("/desk/", "#")) for link in local if link)
            assert (
                client.get("/desk/console/edit", headers={"Cookie": session.replace("__Host-", "")}).status_code == 401
            )


def test_pages_forbid_scripts_and_styles_inside_of_them(you: Visitor) -> None:
    for path in ["/", "/console/edit?text=ferry", "/console/health", "/console/tokens", "/nowhere"]:
        answer = you.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        page = Page(answer.text)
        assert not [
            one for one in page.elements if any(name.startswith("on") or name == "style" for name in one.attributes)
        ]
        assert not page.all("style")
        assert all(one.get("src") and not one.text for one in page.all("script"))
        assert answer.headers["cache-control"] == "no-store"


def test_files_of_the_console_come_once_and_others_not_at_all(you: Visitor) -> None:
    page = you.get("/").text
    for address in re.findall(r'(?:href|src)="(/console/static/[^"]+)"', page):
        answer = you.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    for name in ("pages.py", "..%2fpages.py", "..%2f..%2fapp.py", "%2fetc%2fpasswd", "console.css%00"):
        assert you.get(f"/console/static/{name}").status_code == 404


def test_an_error_is_a_page_for_browsers_and_a_problem_for_programs(you: Visitor) -> None:
    assert "There is nothing at /nowhere" in you.get("/nowhere").text
    answer = you.get("/nowhere", headers={"Accept": "application/json"})
    assert answer.headers["content-type"] == "application/problem+json"
    part = you.submit("/console/subscriptions", part="s-1", id="nothing", do="pause")
    assert (part.status_code, part.headers["content-type"]) == (404, "text/plain; charset=utf-8")
    assert part.text.startswith("there is no subscription 'nothing' of yours")
