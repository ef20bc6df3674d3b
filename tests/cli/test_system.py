"""The running system from the shell, without Spark: subscribers, inboxes, feeds, and sources that cannot be read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from watchword.cli import app
from watchword.dead_letters import Letter, write_letters
from watchword.errors import FeedError
from watchword.feeds import Backoff, Spool, check_sources, fetch, list_sources
from watchword.feeds.opml import Outline
from watchword.feeds.own_list import FeedList
from watchword.home import Home
from watchword.store import Item, Match

FEED = """<rss version="2.0"><channel><title>Harbour</title><item><guid>1</guid><title>Ferry</title>
<category>Sea</category><category> Night  boats </category><category>Sea</category></item></channel></rss>"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    run("init", home=tmp_path / "home")
    return tmp_path / "home"


def run(*arguments: object, home: Path) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments), "--home", str(home)])


def test_subscribers_are_added_listed_and_removed(home: Path) -> None:
    assert run("subscribers", "list", home=home).stdout == "no subscribers\n"
    said = run("subscribers", "add", "ada", "bob", "ada", home=home)
    assert said.exit_code == 0 and said.stderr == "ada: added\nbob: added\nada: was there already\n"
    run("subscribe", "ada", "ferry", home=home)
    rows = [line.split() for line in run("subscribers", "list", home=home).stdout.splitlines()]
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    assert ["ada", day, "1"] in rows and ["bob", day, "0"] in rows
    assert "with 1 subscription and the inbox" in run("subscribers", "remove", "ada", home=home).stderr
    assert "ada" not in run("subscribers", "list", home=home).stdout
    refused = run("subscribers", "remove", "ada", home=home)
    assert refused.exit_code == 2 and "there is no subscriber 'ada'" in refused.stderr


