"""Indexes that follow the store: from nothing, from a version, over changes of other processes, restored stores."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pytest

from tests.limits import PATIENCE, wait_until
from tests.oracle import matches
from watchword import KeywordIndex, PredicateIndex
from watchword.errors import StoreError
from watchword.following import Follower, Refresh, plan_refresh, read_origin
from watchword.home import STORE, Home
from watchword.shards import Origin, Version, next_version, publish, save_shard, shard_folder, writing
from watchword.store import Details, Request, Store

WORDS = ["ferry", "storm", "bread", "chess"]
TEXTS = ["ferry in a storm", "bread", "chess at the ferry", "a bread storm, no chess", ""]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.make(tmp_path / "home")
    with made.store() as store:
        store.add_subscriber("ada")
        store.subscribe_many([Request("ada", "ferry", "a"), Request("ada", "storm NOT ferry", "b")])
    return made


def subscribed(home: Home) -> dict[str, dict[str, str]]:
    """Return what the store has: texts by language and id."""
    found: dict[str, dict[str, str]] = {}
    with home.store() as store:
        for one in store.subscriptions():
            found.setdefault(one.language, {})[one.id] = one.text
    return found


def followed(follower: Follower) -> dict[str, dict[Any, str]]:
    """Return what the indexes have, without the empty ones."""
    found = {language: dict(follower.index(language).items()) for language in follower.languages()}
    return {language: texts for language, texts in found.items() if texts}


def check_matches(follower: Follower, keywords: dict[str, str]) -> None:
    """Compare the index of keywords with the oracle."""
    for text in TEXTS:
        wanted = sorted(key for key, query in keywords.items() if matches(query, text))
        assert sorted(follower.index("keywords").match(text)) == wanted


@pytest.mark.parametrize(
    ("origin", "epoch", "plan"),
    [
        (Origin("store", 17, "4f"), "4f", Refresh(17)),
        (Origin("store", 0, "00"), "00", Refresh(0)),
        (Origin("store", 17, "4f"), "5a", Refresh(0, "the store is another one, or was restored from a copy")),
        (Origin("store", 17, "4f"), None, Refresh(0, "the store is another one, or was restored from a copy")),
        (Origin("store", 17, "None"), None, Refresh(0, "the store is another one, or was restored from a copy")),
        (None, None, Refresh(0, "it does not say which state of the store it stands for")),
    ],
)
def test_what_a_refresh_does(origin: Origin | None, epoch: str | None, plan: Refresh) -> None:
    assert plan_refresh(origin, epoch) == plan


def test_any_course_of_changes_is_followed(home: Home) -> None:
    """Ids come, are replaced, go, come back and move between languages, with a refresh now and then."""
    draw = random.Random(11)
    follower = Follower(home)
    with home.store() as store:
        for turn in range(150):
            key, language = draw.choice("abcdef"), draw.choice(["keywords", "keywords", "patterns"])
            if draw.random() < 0.3 and any(one.id == key for one in store.subscriptions()):
                store.unsubscribe(key)
            else:
                store.subscribe("ada", draw.choice(WORDS), id=key, language=language)
            if draw.random() < 0.4:
                assert follower.refresh() == store.stats().counter, turn
                assert followed(follower) == subscribed(home), turn
                check_matches(follower, subscribed(home).get("keywords", {}))


def test_it_makes_indexes_with_the_options_of_the_store(home: Home) -> None:
    with home.store() as store:
        store.set_options("patterns", ignore_case=True)
        store.subscribe("ada", "F?RRY", id="p", language="patterns")
    follower = Follower(home)
    assert follower.index("patterns").match("the Ferry") == ["p"]
    with pytest.raises(KeyError):
        follower.index("paths")


def test_it_makes_a_new_index_when_topics_change(home: Home) -> None:
    with home.store() as store:
        store.subscribe("ada", "categories KIND OF 'politics'", id="t", language="predicates")
        follower = Follower(home)
        item = {"categories": ["national"]}
        assert follower.index("predicates").match(item) == []
        keywords = follower.index("keywords")
        store.set_topics({"national": ["politics"]})
        follower.refresh()
        assert follower.index("predicates").match(item) == ["t"]
        assert follower.index("keywords") is keywords, "whose options are as they were"
        index = follower.index("predicates")
        store.subscribe("ada", "categories KIND OF 'national'", id="u", language="predicates")
        follower.refresh()
        assert follower.index("predicates") is index and index.match(item) == ["t", "u"]
        store.set_topics({})
        follower.refresh()
        assert follower.index("predicates").match(item) == ["u"]


def test_it_does_not_begin_with_a_version_of_another_tree(home: Home) -> None:
    with home.store() as store:
        store.subscribe("ada", "categories KIND OF 'politics'", id="t", language="predicates")
        store.set_topics({"national": ["politics"]})
        index = PredicateIndex({"t": "categories KIND OF 'politics'"}, **store.options("predicates"))
        origin = read_origin(store, store.stats().counter)
        with writing(home.index("predicates")) as held:
            shard = save_shard(index, held.path, shard_folder(0, 1))
            publish(Version(held.path, 1, "predicates", "string", (shard,), origin=origin), keep=1)
        assert Follower(home).index("predicates").match({"categories": "national"}) == ["t"]
        store.set_topics({"national": ["news"]})
        assert Follower(home).index("predicates").match({"categories": "national"}) == []


# Other processes

WRITER = """
import json, sys
from watchword.store import Store
with Store.open(sys.argv[1]) as store:
    print("ready", flush=True)
    for line in sys.stdin:
        name, values = json.loads(line)
        getattr(store, name)(**values)
        print(store.stats().counter, flush=True)
