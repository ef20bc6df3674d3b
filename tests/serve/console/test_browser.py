"""The console in a real browser: typing, saving, what comes live, keys, without JavaScript, strangers' pages."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.browsers import FLAGS, find_browser
from tests.limits import PATIENCE, wait_until
from tests.serve.desk import Desk
from watchword.demo.filling import YOU
from watchword.feeds.opml import Outline
from watchword.feeds.own_list import FeedList
from watchword.items import Item
from watchword.store import Details, Example, Match, Profile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        yield found
        found.close()


@contextmanager
def opened(browser: Browser, desk: Desk, name: str = YOU, **named: Any) -> Iterator[Page]:
    """Sign somebody in, and yield the page of the inbox; afterwards no script has failed, and no policy was broken."""
    with desk.home.store() as store:
        store.add_subscriber(name)
        secret = store.redeem_login(store.add_login(name))
    context = browser.new_context(**{"viewport": {"width": 1100, "height": 800}, **named})
    context.add_cookies([{"name": "watchword", "value": secret, "url": desk.address}])
    context.set_default_timeout(PATIENCE * 1000)
    page, wrong = context.new_page(), list[str]()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.goto(desk.address)
    page.wait_for_selector("#inbox")
    try:
        yield page
        assert not wrong
    finally:
        context.close()


@pytest.fixture
def page(browser: Browser, island: Desk) -> Iterator[Page]:
    with opened(browser, island) as made:
        yield made


def wait_for(page: Page, expression: str) -> None:
    """Return when an expression of JavaScript holds; Playwright's own way is refused by the pages' policy."""
    wait_until(lambda: page.evaluate(expression), expression)


def test_a_link_signs_in_and_a_button_signs_out(browser: Browser, island: Desk) -> None:
    with island.home.store() as store:
        once = store.add_login(YOU)
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{island.address}/login?once={once}")
    page.click("main button")
    page.wait_for_selector("#inbox")
    assert page.evaluate("document.cookie") == ""
    page.click("text=Sign out")
    page.goto(island.address)
    assert "watchword login NAME" in page.inner_text("main")
    context.close()


def test_bars_marks_and_parts_appear_while_one_types(page: Page, island: Desk) -> None:
    page.goto(f"{island.address}/console/edit")
    page.locator("#text").press_sequentially("ferry")
    page.wait_for_selector(".chart svg a")
    before = int(page.inner_text(".figure strong").replace(",", ""))
    page.locator("#text").press_sequentially(" NOT delayed")
    wait_for(page, f"Number(document.querySelector('.figure strong').textContent.replace(',', '')) < {before}")
    page.wait_for_selector(".clauses li:nth-child(2)")
    assert "more" in page.inner_text(".clauses")
    assert {text.lower() for text in page.locator(".hits mark").all_inner_texts()} == {"ferry"}
    assert re.search(r"\(\d+ items?\)", page.inner_text("[data-fill]"))


def test_a_click_on_a_bar_shows_the_items_of_its_day(page: Page, island: Desk) -> None:
    page.goto(f"{island.address}/console/edit?text=ferry")
    bar = page.locator(".chart a").last
    count = int(re.search(r": (\d+) item", bar.get_attribute("aria-label"))[1])
    bar.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#day .of-day")
    assert page.locator("#day li").count() == count
    assert page.url.endswith("edit?text=ferry")


def test_a_fault_is_marked_at_its_place_and_goes_when_it_is_mended(page: Page, island: Desk) -> None:
    page.goto(f"{island.address}/console/edit")
    page.locator("#text").press_sequentially("ferry (storm")
    page.wait_for_selector("#check .fault")
    assert "add the closing )" in page.inner_text("#check")
    assert page.inner_text(".under b") == "("
    page.locator("#text").press_sequentially(")")
    page.wait_for_selector("#check .ok")
    assert page.locator(".under b").count() == 0


def test_only_the_last_of_quick_keys_is_answered(page: Page, island: Desk) -> None:
    page.goto(f"{island.address}/console/edit")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data) if request.method == "POST" else None)
    page.locator("#text").press_sequentially("ferry AND storm", delay=5)
    page.wait_for_selector(".chart")
    wait_for(page, "!document.querySelector('.results.stale')")
    assert len(asked) < len("ferry AND storm")
    assert "ferry+AND+storm" in asked[-1]
    assert page.inner_text("#check strong") == "keywords"


def test_one_text_is_tried_and_kept_and_it_is_all_saved_by_a_key(browser: Browser, island: Desk) -> None:
    with opened(browser, island, "typist") as page:
        page.click("text=Write a subscription")
        page.locator("#text").press_sequentially("ferry NOT delayed")
        page.click("summary:has-text('Try one text')")
        page.locator("#tried").press_sequentially("The ferry is delayed")
        page.wait_for_selector(".tried.no")
        assert "forbidden delayed" in page.inner_text(".tried")
        page.click("text=Keep: must not match")
        page.wait_for_selector(".examples li")
        page.fill("#name", "On time")
        page.locator("#text").press("Control+Enter")
        page.wait_for_selector(".subscriptions")
        assert "Saved: On time" in page.inner_text(".flash")
        saved = island.service.store().subscriptions("typist")[0]
        assert saved.details == Details("On time", examples=(Example("The ferry is delayed", False),))


def test_an_item_comes_by_itself_with_its_words_marked(page: Page, island: Desk) -> None:
    before = int(re.match(r"\((\d+)\)", page.title())[1])
    island.service.spool.append([Item("live:1", "A storm <i>tonight</i>", "The ferry waits.", feed="Sea")])
    page.wait_for_selector(".row.arrived")
    row = page.locator(".row").first
    assert row.locator("h2").inner_text().removeprefix("Unread:").strip() == "A storm <i>tonight</i>"
    assert "storm" in row.locator("mark").all_inner_texts()
    wait_for(page, f"document.title.startsWith('({before + 1}) ')")


def test_keys_move_open_mark_star_and_undo(page: Page, island: Desk) -> None:
    counts = island.service.store().inbox_counts(YOU)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    number = page.evaluate("document.activeElement.dataset.number")
    assert number == page.locator(".row").first.get_attribute("data-number")
    page.keyboard.press("m")
    page.wait_for_selector(f"#row-{number}:not(.unread)")
    wait_for(page, f"document.title.startsWith('({counts.unread - 1}) ')")
    page.keyboard.press("m")
    page.wait_for_selector(f"#row-{number}.unread")
    page.keyboard.press("f")
    page.wait_for_selector(f"#row-{number} [value=unstar]")
    page.keyboard.press("o")
    page.wait_for_selector(f"#row-{number} details[open] .whole")
    page.keyboard.press("e")
    page.wait_for_selector(f"#row-{number} .reasons.lit")
    page.wait_for_selector(f"#row-{number}:not(.unread)")
    page.keyboard.press("f")
    page.wait_for_selector(f"#row-{number} [value=star]")
    assert page.locator(f"#row-{number} details[open]").count() == 1
    page.keyboard.press("m")
    page.wait_for_selector(f"#row-{number}.unread")
    page.keyboard.press("A")
    page.wait_for_selector(".flash button")
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    page.keyboard.press("Escape")
    page.click("[data-undo]")
    page.wait_for_selector(".row.unread")
    assert island.service.store().inbox_counts(YOU) == counts


def test_keys_go_to_pages_and_leave_fields_alone(page: Page, island: Desk) -> None:
    page.keyboard.press("/")
    page.keyboard.type("gs j?")
    assert page.input_value("#q") == "gs j?"
    page.keyboard.press("Escape")
    for keys, path in (("gs", "/console/subscriptions"), ("gf", "/console/feeds"), ("gb", "/?view=starred")):
        page.keyboard.press(keys[0])
        page.keyboard.press(keys[1])
        page.wait_for_url(island.address + path)
    page.keyboard.press("g")
    page.keyboard.press("u")
    page.wait_for_url(island.address + "/")
    page.goto(f"{island.address}/console/health")
    page.keyboard.press("n")
    page.wait_for_url(f"{island.address}/console/edit")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.wait_for_url(f"{island.address}/console/subscriptions")


def test_a_page_that_was_long_hidden_catches_up(page: Page, island: Desk) -> None:
    live = f"{island.address}/inbox/{YOU}/live"
    page.evaluate(
        """() => {
            window.ended = 0;
            const close = EventSource.prototype.close;
            EventSource.prototype.close = function () { window.ended += 1; return close.call(this); };
        }"""
    )
    page.clock.install()
    hide = (
        "Object.defineProperty(document, 'hidden', {value: %s, configurable: true}); "
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    page.evaluate(hide % "true")
    page.clock.fast_forward(301_000)
    wait_for(page, "window.ended === 1")
    island.service.spool.append([Item("hidden:1", "A storm while nobody looked", feed="Sea")])
    wait_until(lambda: island.service.store().inbox(YOU, limit=1)[0].item.identity == "hidden:1", "the item")
    with page.expect_request(lambda request: request.url.startswith(live)):
        page.evaluate(hide % "false")
    page.wait_for_selector("text=A storm while nobody looked")


def test_z_snoozes_the_subscription_of_an_item(browser: Browser, island: Desk) -> None:
    with opened(browser, island, "sleeper") as page:
        with island.home.store() as store:
            store.subscribe("sleeper", "storm", id="sleeper-storms")
            store.record("sleep", [Item("sleep:1", "A storm", feed="Sea")], [Match("sleep:1", "sleeper-storms")])
        page.wait_for_selector(".row")
        page.keyboard.press("j")
        page.keyboard.press("z")
        wait_for(page, "document.querySelector('#toast').textContent.startsWith('Snoozed for a day')")
        assert island.service.store().subscription("sleeper-storms").details.snoozed is not None


def test_everything_works_without_javascript(browser: Browser, island: Desk) -> None:
    with opened(browser, island, "plain", java_script_enabled=False) as page:
        page.click("text=Write a subscription")
        page.fill("#text", "ferry (")
        page.click("button:has-text('Preview')")
        assert "add the closing )" in page.inner_text("#check")
        page.fill("#text", "ferry AND storm")
        page.click("button:has-text('Preview')")
        assert page.locator(".chart a").count() > 0
        page.locator(".chart a").last.click()
        assert page.locator(".of-day li").count() > 0
        page.click("text=Back to the editor")
        page.click("[data-fill]")
        assert "filled in" in page.inner_text(".flash")
        page.click("nav >> text=Inbox")
        count = page.locator(".row.unread").count()
        assert count > 0
        page.locator(".row .star").first.click()
        page.locator(".row .dot").first.click()
        assert page.locator(".row.unread").count() == count - 1
        page.click("text=Mark page read")
        assert page.locator(".row.unread").count() == 0
        page.click("[data-undo]")
        assert page.locator(".row.unread").count() == count - 1
        page.click("nav >> text=Subscriptions")
        page.click("button:has-text('Pause')")
        assert "paused" in page.inner_text(".subscription")
        page.click("summary:has-text('Delete')")
        page.click("text=Yes, delete it")
        assert "no subscriptions yet" in page.inner_text("main")
        page.click("text=Sign out")
        assert "watchword login NAME" in page.inner_text("main")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/console/edit?text=ferry",
        "/console/subscriptions",
        "/console/feeds",
        "/console/tokens",
        "/console/health?look=true",
    ],
)
def test_pages_fit_a_narrow_screen(browser: Browser, island: Desk, path: str) -> None:
    with opened(browser, island, viewport={"width": 390, "height": 800}) as page:
        page.goto(island.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_dark_screens_get_dark_pages(browser: Browser, island: Desk) -> None:
    brightness = (
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)"
    )
    with opened(browser, island, color_scheme="dark") as page:
        dark = page.evaluate(brightness)
    with opened(browser, island, color_scheme="light") as page:
        assert dark < 100 < 700 < page.evaluate(brightness)


def test_another_sites_page_cannot_send_forms(browser: Browser, island: Desk) -> None:
    """The page of another port is the same site, so the browser sends the cookie: the server has to refuse."""
    before = island.service.store().inbox_counts(YOU)
    evil = f"""<form method="post" action="{island.address}/console/inbox"><input name="do" value="all">
        <input name="through" value="999999"><button>Win</button></form>"""
    with opened(browser, island) as page, serving(evil) as address:
        token = page.locator("[name=form_token]").first.get_attribute("value")
        for extra in ("", f'<input name="form_token" value="{token}">'):
            other = page.context.new_page()
            other.goto(address)
            if extra:
                other.evaluate(f"document.forms[0].insertAdjacentHTML('beforeend', '{extra}')")
            with other.expect_navigation():
                other.click("button")
            assert "asked for by a page of another site" in other.inner_text("main")
            assert island.service.store().inbox_counts(YOU) == before
            other.close()


@contextmanager
def serving(page: str) -> Iterator[str]:
    """Serve a page at another port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# What strangers write

