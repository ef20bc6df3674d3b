"""Health: the costliest subscriptions, published versions, runs, and rates."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.serve.console.visitors import Page, Visitor
from tests.serve.desk import Desk, desk
from watchword.dead_letters import Letter, write_letters
from watchword.following import read_origin
from watchword.home import Home
from watchword.index import language_class
from watchword.items import Item, event_of
from watchword.serve.console import looking, progress
from watchword.serve.console.looking import Look, look
from watchword.serve.console.progress import Rate, rate_of, runs_of, versions_of
from watchword.serve.limits import Limits
from watchword.shards import Origin, Version, next_version, publish, save_shard, shard_folder, writing
from watchword.store import Details, Store

PATH = "/console/health"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.make(tmp_path / "home")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with home.store() as opened:
        opened.add_subscriber("ada")
        yield opened


def archive(home: Home, days: float, *titles: str) -> None:
    """Archive an item for each title, seen some days ago."""
    at = datetime.now(UTC) - timedelta(days=days)
    home.archive().write(f"test:{days}", [Item(f"{days}-{place}", title) for place, title in enumerate(titles)], at)


def look_of(home: Home, store: Store) -> Look:
    return look(store, "ada", home.archive().newest())


def row(html: str, first: str) -> list[str]:
    """Return the cells of the row of a page that begins with a text."""
    cells = Page(html).all("td")
    at = next(place for place, one in enumerate(cells) if one.text == first)
    line = next(around for around in reversed(cells[at].around) if around.tag == "tr")
    return [one.text for one in cells if line in one.around]


# The costliest


def test_the_costliest_are_those_with_the_most_items_of_the_last_30_days(home: Home, store: Store) -> None:
    archive(home, 40, *["bread"] * 20)
    archive(home, 10, "ferry", "ferry in the storm", "calm")
    archive(home, 0, "ferry", "storm")
    for id in ("bread", "storm", "ferry"):
        store.subscribe("ada", id, id=id)
    store.subscribe("ada", "title = 'calm'", id="calm", language="predicates")
    store.subscribe("ada", "ferry OR storm", id="paused", details=Details(paused=True))
    found = look_of(home, store)
    assert (found.items, found.archived, found.recent, found.subscriptions) == (25, 25, 5, 4)
    assert [(one.one.id, one.matches, one.share) for one in found.costly] == [
        ("ferry", 3, 0.6),
        ("storm", 2, 0.4),
        ("calm", 1, 0.2),
    ]
    assert (found.dead, found.covered) == ([], [])


def test_ten_are_listed_the_first_made_of_equal_ones_first(home: Home, store: Store) -> None:
    archive(home, 1, "ferry", "storm ferry")
    for number in range(12):
        store.subscribe("ada", "ferry", id=f"f{number}")
    store.subscribe("ada", "storm", id="storm")
    found = look_of(home, store)
    assert [one.one.id for one in found.costly] == [f"f{number}" for number in range(10)]
    assert [(one.id, by.id) for one, _, by, _ in found.covered] == [
        *((f"f{number}", "f0") for number in range(1, 12)),
        ("storm", "f0"),
    ]


def test_a_look_finds_what_one_index_after_the_other_finds(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "SLICE", 7)
    draw, words = random.Random(5), ("ferry", "storm", "bread", "calm", "tide")
    titles = [" ".join(draw.sample(words, draw.randint(1, 3))) for _ in range(40)]
    archive(home, 1, *titles)
    texts = {f"k{number}": f"{draw.choice(words)} NOT {draw.choice(words)}" for number in range(12)}
    fields = {f"p{number}": f"title LIKE '%{draw.choice(words)}%'" for number in range(4)}
    for some, language in ((texts, "keywords"), (fields, "predicates")):
        for id, text in some.items():
            store.subscribe("ada", text, id=id, language=language)
    hits: dict[str, set[int]] = {}
    for some, language in ((texts, "keywords"), (fields, "predicates")):
        for id, text in some.items():
            index = language_class(language)({id: text}, **store.options(language))
            events = [event_of(language, Item("x", title), index.attributes) for title in titles]
            hits[id] = {place for place, event in enumerate(events) if index.match(event)}
    found = look_of(home, store)
    assert {one.id for one, _ in found.dead} == {id for id, own in hits.items() if not own} != set()
    assert all(len(hits[one.one.id]) == one.matches for one in found.costly)
    assert [one.matches for one in found.costly] == sorted(map(len, hits.values()), reverse=True)[:10]
    covered = {one.id for one, *_ in found.covered}
    assert all(hits[one.id] <= hits[by.id] for one, _, by, _ in found.covered)
    alone = {id for id in hits if hits[id] and not any(hits[id] <= hits[by] for by in hits if by != id)}
    assert alone.isdisjoint(covered) and alone and covered


def test_a_text_that_its_language_refuses_now_is_not_called_dead(home: Home, store: Store) -> None:
    archive(home, 1, "ferry", "storm")
    store.subscribe("ada", "ferry", id="good")
    store.subscribe("ada", "storm", id="bad")
    with sqlite3.connect(home.path / "store.sqlite") as file:
        file.execute("UPDATE subscriptions SET text = 'storm (' WHERE id = 'bad'")
    found = look_of(home, store)
    assert [one.id for one, _ in found.untried] == ["bad"]
    assert (found.dead, found.subscriptions) == ([], 1)
    assert [(one.one.id, one.matches) for one in found.costly] == [("good", 1)]


def test_an_empty_archive_calls_none_dead(home: Home, store: Store) -> None:
    store.subscribe("ada", "ferry")
    found = look_of(home, store)
    assert (found.items, found.dead, found.costly, found.covered) == (0, [], [], [])
    assert found.subscriptions == 1


def test_items_that_a_language_cannot_read_hide_no_others(home: Home, store: Store) -> None:
    home.archive().write("a", [Item("1", row='{"n": 1}'), Item("2", row="no object"), Item("3", row='{"n": 1}')])
    store.subscribe("ada", "n = 1", id="one", language="predicates")
    assert [(one.one.id, one.matches) for one in look_of(home, store).costly] == [("one", 2)]


def test_a_look_that_has_no_more_time_says_so(home: Home, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(home, 1, "ferry")
    store.subscribe("ada", "ferry")
    monkeypatch.setattr(looking, "SECONDS", -1.0)
    found = look_of(home, store)
    assert (found.items, found.archived, found.dead) == (0, 1, [])


def test_the_page_lists_the_costliest_with_names_as_text(tmp_path: Path) -> None:
    with desk(tmp_path) as running, Visitor(running) as ada, running.home.store() as store:
        archive(running.home, 1, "ferry", "ferry", "storm", "calm")
        store.subscribe("ada", "ferry", id="f", details=Details(name="<b>Ferries</b>"))
        page = ada.get(f"{PATH}?look=true").text
        assert row(page, "<b>Ferries</b>") == ["<b>Ferries</b>", "2", "50.0 %"]
        assert "of the 4 items of the last 30 days" in page
        assert "Each found something of its own" in page


def test_a_look_counts_as_the_computing_of_a_preview(tmp_path: Path) -> None:
    with desk(tmp_path, limits=Limits(preview_cpu=0.006)) as running, Visitor(running) as ada:
        archive(running.home, 1, *["ferry in the storm"] * 3_000)
        for word in ("ferry", "storm", "bread"):
            running.service.store().subscribe("ada", word)
        answers = [ada.get(f"{PATH}?look=true").status_code for _ in range(5)]
        assert (answers[0], answers[-1]) == (200, 429)
        assert ada.get(PATH).status_code == 200


# Versions


def publish_version(home: Home, texts: dict[str, str], origin: Origin | None) -> None:
    with writing(home.index("keywords")) as held:
        number = next_version(held.path)
        index = language_class("keywords")(texts)
        shard = save_shard(index, held.path, shard_folder(0, number))
        publish(Version(held.path, number, "keywords", "string", (shard,), origin=origin), keep=2)


def test_a_version_says_which_changes_it_has_and_how_many_of_its_language_came_since(home: Home, store: Store) -> None:
    assert versions_of(home, store) == []
    store.subscribe("ada", "ferry", id="a")
    publish_version(home, {"a": "ferry"}, read_origin(store, store.last_change()))
    assert versions_of(home, store) == [("keywords", 1, 1, 0, "")]
    store.subscribe("ada", "//ferry", id="p", language="paths")
    assert versions_of(home, store)[0].behind == 0, "which was no change of keywords"
    store.subscribe("ada", "storm", id="b")
    store.unsubscribe("a")
    assert versions_of(home, store) == [("keywords", 1, 1, 2, "")]
    publish_version(home, {"b": "storm"}, read_origin(store, store.last_change()))
    assert versions_of(home, store) == [("keywords", 2, 4, 0, "")]


def test_a_version_of_no_use_says_why_without_a_path(home: Home, store: Store) -> None:
    store.subscribe("ada", "ferry", id="a")
    publish_version(home, {"a": "ferry"}, Origin("other", 1, "other"))
    assert "another one" in versions_of(home, store)[0].fault
    publish_version(home, {"a": "ferry"}, None)
    assert "which state" in versions_of(home, store)[0].fault
    file = home.index("keywords") / "versions" / "000002.json"
    file.write_text("{")
    (broken,) = versions_of(home, store)
    assert broken.version is None and "not JSON" in broken.fault and str(home.path) not in broken.fault


# Runs


def matches(home: Home, name: str, batch: int, rows: int, age: float = 0.0) -> Path:
    file = home.run(name).matches / f"batch-{batch}-keywords.parquet"
    pq.write_table(pa.table({"id": ["x"] * rows}), file)
    at = time.time() - age
    os.utime(file, (at, at))
    return file


def test_a_run_has_its_newest_batch_and_the_matches_of_the_last_hour(home: Home, store: Store) -> None:
    publish_version(home, {"a": "ferry"}, None)
    home.run("never")
    for batch in (9, 10):
        home.run("main").versions.version_for(batch, home.index("keywords"))
    matches(home, "main", 8, 1_000, age=7_300)
    matches(home, "main", 9, 20, age=3_000)
    newest = matches(home, "main", 10, 16, age=60)
    (home.run("main").matches / "batch-11-keywords.parquet.tmp").write_text("half")
    (run,) = runs_of(home)
    assert (run.name, run.batch, run.rate) == ("main", 10, Rate(36, 3_600.0))
    assert run.rate.each_second == 0.01
    assert run.at == datetime.fromtimestamp(newest.stat().st_mtime, UTC)
    newest.write_text("damaged")
    assert runs_of(home)[0].rate.total == 20


def test_a_run_without_files_of_matches_is_known_by_its_checkpoint(home: Home) -> None:
    offsets = home.run("inboxes").checkpoint / "offsets"
    offsets.mkdir(parents=True)
    for number in (9, 10):
        (offsets / str(number)).write_text("v1")
        os.utime(offsets / str(number), (number, number))
    assert [(run.batch, run.at.timestamp(), run.rate) for run in runs_of(home)] == [(None, 10.0, None)]


def test_of_many_files_the_newest_are_counted(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FILES", 2)
    for batch, age in ((1, 400), (2, 300), (3, 200), (4, 100)):
        matches(home, "main", batch, 30, age=age)
    rate = runs_of(home)[0].rate
    assert rate.total == 60 and 299 < rate.seconds < 330


def test_the_rate_of_items_is_that_of_the_last_hour_or_of_the_newest(home: Home) -> None:
    assert rate_of(home.archive().newest(), 100) == Rate(0, 3_600.0)
    archive(home, 1, "a", "b")
    archive(home, 100 / 86_400, "c", "d", "e")
    assert rate_of(home.archive().newest(), 100) == Rate(3, 3_600.0)
    assert rate_of(home.archive().newest(5), 5) == Rate(3, 3_600.0)
    capped = rate_of(home.archive().newest(3), 3)
    assert capped.total == 3 and 99 < capped.seconds < 160


def test_the_page_shows_runs_and_versions(you: Visitor, island: Desk) -> None:
    store = island.service.store()
    assert "<h2>Runs</h2>" not in you.get(PATH).text
    publish_version(island.home, {}, read_origin(store, store.last_change()))
    store.add_subscriber("late")
    store.subscribe("late", "ferry")
    matches(island.home, "main", 3, 7_200)
    letter = Letter("posted", "7", "<i>empty</i>", "{")
    write_letters(island.home.run("main").dead_letters / "batch-1.jsonl", [letter] * 3, 3)
    page = you.get(PATH).text
    assert row(page, "main") == ["main", "–", "now", "2", "3"]
    assert re.search(r"<td>Keywords</td>(.*?)</tr>", page)[1] == "".join(
        f'<td class="n">{figure}</td>' for figure in (1, store.last_change() - 1, 1)
    )
    assert "&lt;i&gt;empty" in page
    (island.home.index("keywords") / "versions" / "000001.json").write_text("[]")
    assert "built again by the next run" in you.get(PATH).text
