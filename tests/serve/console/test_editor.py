"""The editor as a page: check, preview, one text, examples, saving."""

from __future__ import annotations

import html
import re

import pytest

from tests.serve.console.visitors import Page, Visitor
from tests.serve.desk import Desk
from watchword.demo.filling import YOU
from watchword.store import Details, Request


def results(visitor: Visitor, text: str, **fields: object) -> str:
    answer = visitor.submit("/console/edit", part="results", text=text, **fields)
    assert answer.status_code == 200, answer.text
    assert "<html" not in answer.text
    return html.unescape(answer.text)


def total(text: str) -> int:
    return int(re.search(r"<strong>([\d,]+)</strong> of", text)[1].replace(",", ""))


def test_a_draft_is_previewed_with_days_marks_parts_and_near_misses(you: Visitor) -> None:
    shown = results(you, "ferry NOT delayed")
    page = Page(shown)
    assert total(shown) > 20
    days = [one for one in page.all("a") if one.get("data-part") == "day"]
    assert sum(int(re.search(r": ([\d,]+) item", one.get("aria-label"))[1]) for one in days) == total(shown)
    assert {one.text.casefold() for one in page.all("mark")} == {"ferry"}
    without = dict(re.findall(r'<code>([^<]+)</code> <span class="total">([\d,]+)', shown))
    assert int(without["NOT delayed"]) > total(shown)
    assert int(without["ferry"]) > total(shown)
    assert "kept out by" in shown


def test_near_misses_have_something_of_the_draft(you: Visitor) -> None:
    shown = results(you, "ferry NEAR/2 delayed NOT zebra")
    misses = shown.partition('class="near"')[2]
    titles = re.findall(r"<h3>(?:<[^>]+>)?([^<]+)", misses)
    assert f"{len(titles)} near misses" in misses and "The newest" not in misses and len(titles) < 20
    assert all("ferry" in title.casefold() for title in titles)
    assert "The newest 20 near misses" in results(you, "ferry AND storm")
    assert "near miss" not in results(you, "zebra NOT delayed")


def test_the_figures_are_those_of_the_archive(you: Visitor, island: Desk) -> None:
    rows = island.service.archive.newest()
    texts = [f"{row['title']} {row['text']}".casefold() for row in rows.select(["title", "text"]).to_pylist()]
    assert total(results(you, "ferry")) == sum("ferry" in re.findall(r"\w+", text) for text in texts)


def test_the_items_of_a_day_are_those_that_its_bar_counts(you: Visitor) -> None:
    days = [one for one in Page(results(you, "ferry AND storm")).all("a") if one.get("data-part") == "day"]
    assert days
    for day in days[:3]:
        count = int(re.search(r": (\d+) item", day.get("aria-label"))[1])
        part = Page(you.get(day.get("href"), headers={"X-Part": "day"}).text)
        assert len(part.all("li")) == count
        assert part.texts("mark")
        whole = you.get(day.get("href"))
        assert "<html" in whole.text
        assert len(Page(whole.text).all("li")) == count


def test_a_fault_is_shown_under_its_place_with_the_remedy(you: Visitor) -> None:
    shown = results(you, "ferry AND\n(storm")
    assert '<pre class="caret" aria-hidden="true">(storm\n<b>^</b></pre>' in shown
    assert "This parenthesis is never closed; add the closing )" in shown
    assert 'data-start="10" data-length="1"' in shown
    assert "of-day" not in shown


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("ferry AND storm", "keywords"),
        ("feed = 'Harbour news' AND MATCHES 'ferry'", "fields and text"),
        ("cup final*penalties", "patterns"),
        ("//title", "xml paths"),
        ('"rough sea" OR storm', "keywords"),
        ("f?rry AND storm", "keywords"),
        ("st?rm", "keywords"),
        ("ferr* NEAR/9 storm~1", "keywords"),
        ("2 OF (ferry, st*rm, harbour)", "keywords"),
    ],
)
def test_the_language_is_found_out_from_the_text(you: Visitor, text: str, language: str) -> None:
    shown = results(you, text)
    assert f"Read as <strong>{language}</strong>" in shown
    assert total(shown) > 0


def test_a_chosen_language_holds(you: Visitor) -> None:
    assert "Read as <strong>patterns</strong>" in results(you, "ferry", language="patterns")
    assert "Read as <strong>keywords</strong>" in results(you, "ferry", language="nonsense")


def test_one_text_is_tried_with_why_and_why_not(you: Visitor) -> None:
    yes = results(you, "ferry NOT delayed", tried="The ferry & the storm")
    assert "It matches." in yes
    assert "<mark>ferry</mark> & the storm" in yes
    no = results(you, "ferry NOT delayed", tried="The ferry is delayed")
    assert "It does not match." in no
    assert "forbidden delayed" in no
    combined = results(you, "MATCHES 'ferry'", tried="A ferry", language="predicates")
    assert "A <mark>ferry</mark>" in combined


def test_a_misspelt_word_is_named_with_the_likely_one(you: Visitor) -> None:
    shown = results(you, "harbuor")
    assert "No item has harbuor" in shown
    assert "harbour" in shown


