"""The inbox as a page: rows, marks, undo, search, pages, news."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import count

import pytest

from tests.serve.console.visitors import Page, Visitor
from tests.serve.desk import Desk
from watchword.demo.filling import YOU
from watchword.items import Item
from watchword.store import Match

NAMES = map("reader-{}".format, count())


@pytest.fixture
def reader(island: Desk) -> Iterator[Visitor]:
    """Somebody new, with one subscription and five items: the newest is Storm 4."""
    name = next(NAMES)
    with Visitor(island, name) as visitor:
        with island.home.store() as store:
            store.subscribe(name, "storm", id=f"{name}-storms")
            deliver(store, name, range(5))
        yield visitor


def deliver(store: object, name: str, numbers: range) -> None:
    items = [Item(f"{name}:{n}", f"Storm {n}", "A storm & more", f"https://s.example/{n}", feed="Sea") for n in numbers]
    store.record(f"{name} {numbers}", items, [Match(item.identity, f"{name}-storms") for item in items])


def titles(page: str) -> list[str]:
    return [text.removeprefix("Unread: ") for text in Page(page).texts("h2") if "Storm" in text]


def test_a_row_says_what_where_when_and_why(you: Visitor) -> None:
    page = Page(you.get("/?view=all&subscription=storms").text)
    rows = [one for one in page.all("li") if "row" in one.get("class").split()]
    assert rows
    marked = {one.text.casefold() for one in page.all("mark")}
    assert (
        {"storm", "gale warning"} <= marked <= {"storm", "gale warning", "ferry", "crisis", "rose", "harbour", "debt"}
    )
    for row in rows:
        inside = [one for one in page.elements if row in one.around]
        assert [one.text for one in inside if one.get("class") == "feed"]
        assert "Storms" in [one.text for one in inside if one.get("class") == "tag"]
        assert [one for one in inside if one.tag == "time" and one.get("datetime")]
        assert any(one.tag == "code" and one.text.startswith("match: ") for one in inside)
        originals = [one for one in inside if one.tag == "a" and one.get("class") == "outside"]
        assert [(one.get("target"), one.get("rel")) for one in originals] == [("_blank", "noopener noreferrer")]


def test_a_row_without_marked_words_says_the_reason(reader: Visitor, island: Desk) -> None:
    with island.home.store() as store:
        rule = f"{reader.name}-rule"
        store.subscribe(reader.name, "feed = 'Sea' AND NOT author = 'desk'", id=rule, language="predicates")
        items = [Item(f"{reader.name}:plain", "Calm", "No wind", feed="Sea"), Item(f"{reader.name}:bare", feed="Sea")]
        store.record(f"{reader.name} plain", items, [Match(item.identity, rule) for item in items])
    rows = Page(reader.get("/").text).texts("p", "why")
    assert rows[:2] == ["match: feed = 'Sea' AND NOT author = 'desk'"] * 2
    assert rows[2] == "A storm & more"


def test_marking_a_row_answers_with_the_row(reader: Visitor, island: Desk) -> None:
    number = island.service.store().last_delivery(reader.name)
    item = f"{reader.name}:4"
    for do, attribute in (("read", "read_at"), ("unread", None), ("star", "starred_at")):
        answer = reader.submit("/console/inbox", part=f"row-{number}", do=do, item=item, number=str(number))
        assert answer.status_code == 200
        assert f'id="row-{number}"' in answer.text
        assert "<html" not in answer.text
        found = island.service.store().inbox(reader.name, unread_only=False, limit=1)[0]
        assert found.item.identity == item
        assert attribute is None or getattr(found, attribute) is not None
    assert "Take the star" in answer.text
    assert 'class="row unread"' in answer.text


def test_without_the_script_a_mark_leads_back_to_the_list(reader: Visitor) -> None:
    answer = reader.submit("/console/inbox", do="star", item=f"{reader.name}:4", here="view=all")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?view=all")


def test_a_page_is_marked_as_read_and_taken_back(reader: Visitor, island: Desk) -> None:
    items = re.findall(r'name="item" value="([^"]+)"', reader.get("/").text)
    shown = [f"{reader.name}:{n}" for n in (4, 3, 2)]
    assert set(shown) < set(items)
    page = reader.submit("/console/inbox", do="read", item=shown, here="view=unread").text
    assert "3 items marked as read" in page
    assert titles(page) == ["Storm 1", "Storm 0"]
    undo = re.search(r'name="do" value="unread">\s*((?:<input[^>]+>\s*)+)', page)[1]
    page = reader.submit("/console/inbox", part="inbox", do="unread", item=re.findall(r'value="([^"]+)"', undo)).text
    assert titles(page) == [f"Storm {n}" for n in (4, 3, 2, 1, 0)]
    assert island.service.store().inbox_counts(reader.name).unread == 5


def test_marking_all_leaves_what_came_after_the_page_was_made(reader: Visitor, island: Desk) -> None:
    through = str(island.service.store().last_delivery(reader.name))
    with island.home.store() as store:
        deliver(store, reader.name, range(5, 7))
    page = reader.submit("/console/inbox", do="all", through=through).text
    assert "5 items marked as read" in page
    assert titles(page) == ["Storm 6", "Storm 5"]


def test_nobody_marks_the_items_of_somebody_else(reader: Visitor, island: Desk) -> None:
    before = island.service.store().inbox_counts(YOU)
    mine = [one.item.identity for one in island.service.store().inbox(YOU, limit=3)]
    number = str(island.service.store().inbox(YOU, limit=1)[0].number)
    assert reader.submit("/console/inbox", do="read", item=mine).status_code == 200
    assert reader.submit("/console/inbox", part="row-1", do="star", item=mine, number=number).status_code == 404
    assert island.service.store().inbox_counts(YOU) == before


def test_search_is_a_subscription_asked_over_the_inbox(reader: Visitor) -> None:
    assert titles(reader.get("/", params={"q": "storm AND 3"}).text) == ["Storm 3"]
    assert len(titles(reader.get("/", params={"q": "storm NOT 3"}).text)) == 4
    refused = reader.get("/", params={"q": "storm ("})
    assert refused.status_code == 200
    assert "never closed; add the closing )" in refused.text


def test_pages_do_not_move_when_items_come(reader: Visitor, island: Desk) -> None:
    with island.home.store() as store:
        deliver(store, reader.name, range(5, 60))
    first = reader.get("/").text
    older = html.unescape(re.search(r'href="([^"]+)" rel="next"', first)[1])
    with island.home.store() as store:
        deliver(store, reader.name, range(60, 70))
    second = reader.get(older).text
    assert titles(first) == [f"Storm {n}" for n in range(59, 9, -1)]
    assert titles(second) == [f"Storm {n}" for n in range(9, -1, -1)]


def test_news_are_the_rows_after_a_number(reader: Visitor, island: Desk) -> None:
    last = island.service.store().last_delivery(reader.name)
    with island.home.store() as store:
        deliver(store, reader.name, range(5, 7))
    answer = reader.get("/console/news", params={"after": last}, headers={"X-Part": "news"}).text
    assert titles(answer) == ["Storm 6", "Storm 5"]
    assert 'data-unread="7"' in answer
    assert titles(reader.get("/console/news", params={"after": last + 2}).text) == []


def test_filters_hold_in_rows_and_news(reader: Visitor) -> None:
    nothing = {"subscription": "no-such-one"}
    assert titles(reader.get("/", params=nothing).text) == []
    assert titles(reader.get("/console/news", params={**nothing, "after": 0}).text) == []
    assert titles(reader.get("/?view=starred").text) == []


def test_a_search_that_finds_nothing_unread_leads_to_all_items(you: Visitor) -> None:
    page = Page(you.get("/", params={"q": "zebra"}).text)
    href = next(one.get("href") for one in page.all("a") if one.text == "Search all items")
    assert href == "/?view=all&q=zebra"
    assert "Search all items" not in you.get(href).text


@pytest.mark.parametrize(
    "query", ["view=everything", "before=-1", "before=99999999999999999999", "before=x", f"q={'x' * 1001}"]
)
def test_a_query_that_is_none_is_said_and_not_a_failure(reader: Visitor, query: str) -> None:
    assert reader.get(f"/?{query}").status_code == 422


@pytest.mark.parametrize(
    "fields", [{"do": "explode"}, {}, {"do": "all", "through": "x"}, {"do": "all", "through": "9" * 30}]
)
def test_a_form_that_says_nothing_known_is_refused(reader: Visitor, fields: dict[str, str], island: Desk) -> None:
    assert reader.submit("/console/inbox", **fields).status_code == 422
    assert island.service.store().inbox_counts(reader.name).unread == 5


def test_a_new_reader_is_led_to_the_first_subscription(ada: Visitor) -> None:
    page = ada.get("/").text
    assert "Nothing has matched yet" in page
    assert 'href="/console/edit"' in page