def test_a_file_of_subscriptions_is_refused_by_its_line(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "many.txt"
    file.write_text("ferry\n\nferry AND (\n")
    refused = run("subscribe", "ada", "--file", file, home=home)
    assert refused.exit_code == 2 and f"{file}: line 3: this parenthesis is never closed" in refused.stderr
    file.write_text("ferry\n")
    assert run("subscribe", "ada", "--file", file, home=home).stderr == "1 subscription for ada\n"


@pytest.fixture
def delivered(home: Path) -> Path:
    with Home(home).store() as store:
        store.add_subscriber("ada")
        for key in ("a", "b"):
            store.subscribe("ada", "ferry" if key == "a" else "storm", id=key)
        items = [Item("1", title="Ferry\x1b[2J", categories=("Sea", "Night")), Item("2", title="Storm")]
        store.record("batch", items, [Match("1", "a", "ferry"), Match("1", "b", "storm"), Match("2", "b", "storm")])
    return home


def records(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.stdout
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_an_inbox_as_json_lines(delivered: Path) -> None:
    second, first = records(run("inbox", "ada", "--format", "jsonl", home=delivered))
    assert (first["identity"], first["title"], first["categories"]) == ("1", "Ferry\x1b[2J", ["Sea", "Night"])
    assert first["reasons"] == [
        {"subscription": "a", "text": "ferry", "why": "ferry"},
        {"subscription": "b", "text": "storm", "why": "storm"},
    ]
    assert first["read_at"] is None and datetime.fromisoformat(str(first["matched_at"])).tzinfo is not None
    assert second["identity"] == "2"
    shown = run("inbox", "ada", "--format", "jsonl", "--mark-read", home=delivered)
    assert len(records(shown)) == 2 and shown.stderr == "2 items marked as read\n"
    again = run("inbox", "ada", "--format", "jsonl", home=delivered)
    assert records(again) == [] and again.stderr == ""


def test_an_inbox_stays_unread_until_it_is_marked(delivered: Path) -> None:
    for _ in range(2):
        shown = run("inbox", "ada", home=delivered)
        assert "ada: 2 items" in shown.stdout and shown.stderr == "still unread; --mark-read marks them\n"
    assert "1 item marked as read" in run("inbox", "ada", "--limit", "1", "--mark-read", home=delivered).stderr
    (left,) = records(run("inbox", "ada", "--format", "jsonl", home=delivered))
    assert left["identity"] == "1"
    everything = run("inbox", "ada", "--all", "--mark-read", home=delivered)
    assert "ada: 2 items" in everything.stdout and everything.stderr == "1 item marked as read\n"


def test_reasons_are_made_when_an_inbox_is_shown(home: Path) -> None:
    """The pipeline records matches without them; a subscription that was changed says so."""
    with Home(home).store() as store:
        store.add_subscriber("ada")
        for key, text in (("a", "ferry"), ("b", "ferry OR storm"), ("c", "ferry")):
            store.subscribe("ada", text, id=key)
        store.record("batch", [Item("1", title="Ferry", row='{"x": 1}')], [Match("1", key) for key in "abc"])
        store.subscribe("ada", "storm", id="b")
        store.unsubscribe("c")
    (record,) = records(run("inbox", "ada", "--format", "jsonl", home=home))
    changed = "matched when it was delivered; the subscription, and the topics, as they are now do not match it"
    assert record["reasons"] == [
        {"subscription": "a", "text": "ferry", "why": "match: ferry"},
        {"subscription": "b", "text": "storm", "why": changed},
        {"subscription": "c", "text": None, "why": ""},
    ]
    assert "row" not in record and record["language"] == ""
    assert "a: match: ferry" in run("inbox", "ada", home=home).stdout


def test_what_one_subscription_matched(delivered: Path) -> None:
    def found(*words: str) -> list[object]:
        return [one["identity"] for one in records(run("inbox", "ada", "--format", "jsonl", *words, home=delivered))]

    assert found("--subscription", "a") == ["1"]
    assert found("--subscription", "b") == ["2", "1"]
    run("unsubscribe", "a", home=delivered)
    assert found("--subscription", "a", "--mark-read") == ["1"]  # it, and no other
    assert found("--subscription", "a") == [] and found("--subscription", "a", "--all") == ["1"]
    assert "ada: 1 item\n" in run("inbox", "ada", home=delivered).stdout
    refused = run("inbox", "ada", "--subscription", "c", home=delivered)
    assert refused.exit_code == 2 and "ada has no subscription 'c'" in refused.stderr


def test_the_state_of_feeds(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("feeds", home=home).stdout == "no feeds yet: watchword run SOURCE reads them\n"
    good, gone = tmp_path / "good.xml", tmp_path / "gone.xml"
    good.write_text(FEED)
    spool = Spool(Home(home).run("main").spool).open()
    for _ in range(2):
        spool.append(fetch([str(good), str(gone)], spool.state, backoff=Backoff()), interval=60)
    spool.close()
    status = Spool(spool.folder).status()
    assert (status[str(good)]["new"], status[str(good)]["items"]) == (0, 1)
    assert status[str(good)]["next"] > status[str(good)]["at"]
    monkeypatch.setenv("COLUMNS", "250")
    rows = [" ".join(line.split()) for line in run("feeds", home=home).stdout.splitlines()]
    assert rows[1] == "run feed asked (UTC) status new items next (UTC)"
    (first, second) = rows[3:5]
    assert first.startswith(f"main {gone} 20") and "No such file or directory 0 0 20" in first
    assert second.startswith(f"main {good} 20") and "read 0 1 20" in second


@pytest.mark.parametrize("status", ['{"a": {"failures": "many", "problems": 5, "at": 7}, "b": 7}', "[]", "[" * 100_000])
def test_a_damaged_state_of_feeds_is_shown_as_far_as_it_goes(home: Path, status: str) -> None:
    spool = Home(home).run("main").spool
    spool.mkdir()
    (spool / "status.json").write_text(status)
    shown = run("feeds", home=home)
    assert shown.exit_code == 0 and shown.stdout


def test_items_keep_their_categories(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_text(FEED)
    (item,) = fetch([str(tmp_path / "feed.xml")]).items
    assert item.categories == ("Sea", "Night boats")
    assert type(item).from_json(json.loads(json.dumps(item.to_json()))) == item
    earlier = item.to_json()
    del earlier["categories"]
    assert type(item).from_json(earlier).categories == ()


SOURCES = {
    "none.xml": "none.xml: there is no such file",
    "nowhere/": "nowhere/: there is no such file",
    "htp://example.org/feed": "a SOURCE is a feed (http, https), or a file or folder",
    "http:///feed.xml": "this address names no host",
    "http://[::1/feed": "this is no address",
    "items.jsonl": "is no feed; items in files are read from a folder",
    "empty.opml": "empty.opml: ",
}


@pytest.mark.parametrize(("source", "reason"), SOURCES.items())
def test_a_source_that_cannot_be_read_is_named_before_spark_starts(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("items.jsonl").write_text("{}\n")
    Path("empty.opml").write_text('<opml version="2.0"><body/></opml>')
    Path("feed.xml").write_text(FEED)
    refused = run("run", "feed.xml", source, home=home) if source != "empty.opml" else run("run", source, home=home)
    assert refused.exit_code == 2 and reason in refused.stderr and len(refused.stderr.splitlines()) == 1
    assert "Spark" not in refused.stderr and "Traceback" not in refused.output


def test_feeds_that_were_added_over_http_are_read_beside_the_others(home: Path, tmp_path: Path) -> None:
    from watchword.cli.running import _source

    def feeds(*sources: str) -> list[str]:
        chosen = _source(list(sources), None, [], "text", "id", False, Home(home).feeds)
        return chosen.source.options["feeds"].splitlines()

    feed, own = tmp_path / "feed.xml", Home(home).feeds
    feed.write_text(FEED)
    assert feeds(str(feed)) == [str(feed)]
    assert "give a SOURCE" in run("run", home=home).stderr
    FeedList(own).add([Outline("https://example.org/feed", "News", ())])
    assert feeds(str(feed)) == [str(feed), str(own)] and feeds() == feeds(str(own)) == [str(own)]
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "a.jsonl").write_text('{"id": "1", "text": "a"}')
    chosen = _source([str(tmp_path / "items")], None, [], "text", "id", False, own)
    assert chosen.source.format == "json", "a folder is read alone"


def test_dead_letters_of_posted_events_are_listed(home: Path) -> None:
    folder = Home(home).posted / "dead-letters"
    write_letters(folder / "batch-3-paths.jsonl", [Letter("posted", "urn:7", "it is deep", "<a>")], 1)
    said = run("dead-letters", home=home).stdout
    assert "1 dead letter" in said and all(word in said for word in ("posted", "urn:7", "it is deep"))


def test_lists_say_what_they_have(tmp_path: Path) -> None:
    body = '<outline text="a" xmlUrl="http://example.org/a"/><outline text="b" xmlUrl="ftp://example.org/b"/>'
    (tmp_path / "list.opml").write_text(f'<opml version="2.0"><body>{body}</body></opml>')
    found = check_sources([str(tmp_path / "list.opml"), "http://example.org/more.opml"])
    assert found.feeds[0] == "http://example.org/a" and found.feeds[-1] == "http://example.org/more.opml"
    with pytest.raises(FeedError):
        check_sources([])


def test_an_address_that_is_none_is_a_problem_of_its_own(tmp_path: Path) -> None:
    """It was a `ValueError` that ended the fetching of all feeds."""
    (tmp_path / "feed.xml").write_text(FEED)
    bad = "http://[::1/feed"
    assert list_sources([bad, str(tmp_path / "feed.xml")]).feeds == (bad, str(tmp_path / "feed.xml"))
    first, second = fetch([bad, str(tmp_path / "feed.xml")]).results
    assert first.error is not None and first.error.source == bad and len(second.items) == 1