def test_alike_subscriptions_are_named(you: Visitor) -> None:
    shown = results(you, "ferry NOT delayed")
    assert re.search(r'href="/console/edit\?id=ferries">Ferries that sail</a> <span class="muted">is the same', shown)


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("ferry NOT delayed AND storm", "finds everything that this finds"),
        ("ferry", "finds nothing that this does not find"),
    ],
)
def test_which_of_two_is_the_wider_one_is_said_of_the_other(you: Visitor, draft: str, said: str) -> None:
    shown = results(you, draft)
    found = re.search(r">Ferries that sail</a> <span class=\"muted\">([^<]+)", shown)
    assert found is not None and found[1] == said


def test_it_is_saved_read_and_edited(ada: Visitor, island: Desk) -> None:
    fields = {
        "text": "ferry AND storm",
        "name": "Rough ferries",
        "tags": "sea, work, sea",
        "note": "For Mara.\r\nDaily.",
    }
    answer = ada.submit("/console/edit", do="save", **fields)
    assert answer.status_code == 303
    id = re.search(r"saved=([^&]+)", answer.headers["location"])[1]
    one = island.service.store().subscription(id)
    assert (one.subscriber, one.language, one.text) == ("ada", "keywords", "ferry AND storm")
    assert (one.details.name, one.details.tags, one.details.note) == (
        "Rough ferries",
        ("sea", "work"),
        "For Mara.\nDaily.",
    )
    assert "Saved: Rough ferries" in ada.get(answer.headers["location"]).text
    page = ada.get("/console/edit", params={"id": id}).text
    assert "sea, work" in page
    etag = re.search(r'name="etag" value="(\w+)"', page)[1]
    again = ada.submit(
        "/console/edit", do="save", id=id, etag=etag, text="ferry AND gale", name="Gales", language="keywords"
    )
    assert again.status_code == 303
    assert island.service.store().subscription(id).text == "ferry AND gale"
    assert island.service.follower.index("keywords")[id] == "ferry AND gale"
    stale = ada.submit("/console/edit", do="save", id=id, etag=etag, text="ferry AND fog")
    assert stale.status_code == 412
    assert "ferry AND fog" in stale.text
    assert "changed elsewhere" in stale.text
    assert island.service.store().subscription(id).text == "ferry AND gale"


def test_saving_can_fill_in_the_last_week_and_says_how_many_before(island: Desk) -> None:
    with Visitor(island, "filler") as visitor:
        shown = results(visitor, "ferry AND storm NOT delayed")
        said = int(re.search(r'data-fill-count=" \((\d+) items?\)"', shown)[1])
        answer = visitor.submit("/console/edit", do="fill", text="ferry AND storm NOT delayed")
        assert f"filled={said}" in answer.headers["location"]
        assert f"{said} items filled in" in visitor.get(answer.headers["location"]).text
        assert island.service.store().inbox_counts("filler").unread == said > 0


@pytest.mark.parametrize(
    ("text", "other", "language"),
    [("NOT ferry", "NOT storm", ""), ("NOT (feed = 'Sea')", "NOT (feed = 'Land')", ""), ("*", "**", "patterns")],
)
def test_what_matches_nearly_everything_is_saved_when_it_is_sent_again(
    ada: Visitor, island: Desk, text: str, other: str, language: str
) -> None:
    def save(text: str, sure: str = "") -> tuple[int, str]:
        answer = ada.submit("/console/edit", do="save", text=text, language=language, sure=sure)
        return answer.status_code, html.unescape(answer.text)

    status, page = save(text)
    assert status == 422 and "matches nearly everything" in page
    assert f'name="sure" value="{text}"' in page
    assert save(other, sure=text)[0] == 422
    assert text not in [one.text for one in island.service.store().subscriptions("ada")]
    assert save(text, sure=text)[0] == 303
    assert text in [one.text for one in island.service.store().subscriptions("ada")]


def test_a_refused_text_is_kept_in_the_form_and_not_in_the_store(ada: Visitor, island: Desk) -> None:
    before = island.service.store().count_subscriptions("ada")
    answer = ada.submit("/console/edit", do="save", text="ferry (", name="Half")
    assert answer.status_code == 422
    assert "ferry (" in answer.text
    assert 'value="Half"' in answer.text
    assert "It was not saved" in answer.text
    assert ada.submit("/console/edit", do="save", text="").status_code == 422
    assert ada.submit("/console/edit", do="save", text="ferry", tags="x" * 65).status_code == 422
    assert island.service.store().count_subscriptions("ada") == before


