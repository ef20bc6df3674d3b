"""A preview says what a run would bring: the same items, by day, and which part keeps the others out."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.oracle import matches
from watchword.archive import Archive
from watchword.errors import EventError, OptionError, SubscriptionSyntaxError
from watchword.items import OPTIONS, Item, event_of
from watchword.languages import language_class
from watchword.preview import Draft, Preview, counting, preview
from watchword.preview.preview import LONGEST, MOST_OTHERS

NOW = datetime(2026, 11, 18, 20, tzinfo=UTC)
WORDS = ["ferry", "storm", "strike", "Straße", "harbour", "crew", "tea", "ferries", "x_1", "東京"]
FEEDS = ["Harbour", "Bread"]


def drawn_item(draw: random.Random, name: str) -> Item:
    """Return an item of a feed, of a table, a document, a topic's text, or one that no language of objects reads."""
    text = " ".join(draw.choices(WORDS, k=draw.randrange(6)))
    title = draw.choice(["", "Ferry news", draw.choice(WORDS)])
    kind = draw.randrange(6)
    if kind == 0:
        row = {"id": name, "text": text, "price": draw.choice([5, 25, None]), "title": title}
        return Item(name, title, text, row=json.dumps(row))
    if kind == 1:
        return Item(name, text=json.dumps({"text": text, "price": 7, "feed": "Harbour"}))
    if kind == 2:
        return Item(name, title, text, row=draw.choice(["{broken", "110", "[]"]))
    if kind == 3:
        return Item(name, "d.xml", f"<a><b>{text}</b></a>")
    published = draw.choice([None, datetime(2026, 11, draw.randrange(1, 28), tzinfo=UTC)])
    categories = tuple(draw.sample(["Sea", "Land"], draw.randrange(3)))
    return Item(name, title, text, "http://x", "desk", published, "en", draw.choice(FEEDS), "http://f", categories)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Return an archive of 300 items on five days, one of which has none; the newest day is today."""
    draw, archive = random.Random(24), Archive(tmp_path_factory.mktemp("archive"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        for day in (0, 1, 3, 4):
            given = [drawn_item(draw, f"{day}-{number}") for number in range(75)]
            archive.write(str(day), given, NOW - timedelta(days=4 - day))
        yield archive


def items_by_day(archive: Archive) -> dict[date, list[Item]]:
    found: dict[date, list[Item]] = {}
    for row in archive.newest().to_pylist():
        item = archive.item(row["id"])
        assert item is not None
        found.setdefault(row["seen"].date(), []).append(item)
    return found


def keywords(draw: random.Random, depth: int = 2) -> str:
    parts = []
    for _ in range(draw.randrange(1, 4)):
        inner = draw.random() < 0.25 and depth
        part = f"({keywords(draw, depth - 1)})" if inner else draw.choice([*WORDS, '"storm strike"', "tea-crew"])
        parts.append(draw.choice(["", "", "", "NOT "]) + part)
    return draw.choice([" AND ", " ", " OR "]).join(parts)


def pattern(draw: random.Random) -> str:
    return draw.choice(["*", "?", "* "]).join(word[: draw.randrange(1, 6)] for word in draw.sample(WORDS, 2))


def predicate(draw: random.Random, depth: int = 2) -> str:
    parts = []
    for _ in range(draw.randrange(1, 4)):
        if draw.random() < 0.25 and depth:
            part = f"({predicate(draw, depth - 1)})"
        else:
            word, feed = draw.choice(WORDS), draw.choice(FEEDS)
            kinds = [f"MATCHES '{keywords(draw, 1)}'", f"feed = '{feed}'", "price > 6", "categories CONTAINS 'Sea'"]
            kinds += [f"text HAS '{word[:3]}'", "published > '2026-11-10'", f"title LIKE '%{word[1:4]}%'"]
            kinds += ["link EXISTS", f"text MATCHES PATTERN '{word[:2]}*{word[-1]}'", "author IS MISSING"]
            part = draw.choice(kinds)
        parts.append(draw.choice(["", "", "", "NOT "]) + part)
    return draw.choice([" AND ", " AND ", " OR "]).join(parts)


LONG = 120.0
"""Seconds for a preview: the first of a process also loads kernels, on a machine that may be busy."""

DRAWS: dict[str, Any] = {"keywords": keywords, "patterns": pattern, "predicates": predicate}


def readable(index: Any, events: list[Any]) -> list[Any]:
    """Return the events that an index reads, which a run does not set aside."""
    kept = []
    for event in events:
        try:
            index.match(event)
        except EventError:
            continue
        kept.append(event)
    return kept


@pytest.mark.slow
@pytest.mark.parametrize("language", DRAWS)
def test_a_preview_finds_what_one_index_of_all_drafts_finds(language: str, archive: Archive) -> None:
    draw, options, table = random.Random(language), OPTIONS.get(language, {}), archive.newest()
    drafts = [DRAWS[language](draw) for _ in range(100)]
    index = language_class(language)(dict(enumerate(drafts)), **options)
    by_day: dict[int, Counter[date]] = {key: Counter() for key in range(len(drafts))}
    for day, some in items_by_day(archive).items():
        events = readable(index, [event_of(language, item) for item in some])
        for key in index.match_many(events)["subscription"].to_pylist():
            by_day[key][day] += 1
    found = [preview(Draft(language, text), table, options, days=6, now=NOW, seconds=LONG) for text in drafts]
    for key, (text, shown) in enumerate(zip(drafts, found, strict=True)):
        assert shown.complete and (shown.archived, shown.looked) == (300, 300), text
        assert {day: count for day, count in shown.days if count} == dict(by_day[key]), text
        assert shown.total == by_day[key].total() and len(shown.days) == 6, text
        assert len(shown.sample) == min(20, shown.total) and all(hit.why.startswith("match: ") for hit in shown.sample)
        check_variants(shown, text, language, index, archive)
    assert sum(shown.total > 0 for shown in found) > 50 and (language == "patterns" or any(s.near for s in found))


def check_variants(shown: Preview, text: str, language: str, index: Any, archive: Archive) -> None:
    for part, total in shown.without[:2]:
        assert part in text and total >= shown.total
    for near in shown.near[:2]:
        item = archive.item(near.id)
        assert item is not None
        event = event_of(language, item)
        assert not index.explain_text(event, text) and not index.explain_text(event, near.failed), (text, near)


def test_keywords_agree_with_brute_force(archive: Archive) -> None:
    draw, table = random.Random(7), archive.newest()
    texts = [event_of("keywords", item) for some in items_by_day(archive).values() for item in some]
    for text in (keywords(draw) for _ in range(15)):
        shown = preview(Draft("keywords", text), table, {}, now=NOW, sample=0, seconds=LONG)
        assert shown.total == sum(matches(text, event) for event in texts), text
        for at, (_, total) in enumerate(shown.without):
            rest = " AND ".join(f"({part})" for other, (part, _) in enumerate(shown.without) if other != at)
            assert total == sum(matches(rest, event) for event in texts), (text, rest)


def rows(tmp_path: Path, *texts: str, **more: Any) -> pa.Table:
    archive = Archive(tmp_path)
    archive.write("k", [Item(str(at), title=text, **more) for at, text in enumerate(texts)], NOW)
    return archive.newest()


def show(table: pa.Table, text: str, language: str = "keywords", **more: Any) -> Preview:
    return preview(
        Draft(language, text), table, OPTIONS.get(language, {}), **{"now": NOW, "days": 2, "seconds": LONG, **more}
    )


def test_hits_have_reasons_and_places(tmp_path: Path) -> None:
    table = rows(tmp_path, "A ferry", "The FERRY, in a storm", feed="Harbour", link="http://x", text="sails")
    newest, oldest = show(table, "ferry NOT tea").sample
    assert (newest.id, newest.title, newest.link) == ("1", "The FERRY, in a storm", "http://x")
    assert newest.why == "match: ferry AND NOT tea"
    assert [hit.places for hit in (newest, oldest)] == [[(None, 4, 9)], [(None, 2, 7)]]
    (hit,) = show(table, "feed = 'Harbour' AND MATCHES 'storm sails'", "predicates").sample
    assert hit.places == [("title", 16, 21), ("text", 0, 5), ("feed", 0, 7)]
    assert [near.why for near in show(table, "ferry storm").near] == ["missing storm in: ferry AND storm"]


def test_what_comes_only_now_and_then_is_counted_by_day(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    times = {"old": timedelta(days=3), "late": timedelta(hours=20, microseconds=1), "midnight": timedelta(hours=20)}
    for name, before in (times | {"now": timedelta(0), "tomorrow": timedelta(hours=-5)}).items():
        archive.write(name, [Item(name, "ferry")], NOW - before)
    found = preview(Draft("keywords", "ferry"), archive.newest(), {}, days=3, now=NOW, seconds=LONG)
    assert [count for _, count in found.days] == [0, 1, 2] and found.archived == 3
    assert [hit.id for hit in found.sample] == ["now", "midnight", "late"] and found.since == NOW - times["late"]
    shuffled = archive.newest().take([4, 0, 3, 2, 1])
    assert preview(Draft("keywords", "ferry"), shuffled, {}, days=3, now=NOW, seconds=LONG).days == found.days


@pytest.mark.parametrize(
    "text, parts",
    [
        ("ferry", []),
        ("ferry OR storm", []),
        ("ferry AND storm OR tea", []),
        ("(ferry AND storm)", []),
        ("ferry -storm", ["ferry", "-storm"]),
        ('"a  ferry"  tea, ... storm', ['"a  ferry"', "tea,", "storm"]),
        ("NOT ferry NOT NOT tea", ["NOT ferry", "NOT NOT tea"]),
        (" ( ferry OR tea )AND storm ", ["( ferry OR tea )", "storm"]),
    ],
)
def test_the_parts_of_a_draft(tmp_path: Path, text: str, parts: list[str]) -> None:
    assert [part for part, _ in show(rows(tmp_path, "ferry"), text).without] == parts


def test_parts_of_predicates_are_kept_whole(tmp_path: Path) -> None:
    table = rows(tmp_path, "A and B", feed="Harbour")
    text = "title = 'A AND B' AND NOT feed IN ('x', 'y') AND (feed = 'Harbour' OR MATCHES 'a AND b')"
    found = show(table, text, "predicates")
    assert found.without == [
        ("title = 'A AND B'", 1),
        ("NOT feed IN ('x', 'y')", 0),
        ("(feed = 'Harbour' OR MATCHES 'a AND b')", 0),
    ]
    assert [(near.failed, near.id) for near in found.near] == [("title = 'A AND B'", "0")]


def test_other_subscriptions_are_compared(tmp_path: Path) -> None:
    table = rows(tmp_path, "ferry storm", "ferry", "ferry tea", "tea")
    others = {"same": '"FERRY"', "narrow": "ferry NOT storm", "far": "tea", "bad": "(ferry", "none": "nothing"}
    others |= {"wide": "ferry OR tea OR bread", "near": "(ferry NOT tea) OR night"}
    assert [tuple(one) for one in show(table, "ferry", others=others).like] == [
        ("same", "equals", 1.0),
        ("narrow", "covers", 2 / 3),
        ("wide", "covered by", 3 / 4),
        ("near", "resembles", 2 / 3),
    ]
    assert show(table, "nothing", others=others).like == [("none", "equals", 1.0)]
    assert [one.relation for one in show(table, "ferry", others=others, seconds=0).like] == ["resembles"] * 4


def test_warnings_say_what_is_odd(tmp_path: Path) -> None:
    table = rows(tmp_path, *["the harbour"] * 30, *["a harbor, a ferry"] * 5, feed="Harbour", text="x")
    assert show(table, "NOT tea").warnings == ["it finds every item"]
    assert show(table, "the").warnings == ["it finds about 30 items a day; more than 20 are too many for most people"]
    assert show(table, "ferry").warnings == []
    nothing = "it finds none of 35 items"
    assert show(table, "harbuor AND ferry").warnings == [
        nothing,
        "no item has harbuor; 30 have harbour, 5 have harbor",
    ]
    assert show(table, "ferry the").warnings == [nothing]
    assert show(table, "zebra OR xy").warnings == [nothing, "no item has zebra", "no item has xy"]
    assert show(table, "feed = 'Harbor' AND MATCHES 'ferri'", "predicates").warnings == [
        nothing,
        "no item has feed = 'Harbor'",
        "no item has MATCHES 'ferri'; 5 have MATCHES 'ferry'",
    ]
    assert show(table, "zeb?a", "patterns").warnings == [nothing]
    assert show(table, "ferry AND NOT ferry").warnings == [nothing]
    assert show(table.slice(0, 0), "ferry").warnings == ["the archive has no items of the last 2 days"]
    assert show(table, "ferry", now=NOW + timedelta(days=9)).archived == 0


@pytest.mark.parametrize(
    "text, line",
    [
        ("harbuor*", "no item has harbuor*; 3 have harbour*"),
        ("ferry NEAR/3 harbuor", "no item has harbuor; 2 have harbour"),
        ('harbuor BEFORE/2 ("late ferry" OR storm)', "no item has harbuor; 2 have harbour"),
        ("ferry NEAR/1 storm", "no item has ferry NEAR/1 storm; 2 have ferry AND storm"),
        ('"ferry storm"', 'no item has "ferry storm"; 2 have ferry AND storm'),
        ('"ferry storm"~1', 'no item has "ferry storm"~1; 2 have ferry AND storm'),
        ("^storm", "no item has ^storm"),
        ("MATCHES 'ferry NEAR/1 storm'", "no item has MATCHES 'ferry NEAR/1 storm'; 2 have MATCHES 'ferry AND storm'"),
        ("MATCHES 'harbuor NEAR/5 ferry'", "no item has MATCHES 'harbuor'; 2 have MATCHES 'harbour'"),
    ],
)
def test_the_word_is_named_that_keeps_words_from_standing_near_each_other(tmp_path: Path, text: str, line: str) -> None:
    texts = ["a ferry in a storm", "a late ferry waits for the end of the storm", "harbour", "the harbour", "harbours"]
    language = "predicates" if "MATCHES" in text else "keywords"
    assert show(rows(tmp_path, *texts), text, language).warnings == ["it finds none of 5 items", line]


def test_a_word_that_is_gone_is_said_once(tmp_path: Path) -> None:
    found = show(rows(tmp_path, "ferry storm"), "2 OF (zebra NEAR/2 ferry, zebra, storm BEFORE/3 zebra)")
    assert found.warnings == ["it finds none of 1 item", "no item has zebra"]


def test_near_misses_have_something_of_the_draft_and_far_ones_come_last(tmp_path: Path) -> None:
    table = rows(tmp_path, "storm and a late ferry", "storm", "ferry, storm, strike", "tea", "tea and bread")
    near = show(table, "ferry NEAR/1 storm NOT strike").near
    assert [(one.id, one.failed, one.is_far) for one in near] == [
        ("2", "NOT strike", False),
        ("0", "ferry NEAR/1 storm", False),
        ("4", "ferry NEAR/1 storm", True),
        ("3", "ferry NEAR/1 storm", True),
        ("1", "ferry NEAR/1 storm", True),
    ]
    assert [one.id for one in show(table, '"late storm"').near] == ["0"]
    assert [one.id for one in show(table, "NOT storm NOT tea", sample=2).near] == ["4", "3"]
    assert not any(one.is_far for one in show(table, "NOT storm NOT tea").near)
    assert [one.id for one in show(table, "ferry NOT tea", sample=1).near] == ["1"]


def test_items_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    given = [Item("a", text="<x><b/></x>"), Item("b", text="no document"), Item("c", title="t", feed="F", text="x")]
    archive.write("k", given, NOW)
    found = show(archive.newest(), "//title", "paths")
    assert (found.total, found.looked) == (1, 3)
    assert found.warnings == ["1 item that paths cannot read, and that a run sets aside"]
    assert show(archive.newest(), "/x/b", "paths").sample[0].id == "a"
    with pytest.raises(OptionError, match="declare"):
        show(archive.newest(), "sports=1", "properties")


def test_properties_are_read_from_rows(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.write("k", [Item(str(at), "t", row=json.dumps({"sports": at % 2, "arts": 1})) for at in range(5)], NOW)
    options = {"properties": ["sports", "arts"]}
    found = preview(Draft("properties", "sports=1 arts=1"), archive.newest(), options, now=NOW, seconds=LONG)
    assert (found.total, found.without) == (2, []) and found.sample[0].id == "3"


def test_drafts_that_are_refused(tmp_path: Path) -> None:
    table = rows(tmp_path, "ferry")
    with pytest.raises(SubscriptionSyntaxError) as refused:
        show(table, "ferry AND (storm")
    assert refused.value.position == 10
    with pytest.raises(SubscriptionSyntaxError, match="more than 16,384 characters"):
        show(table, "x" * (LONGEST + 1))
    for text in ("", "...", None):
        with pytest.raises(SubscriptionSyntaxError):
            show(table, text)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="no language 'songs'"):
        show(table, "ferry", "songs")
    with pytest.raises(OptionError, match="days is a number from 1"):
        show(table, "ferry", days=0)
    with pytest.raises(OptionError, match="sample is a number"):
        show(table, "ferry", sample=-1)


def test_the_time_is_bounded_and_the_newest_items_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = rows(tmp_path, *["ferry"] * 100)
    monkeypatch.setattr(counting.count, "__kwdefaults__", {"near": 0, "sliced": 30})
    found = show(table, "ferry storm", seconds=0)
    assert (found.complete, found.looked, found.archived, found.total) == (False, 30, 100, 0)
    assert found.without == [("ferry", 0), ("storm", 30)] and found.near[0].id == "99" and found.near[0].why == ""
    assert found.warnings[0] == "the time ended: counted are the newest 30 of 100 items"
    assert show(table, "ferry storm", seconds=60).looked == 100


def test_long_drafts_have_bounded_variants(tmp_path: Path) -> None:
    table = rows(tmp_path, " ".join(f"w{at}" for at in range(500)))
    found = show(table, " AND ".join(f"w{at}" for at in range(500)))
    assert len(found.without) == 32 and found.total == 1
    many = {str(at): "w1" for at in range(2_000)}
    assert len(show(table, "w1", others=many).like) == MOST_OTHERS