STARTS = ("", '">', "'>", "</title>", "</textarea>", "</pre>", "</script>", "<!--", "]]>", "{{7*7}}")
ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script href=data:,alert(1)></script>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<form action=javascript:alert(1)><button autofocus>x</button></form>",
    "<style>@import 'javascript:alert(1)';*{display:none}</style>",
    "<link rel=stylesheet href=data:text/css,*{display:none}>",
    "<base href=https://elsewhere.example/>",
    "<meta http-equiv=refresh content=0;url=javascript:alert(1)>",
    "<object data=javascript:alert(1)></object>",
    "<math><mtext></p><script>alert(1)</script>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{x}}{% endfor %}",
    "\u202e<scr\u0000ipt>alert(1)</scr\u0000ipt>",
)
PAYLOADS = [start + attack for start in STARTS for attack in ATTACKS]
LINKS = ("javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", " javascript:alert(1)", "//x")


def test_what_strangers_write_is_text_and_nothing_else(browser: Browser, island: Desk) -> None:
    assert len(PAYLOADS) == 200
    with island.home.store() as store:
        store.add_subscriber("victim")
        store.set_profile("victim", Profile(by_story=False))  # to most of them, the same words are the same title
        items = []
        for number, bad in enumerate(PAYLOADS):
            safe = bad.replace("\0", "")
            details = Details(
                safe[:190].replace("\u202e", ""), safe, (safe[:60],), examples=(Example(f"storm {safe}", True),)
            )
            if number % 10 == 0:
                store.subscribe("victim", f"storm OR {number}", id=f"victim{safe}{number}", details=details)
            link = LINKS[number % len(LINKS)]
            items.append(Item(f"x:{number}{bad}", f"storm {bad}", f"storm {bad}", link, bad, feed=bad, feed_url=bad))
        ids = [one.id for one in store.subscriptions("victim")]
        store.record("bad", items, [Match(item.identity, ids[n % len(ids)]) for n, item in enumerate(items)])
        for bad in PAYLOADS[:40]:
            store.add_token("victim", " ".join(bad.replace("\0", "").replace("\u202e", "").split())[:200], ["read"])
    FeedList(island.home.feeds).add(
        [Outline(f"https://f.example/{n}", bad, (bad,), True, "victim") for n, bad in enumerate(PAYLOADS)]
    )
    island.service.archive.write("bad", items)
    with opened(browser, island, "victim") as page:
        shown = 0
        while True:
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            shown += page.locator(".row").count()
            assert (
                page.locator(".row script, .row img, .row iframe, .row svg, .row [onerror], .row [onload]").count() == 0
            )
            assert page.locator(".row a[target]").count() == 0
            older = page.locator("a[rel=next]")
            if not older.count():
                break
            older.click()
            page.wait_for_load_state()
        assert shown == 200
        with island.home.store() as store:
            store.set_profile("victim", Profile())
        page.reload()  # the first items of the stories are on the last page
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert page.locator(".row .sources li").count() > 0
        assert page.locator(".row script, .row img, .row iframe, .row svg, .row [onerror]").count() == 0
        for path in (
            "/console/subscriptions",
            f"/console/edit?id={quote(ids[0], safe='')}",
            "/console/edit?text=storm",
        ):
            page.goto(island.address + path)
            page.wait_for_load_state()
            assert "alert(1)" in page.content()
            assert page.locator("main script, main img, main iframe, main [onerror], main [onload]").count() == 0
        for bad in PAYLOADS[::20]:
            page.fill("#text", bad)
            page.wait_for_timeout(200)
        wait_for(page, "!document.querySelector('.results.stale')")