def test_examples_are_kept_and_checked_at_each_change(ada: Visitor, island: Desk) -> None:
    kept = ada.submit("/console/edit", do="must", text="ferry", tried="A ferry <b>sails</b>").text
    assert 'name="example" value="A ferry &lt;b&gt;sails&lt;/b&gt;"' in kept
    examples = {"example": ["A ferry sails", "A train"], "verdict": ["matches", "never"]}
    id = re.search(
        r"saved=([^&]+)", ada.submit("/console/edit", do="save", text="ferry", **examples).headers["location"]
    )[1]
    assert [(one.event, one.matches) for one in island.service.store().subscription(id).details.examples] == [
        ("A ferry sails", True),
        ("A train", False),
    ]
    warned = results(ada, "train", id=id, **examples)
    assert "Example 1 is not as it must be" in warned
    assert "Example 2 is not as it must be" in warned
    refused = ada.submit("/console/edit", do="save", id=id, text="train", **examples)
    assert refused.status_code == 422
    assert island.service.store().subscription(id).text == "ferry"
    forgotten = {"example": examples["example"], "verdict": ["forget", "forget"]}
    assert ada.submit("/console/edit", do="save", id=id, text="train", **forgotten).status_code == 303
    assert island.service.store().subscription(id).details.examples == ()


def test_nobody_edits_the_subscription_of_somebody_else(ada: Visitor, island: Desk) -> None:
    assert ada.get("/console/edit?id=ferries").status_code == 404
    for do in ("preview", "save", "fill"):
        assert ada.submit("/console/edit", do=do, id="ferries", text="mine").status_code == 404
    for do in ("pause", "snooze", "delete"):
        assert ada.submit("/console/subscriptions", do=do, id="ferries", hours="1").status_code == 404
    assert island.service.store().subscription("ferries").subscriber == YOU


def test_a_draft_that_is_empty_or_too_long_is_no_failure(you: Visitor) -> None:
    assert "Write words" in results(you, "  ")
    assert "is not previewed" in results(you, "ferry" + " " * 20_000)


def test_the_list_pauses_snoozes_and_deletes(island: Desk) -> None:
    with Visitor(island, "keeper") as visitor:
        for number in range(3):
            visitor.submit(
                "/console/edit", do="save", text=f"word{number}", name=f"Word {number}", tags="a" if number else "b"
            )
        store = island.service.store()
        first, second, third = (one.id for one in store.subscriptions("keeper"))
        assert len(Page(visitor.get("/console/subscriptions?tag=a").text).texts("li", "subscription")) == 2
        assert len(Page(visitor.get("/console/subscriptions?q=WORD2").text).texts("li", "subscription")) == 1
        visitor.submit("/console/subscriptions", do="pause", id=first)
        assert first not in island.service.follower.index("keywords")
        assert "paused" in visitor.get("/console/subscriptions").text
        visitor.submit("/console/subscriptions", do="resume", id=first)
        assert first in island.service.follower.index("keywords")
        part = visitor.submit("/console/subscriptions", part="s-1", do="snooze", id=second, hours="24").text
        assert "snoozed until" in part
        assert store.subscription(second).details.snoozed is not None
        visitor.submit("/console/subscriptions", do="wake", id=second)
        assert store.subscription(second).details.snoozed is None
        for hours in ("0", "-1", "x", "99999", ""):
            assert visitor.submit("/console/subscriptions", do="snooze", id=second, hours=hours).status_code == 422
        gone = visitor.submit("/console/subscriptions", part="s-1", do="delete", id=third).text
        assert "Deleted" in gone
        assert [one.id for one in store.subscriptions("keeper")] == [first, second]
        assert store.audit(limit=1)[0].what == "unsubscribe"


def test_the_list_comes_in_pages_of_a_hundred(island: Desk) -> None:
    with Visitor(island, "collector") as visitor:
        store = island.service.store()
        store.subscribe_many(
            Request("collector", "ferry", f"c{number}", details=Details(name=f"Odd {number}", tags=("odd",)))
            if number % 2
            else Request("collector", "storm", f"c{number}", details=Details(tags=("even",)))
            for number in range(250)
        )
        assert listed(visitor, "/console/subscriptions") == [100, 100, 50]
        assert listed(visitor, "/console/subscriptions?tag=odd") == [100, 25]
        assert listed(visitor, "/console/subscriptions?q=ODD+24") == [5]
        assert listed(visitor, "/console/subscriptions?q=odd&tag=even") == [0]
        page = Page(visitor.get("/console/subscriptions?q=nothing").text)
        assert page.texts("a", "tag") == ["even", "odd"]
        assert page.texts("h1") == ["Subscriptions 250"]


def listed(visitor: Visitor, path: str) -> list[int]:
    """Return how many subscriptions each page has, following "More"."""
    counts = []
    while path:
        page = Page(visitor.get(path).text)
        counts.append(len(page.texts("li", "subscription")))
        path = next((one.get("href") for one in page.all("a") if one.get("rel") == "next"), "")
    return counts


def test_a_preview_is_cut_where_its_caller_has_used_up_the_time(island: Desk) -> None:
    with Visitor(island, "busy") as visitor:
        found = [visitor.submit("/console/edit", part="results", text="ferry").status_code]
        spent = island.service.previews._spent
        spent.spend(("session", "busy"), 1000.0)
        found.append(visitor.submit("/console/edit", part="results", text="ferry").status_code)
        spent.forget(("session", "busy"))
        assert found == [200, 429]
