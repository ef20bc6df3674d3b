"""The pages of channels: added, tested, their log, where a subscription goes, links in mail; also in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.limits import wait_until
from tests.notify.receivers import LOOPBACK, Receiver, receiver
from tests.serve.console.visitors import Visitor
from tests.serve.desk import Desk, desk
from watchword.items import Item
from watchword.notify.links import KEY, UNSUBSCRIBE, make_token, verify_token
from watchword.notify.signing import make_secret
from watchword.store import Channel, Match


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk"), notify_networks=LOOPBACK) as made:
        with made.home.store() as store:
            store.add_subscriber("ada")
            store.subscribe("ada", "ferry", id="ferries")
        yield made


@pytest.fixture(scope="module")
def ada(here: Desk) -> Iterator[Visitor]:
    with Visitor(here, "ada") as visitor:
        yield visitor


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def test_a_channel_is_added_tested_and_removed(here: Desk, ada: Visitor, hook: Receiver) -> None:
    page = ada.submit(
        "/console/channels", do="add", name="<b>desk", kind="webhook", address=hook.url, everything="yes", budget="9"
    )
    assert page.status_code == 200 and "whsec_" in page.text and "at most 9 an hour" in page.text
    assert "<b>desk" not in page.text and "whsec_" not in ada.get("/console/channels").text
    assert "204 No Content" in ada.submit("/console/channels", do="test", name="<b>desk").text
    assert hook.came[0].json["type"] == "watchword.test"
    hook.answer = lambda received: 503
    assert "The test failed." in ada.submit("/console/channels", do="test", name="<b>desk").text
    assert ada.submit("/console/channels", do="secret", name="<b>desk").text.count("whsec_") == 1
    log = ada.get("/console/notifications").text
    assert "503 Service Unavailable" in log and "A test" in log
    refused = ada.submit("/console/channels", do="add", name="<b>desk", kind="nothing")
    assert refused.status_code == 422 and "already" in refused.text
    assert ada.submit("/console/channels", do="add", name="x", kind="webhook", address="ftp://x").status_code == 422
    assert ada.submit("/console/channels", do="add", name="x", kind="nothing", budget="many").status_code == 422
    assert ada.submit("/console/channels", do="remove", name="<b>desk").status_code == 200
    assert ada.submit("/console/channels", do="remove", name="<b>desk").status_code == 404
    assert ada.submit("/console/channels", do="dance").status_code == 422
    assert "Saved" in ada.submit("/console/channels", do="profile", zone="Asia/Tokyo", by_story="yes").text
    assert ada.submit("/console/channels", do="profile", zone="Mars/Base").status_code == 422


def test_a_subscription_names_its_channels_and_mutes(here: Desk, ada: Visitor, hook: Receiver) -> None:
    with here.home.store() as store:
        store.add_channel(Channel(0, "ada", "quiet", "nothing", ""))
    assert "Who is told" in ada.get("/console/edit?id=ferries").text
    assert "quiet" in ada.get("/console/routes?id=ferries").text
    assert ada.submit("/console/routes", id="ferries", channel="quiet", mutes="yes").status_code == 303
    with here.home.store() as store:
        assert store.routes("ferries") == ["quiet"] and store.mutes("ferries")
    assert ada.submit("/console/routes", id="ferries").status_code == 303
    with here.home.store() as store:
        assert store.routes("ferries") == [] and not store.mutes("ferries")
    assert ada.get("/console/routes?id=nobodys").status_code == 404
    assert ada.submit("/console/routes", id="ferries", channel="none").status_code == 404


def test_the_log_shows_what_was_not_sent_and_sends_dead_ones_again(here: Desk, ada: Visitor, hook: Receiver) -> None:
    hook.answer = lambda received: 410
    with here.home.store() as store:
        store.add_channel(Channel(0, "ada", "gone", "webhook", hook.url), secrets=[make_secret()])
        store.add_channel(Channel(0, "ada", "none", "nothing", ""))
        items = [Item(name, title=f"A ferry <i>{name}</i>", link="https://a.example/1", feed=name) for name in "ab"]
        store.record("1", items, [Match(one.identity, "ferries") for one in items])
        wait_until(lambda: store.outbox_counts("ada").dead > 0, "the dead letter")
        wait_until(lambda: len(store.unsent("ada")) >= 3, "what was not sent")
        page = ada.get("/console/notifications").text
        assert "410 Gone" in page and "duplicate" in page and "nothing is sent on this channel" in page
        assert "<i>a</i>" not in page and "A ferry &lt;i&gt;a" in page
        number = store.messages("ada", state="dead")[0].number
        assert "1 to be sent again" in ada.submit("/console/notifications", message=number).text
        assert ada.get("/console/notifications?channel=gone").status_code == 200


def test_links_in_mail_ask_first_and_a_mail_program_posts(here: Desk) -> None:
    with here.home.store() as store, here.with_token(None) as anybody:
        made = store.add_channel(Channel(0, "ada", "mail", "mail", "ada@island.example", state="unverified"))
        key = store.key(KEY)
        verify = f"/notify/verify/{verify_token(key, made.number, made.address, datetime.now(UTC))}"
        unsubscribe = f"/notify/unsubscribe/{make_token(key, UNSUBSCRIBE, made.number)}"
        for path in (verify, unsubscribe):
            page = anybody.get(path, headers={"Accept": "text/html"})
            assert page.status_code == 200 and "<button" in page.text
        assert store.channel("ada", "mail").state == "unverified", "scanners of mail follow links"
        assert anybody.post(verify, headers={"Accept": "text/html"}).status_code == 200
        assert store.channel("ada", "mail").state == "ready"
        done = anybody.post(unsubscribe, content="List-Unsubscribe=One-Click", headers={"Content-Type": "text/plain"})
        assert done.status_code == 200
        found = store.channel("ada", "mail")
        assert (found.state, found.reason) == ("disabled", "unsubscribed by the link in a letter")
        assert anybody.post(verify).status_code == 200 and store.channel("ada", "mail").state == "disabled"
        for wrong in (
            verify.replace("verify", "unsubscribe"),
            unsubscribe[:-1],
            "/notify/verify/x",
            "/notify/verify/1.0.x",
        ):
            assert anybody.get(wrong).status_code == anybody.post(wrong).status_code == 404
        store.remove_channel("ada", "mail")
        assert anybody.get(unsubscribe).status_code == 404


@pytest.mark.browser
@pytest.mark.slow
def test_a_person_adds_tests_and_reads_the_log_in_a_browser(here: Desk, hook: Receiver) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browsers import FLAGS, find_browser
    from tests.serve.console.test_browser import opened

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        with opened(browser, here, "bob") as page:
            page.click("nav >> text=Channels")
            page.fill("#name", "desk")
            page.fill("#address", hook.url)
            page.click("text=Add the channel")
            page.wait_for_selector("text=Copy the secret now")
            page.click("button:has-text('Test')")
            page.wait_for_selector("text=204 No Content")
            page.click("text=What was sent, and what was not")
            page.wait_for_selector("text=A test")
        browser.close()
    assert [one.json["type"] for one in hook.came] == ["watchword.test"]