"""


class Writer:
    """Another process, which changes the store."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.input, self.output = process.stdin, process.stdout
        assert self._read() == "ready"

    def __call__(self, name: str, /, **values: str) -> int:
        """Call a method of the store, and return the number of the last change."""
        stream: IO[str] | None = self.input
        assert stream is not None
        stream.write(json.dumps([name, values]) + "\n")
        stream.flush()
        return int(self._read())

    def _read(self) -> str:
        assert self.output is not None
        return self.output.readline().strip()


@contextmanager
def writer(home: Home) -> Iterator[Writer]:
    command = [sys.executable, "-c", WRITER, str(home.path / STORE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Writer(process)


@pytest.mark.slow
def test_changes_of_another_process_are_seen(home: Home) -> None:
    with writer(home) as change, Follower(home, every=0.05) as follower:
        thread = follower._thread
        for name, values in [
            ("subscribe", {"subscriber": "ada", "text": "bread", "id": "c"}),
            ("subscribe", {"subscriber": "ada", "text": "chess", "id": "a"}),
            ("unsubscribe", {"id": "b"}),
            ("subscribe", {"subscriber": "ada", "text": "br?ad", "id": "c", "language": "patterns"}),
            ("subscribe", {"subscriber": "ada", "text": "/a//b", "id": "x", "language": "paths"}),
            ("subscribe", {"subscriber": "ada", "text": "storm", "id": "c", "language": "keywords"}),
            ("remove_subscriber", {"name": "ada"}),
        ]:
            counter = change(name, **values)
            wait_until(lambda counter=counter: follower.counter >= counter, f"{name} {values}")  # type: ignore[misc]
            assert followed(follower) == subscribed(home)
            check_matches(follower, subscribed(home).get("keywords", {}))
        change("add_subscriber", name="bob")
        for number in range(20):  # a reader of its own writes waits for no thread
            counter = change("subscribe", subscriber="bob", text=WORDS[number % 4], id=f"s{number % 7}")
            follower.wait_for(counter, PATIENCE)
            assert followed(follower) == subscribed(home)
    assert thread is not None and not thread.is_alive()


def test_an_id_that_moves_is_never_missing(home: Home) -> None:
    follower, stop, missing = Follower(home), threading.Event(), []
    with home.store() as store:
        store.subscribe("ada", "ferry", id="a", language="patterns")
        store.subscribe("ada", "storm", id="b")
        follower.refresh()

        def look() -> None:
            while not stop.is_set():
                found = [follower.index(name).match("ferry") for name in ("patterns", "keywords", "patterns")]
                if not any("a" in ids for ids in found):
                    missing.append(found)

        reader = threading.Thread(target=look)
        reader.start()
        try:
            for number in range(60):
                store.subscribe("ada", "ferry", id="a", language=("keywords", "patterns")[number % 2])
                follower.refresh()
        finally:
            stop.set()
            reader.join()
    assert not missing


# Pauses


def test_a_paused_subscription_matches_nothing_until_it_is_resumed(home: Home) -> None:
    follower = Follower(home)
    with home.store() as store:
        assert follower.index("keywords").match("ferry") == ["a"]
        store.set_details("a", Details(paused=True))
        follower.wait_for(store.counter)
        assert follower.index("keywords").match("ferry") == [] and "a" not in follower.index("keywords")
        store.subscribe("ada", "chess", id="a")
        store.subscribe("ada", "ch?ss", id="a", language="patterns")
        follower.wait_for(store.counter)
        assert follower.index("keywords").match("chess") == [] and follower.languages() == ["keywords"]
        store.set_details("a", Details(name="Chess"))
        follower.wait_for(store.counter)
        assert follower.index("patterns").match("chess") == ["a"]
        assert list(follower.index("keywords")) == ["b"]


def test_a_follower_that_begins_leaves_paused_subscriptions_out(home: Home) -> None:
    with home.store() as store:
        store.subscribe("ada", "br?ad", id="p", language="patterns", details=Details(paused=True))
        store.set_details("a", Details(paused=True))
        follower = Follower(home)
        assert list(follower.index("keywords")) == ["b"] and follower.languages() == ["keywords"]
        for key in "ap":
            store.set_details(key, Details())
        follower.refresh()
        assert followed(follower) == subscribed(home)


def test_pauses_during_refreshes_are_followed(home: Home) -> None:
    """A thread pauses, resumes, edits and removes while another one refreshes and matches."""
    done = threading.Event()

    def change() -> None:
        draw = random.Random(5)
        with home.store() as store:
            for _ in range(150):
                key, paused = draw.choice("abc"), draw.random() < 0.5
                store.subscribe("ada", draw.choice(WORDS), id=key, details=Details(paused=paused))
                if draw.random() < 0.1:
                    store.unsubscribe(key)
        done.set()

    follower = Follower(home)
    changing = threading.Thread(target=change)
    changing.start()
    while not done.is_set():
        follower.refresh()
        assert set(follower.index("keywords").match("ferry storm bread chess")) <= set("abc")
    changing.join()
    follower.refresh()
    with home.store() as store:
        active = {one.id: one.text for one in store.subscriptions() if not one.details.paused}
    assert dict(follower.index("keywords").items()) == active
    check_matches(follower, active)


# Stores that are not what they were


def restore(home: Home, copy: Path) -> None:
    for file in home.path.glob(f"{STORE}-*"):
        file.unlink()
    aside = home.path / "aside"
    shutil.copy(copy, aside)
    aside.rename(home.path / STORE)


def test_a_store_restored_from_a_copy_is_followed_again(
    home: Home, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Also when its counter has caught up with that of the indexes, which then have a change that it has not."""
    follower = Follower(home)
    copy = tmp_path / "copy"
    shutil.copy(home.path / STORE, copy)
    with home.store() as store:
        store.subscribe("ada", "bread", id="lost")
    follower.refresh()
    before = follower.index("keywords")
    restore(home, copy)
    with home.store() as store:
        store.subscribe("ada", "bread", id="new")
    follower.refresh()
    assert followed(follower) == subscribed(home) and "new" in follower.index("keywords")
    assert "lost" in before, "whoever is matching with the old index is not disturbed"
    assert "restored from a copy" in caplog.text
    restore(home, copy)  # and to a state with a lower counter
    assert follower.refresh() == 2 and followed(follower) == subscribed(home)


def test_a_store_that_is_gone_and_comes_back(home: Home, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Follower(home, every=0.01) as follower:
        shutil.move(home.path / STORE, tmp_path / "away")
        wait_until(lambda: follower.error is not None, "the loss")
        assert follower.index("keywords").match("ferry") == ["a"]  # as it was
        with pytest.raises(StoreError, match="there is no store"):
            follower.wait_for(follower.counter + 1)
        with pytest.raises(StoreError, match="there is no store"):
            follower.refresh()
        shutil.move(tmp_path / "away", home.path / STORE)
        wait_until(lambda: follower.error is None, "the return")
        with home.store() as store:
            store.subscribe("ada", "bread", id="c")
        wait_until(lambda: "c" in follower.index("keywords"), "the change")
    assert caplog.text.count("do not follow the store") == 1


def test_a_change_that_never_comes(home: Home) -> None:
    follower = Follower(home)
    follower.wait_for(2)
    with pytest.raises(StoreError, match=r"change 3 did not come within 0.1 s; the indexes have change 2"):
        follower.wait_for(3, timeout=0.1)


# Beginning with a published version


def publish_version(home: Home, shards: list[dict[str, str]], origin: Origin | None) -> Version:
    """Publish a version of the index of keywords."""
    with writing(home.index("keywords")) as held:
        number = next_version(held.path)
        saved = [
            save_shard(KeywordIndex(texts), held.path, shard_folder(place, number))
            for place, texts in enumerate(shards)
        ]
        version = Version(held.path, number, "keywords", "string", tuple(saved), origin=origin)
        publish(version, keep=10)
    return version


def origin_now(home: Home) -> Origin:
    with home.store() as store:
        return read_origin(store, store.stats().counter)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note from which change on the store is read."""
    seen: list[int] = []
    changes_since = Store.changes_since

    def noted(self: Store, counter: int, **options: Any) -> Any:
        seen.append(counter)
        return changes_since(self, counter, **options)

    monkeypatch.setattr(Store, "changes_since", noted)
    return seen


@pytest.mark.parametrize("shards", [1, 2, 3, 8])
def test_a_version_is_taken_up(home: Home, reads: list[int], shards: int) -> None:
    with home.store() as store:
        store.subscribe_many(Request("ada", WORDS[n % 4], f"s{n}") for n in range(20))
    texts = subscribed(home)["keywords"]
    parts = [{key: text for key, text in texts.items() if hash(key) % shards == part} for part in range(shards)]
    origin = origin_now(home)
    publish_version(home, parts, origin)
    with home.store() as store:
        store.unsubscribe("s3")
        store.subscribe("ada", "chess NOT bread", id="s4")
        store.subscribe("ada", "bread", id="s5", language="patterns")
        store.subscribe("ada", "storm", id="later")
    follower = Follower(home)
    follower.refresh()
    assert followed(follower) == subscribed(home)
    check_matches(follower, subscribed(home)["keywords"])
    assert reads[0] == origin.counter > 0, "only the changes since the version were read"


def test_a_shard_with_changes_on_top_is_taken_up(home: Home, reads: list[int]) -> None:
    version = publish_version(home, [{"a": "ferry", "old": "bread"}, {"z": "chess"}], None)
    folder = shard_folder(0, version.version + 1)
    with home.store() as store:
        store.subscribe("ada", "chess", id="z")
    changes = save_shard(KeywordIndex({"b": "storm NOT ferry"}), version.path, folder, gone=pa.array(["old"]))
    top = type(changes)(folder, changes.snapshot, 2, changes.bytes, base=version.shards[0])
    origin = origin_now(home)
    publish(
        Version(version.path, version.version + 1, "keywords", "string", (top, version.shards[1]), origin=origin), 10
    )
    follower = Follower(home)
    follower.refresh()
    assert followed(follower) == subscribed(home)
    assert reads[0] == origin.counter


@pytest.mark.parametrize("fault", ["no origin", "another epoch", "damaged", "removed meanwhile"])
def test_a_version_that_cannot_be_used_is_left_alone(
    home: Home, fault: str, reads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = origin_now(home)
    origin = {"no origin": None, "another epoch": Origin(now.store, now.counter, "0000")}.get(fault, now)
    version = publish_version(home, [{"wrong": "ferry"}], origin)
    if fault == "damaged":
        (version.folder(0) / "manifest.json").write_text("{")
    if fault == "removed meanwhile":
        resolve = sys.modules["watchword.following"].resolve_checked

        def resolve_and_remove(*given: Any) -> Version:
            found: Version = resolve(*given)
            shutil.rmtree(found.folder(0))
            return found

        monkeypatch.setattr("watchword.following.resolve_checked", resolve_and_remove)
    follower = Follower(home)
    follower.refresh()
    assert followed(follower) == subscribed(home) and reads[0] == 0


def test_a_text_that_an_earlier_version_took_is_named_with_what_to_do(home: Home) -> None:
    with closing(sqlite3.connect(home.path / STORE)) as store, store:
        store.execute("UPDATE subscriptions SET text = '(ferry' WHERE id = 'b'")
    with pytest.raises(StoreError, match=r"(?s)id 'b': this parenthesis is never closed.*watchword unsubscribe b"):
        Follower(home).refresh()
    with home.store() as store:
        store.subscribe("ada", "ferry", id="b")
    with Follower(home) as follower:
        assert follower.index("keywords").match("a ferry") == ["a", "b"]
