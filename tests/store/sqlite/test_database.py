"""Opening: new files, older ones, newer ones, and what is no store at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.workload import CONTENT, CREATED, older_store, version_1
from watchword.errors import StoreError, WatchwordError
from watchword.store import Details, Example, Item, Match, Store
from watchword.store.sqlite import database
from watchword.store.sqlite.database import refusal
from watchword.store.sqlite.migrations import APPLICATION_ID, MIGRATIONS, statements


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [*connection.iterdump(), str(connection.execute("PRAGMA user_version").fetchone())]


def check_content(store: Store) -> None:
    (delivery,) = store.inbox("ann")
    assert (delivery.item.title, delivery.matched_at.isoformat()) == ("old title", "2026-01-02T03:04:05+00:00")
    assert [tuple(reason) for reason in delivery.reasons] == [("s1", "old words", "old why")]
    assert store.changes_since(0) == ([(1, "s1", "keywords", "old words")], 1)
    assert store.is_recorded("b1")
    assert store.subscribe("ann", "new words") == "s2"
    store.verify()


def test_a_new_store_is_durable_and_of_today(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a" / "b" / "store.db") as store:
        assert store.path == tmp_path / "a" / "b" / "store.db"
        assert store.stats().version == len(MIGRATIONS)
        with store._engine.read() as session:
            settings = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "application_id": APPLICATION_ID}
            for name, value in settings.items():
                assert session.row(f"PRAGMA {name}") == (value,)


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "store.db").touch()
    with Store.open(str(tmp_path / "store.db")) as store:
        assert store.subscribers() == []


def test_the_first_version_is_opened_and_brought_up_to_date(tmp_path: Path) -> None:
    path = version_1(tmp_path / "store.db")
    for _ in range(2):
        with Store.open(path) as store:
            assert store.stats().version == len(MIGRATIONS)
    with Store.open(path) as store:
        check_content(store)
        assert store.options("keywords") == store.options("patterns") == {}
        assert [item.categories for item in store.matched_items("s1")] == [()]


VERSION_4 = f"""
    INSERT INTO subscribers VALUES (7, 'ann', '{CREATED}');
    INSERT INTO subscriptions VALUES ('s1', 7, 'keywords', 'ferry', '{CREATED}', 1);
    INSERT INTO subscriptions VALUES ('s2', 7, 'keywords', 'sea', '{CREATED}', 2);
    INSERT INTO changes VALUES (1, 's1', 'keywords'), (2, 's2', 'keywords');
    INSERT INTO items VALUES
        (3, 'urn:1', 'Ferry', 'at sea', 'http://x', 'me', '{CREATED}', 'el', 'http://feed', '["a"]');
    INSERT INTO deliveries VALUES (5, 7, 3, '{CREATED}', NULL);
    INSERT INTO matches VALUES (5, 's1', 'match: ferry, as it was told'), (5, 's2', '');
"""


def test_the_version_before_keeps_the_language_of_items_and_their_reasons(tmp_path: Path) -> None:
    """Its items call the language of people `language`, and have no row; most of its matches have a stored reason."""
    path = older_store(tmp_path / "store.db", 4, VERSION_4)
    with Store.open(path) as store:
        (delivery,) = store.inbox("ann")
        assert (delivery.item.language, delivery.item.feed, delivery.item.row) == ("el", "http://feed", None)
        assert delivery.item.categories == ("a",)
        assert [reason.why for reason in delivery.reasons] == ["match: ferry, as it was told", "match: sea"]
        assert store.languages() == ["keywords"] and store.stats().version == len(MIGRATIONS) >= 5
        store.record("new", [Item("urn:2", row='{"a": 1}', language="en")], [Match("urn:2", "s1")])
        assert [item.language for item in store.matched_items("s1")] == ["en", "el"]
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT locale, row FROM items ORDER BY number").fetchall()
    assert rows == [("el", None), ("en", '{"a": 1}')]


VERSION_5 = f"""
    INSERT INTO subscribers VALUES (7, 'ann', '{CREATED}');
    INSERT INTO subscriptions VALUES ('s1', 7, 'predicates', 'feed STARTS WITH ''http''', '{CREATED}', 1);
    INSERT INTO changes VALUES (1, 's1', 'predicates');
    INSERT INTO options VALUES ('predicates', '{{"max_clauses": 7}}');
    INSERT INTO items VALUES
        (3, 'urn:1', 'Ferry', 'at sea', 'http://x', 'me', '{CREATED}', 'el', 'http://feed', '["a"]', NULL),
        (4, 'urn:2', 'Trade', '', '', '', NULL, '', 'desk', '[]', '{{"feed": "desk"}}');
    INSERT INTO deliveries VALUES (5, 7, 3, '{CREATED}', NULL), (6, 7, 4, '{CREATED}', NULL);
    INSERT INTO matches VALUES (5, 's1', ''), (6, 's1', '');
"""


def test_items_of_version_5_have_the_address_of_their_feed_in_both_columns(tmp_path: Path) -> None:
    """They name their feed by its address, and its title is not known; a table's column `feed` is left alone."""
    with Store.open(older_store(tmp_path / "store.db", 5, VERSION_5)) as store:
        trade, ferry = (delivery.item for delivery in store.inbox("ann"))
        assert (ferry.feed, ferry.feed_url) == ("http://feed", "http://feed")
        assert (trade.feed, trade.feed_url) == ("desk", "")
        assert store.inbox("ann")[1].reasons[0].why == "match: feed STARTS WITH 'http'"
        assert store.options("predicates") == {"text": ["title", "text"], "max_clauses": 7}
        store.subscribe("ann", "MATCHES 'ferry' AND feed = 'Harbour news'", id="s2", language="predicates")
        new = Item("urn:3", "Ferry", feed="Harbour news", feed_url="http://feed")
        store.record("new", [new], [Match("urn:3", "s2")])
        (delivery,) = store.inbox("ann", subscription="s2")
        assert delivery.item == new
        assert delivery.reasons[0].why == "match: MATCHES 'ferry' (title at 0) AND feed = 'Harbour news'"


VERSION_6 = f"""
    INSERT INTO subscribers VALUES (7, 'ann', '{CREATED}');
    INSERT INTO subscriptions VALUES ('s1', 7, 'keywords', 'ferry', '{CREATED}', 1);
    INSERT INTO subscriptions VALUES ('s2', 7, 'patterns', 'f?rry', '{CREATED}', 2);
    INSERT INTO changes VALUES (2, 's2', 'patterns'), (3, 's1', 'keywords'), (4, 's3', 'keywords');
    INSERT INTO epochs VALUES (4, '4f2a');
    INSERT INTO items VALUES
        (3, 'urn:1', 'Ferry', 'at sea', 'http://x', 'me', '{CREATED}', 'el', 'Harbour', '["a"]', NULL, 'http://feed');
    INSERT INTO deliveries VALUES (5, 7, 3, '{CREATED}', '{CREATED}');
    INSERT INTO matches VALUES (5, 's1', '');
    INSERT INTO batches VALUES ('b1', '{CREATED}', 1);
"""


@pytest.mark.parametrize(("version", "content"), [(1, CONTENT), (6, VERSION_6)])
def test_an_older_store_gets_details_stars_and_entrances(tmp_path: Path, version: int, content: str) -> None:
    """Its subscriptions have no details, and whatever it had is as it was."""
    path = older_store(tmp_path / "store.db", version, content)
    with Store.open(path) as store:
        store.verify()
        assert store.stats().version == len(MIGRATIONS) >= 7
        first, *others = store.subscriptions("ann")
        assert first.details == Details() and (first.since, first.revision) == (1, 1)
        assert first.change == {1: 1, 6: 3}[version] and [one.change for one in others] == [2] * len(others)
        assert store.changes_since(0).counter == {1: 1, 6: 4}[version]
        assert version == 1 or store.epoch(4) == "4f2a"
        (delivery,) = store.inbox("ann", unread_only=False)
        assert delivery.number == store.last_delivery("ann") == 5 and delivery.starred_at is None
        counts = store.inbox_counts("ann")
        assert (counts.all, counts.starred, counts.unread) == (1, 0, {1: 1, 6: 0}[version])
        full = Details("Storms", "note", ("sea",), True, examples=(Example("old words ferry", True),))
        changed = store.set_details("s1", full, if_match=first.etag)
        assert changed.details == full and changed.change == store.counter
        secret = store.add_token("ann", "laptop", ["read"])
        store.star("ann", [delivery.item.identity])
        login = store.add_login("ann")
        store.add_audit("ann", "x", "y")
        store.remember_answer("ann", "key", "answer")
    with Store.open(path) as store:
        store.verify()
        assert store.subscription("s1") == changed and store.find_token(secret) is not None
        assert store.redeem_login(login) is not None and len(store.audit()) == 1
        assert len(store.inbox("ann", unread_only=False, starred_only=True)) == 1


def test_a_migration_keeps_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = version_1(tmp_path / "store.db")
    scripts = [*MIGRATIONS, "ALTER TABLE subscribers ADD COLUMN mail TEXT; UPDATE subscribers SET mail = 'a;b';"]
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", scripts)
        for target in (path, tmp_path / "new.db"):
            with Store.open(target) as store:
                assert store.stats().version == len(scripts)
        with Store.open(path) as store:
            check_content(store)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("SELECT mail FROM subscribers").fetchall() == [("a;b",)]
    before = dump(path)
    with pytest.raises(StoreError, match="upgrade watchword") as refused:
        Store.open(path)
    assert refused.value.path == path and f"version {len(scripts)}" in str(refused.value)
    assert dump(path) == before


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = version_1(tmp_path / "store.db")
    before = dump(path)
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", [*MIGRATIONS, "DROP TABLE matches; INSERT INTO nowhere VALUES (1);"])
        with pytest.raises(StoreError, match="no such table: nowhere"):
            Store.open(path)
    assert dump(path) == before
    with Store.open(path) as store:
        check_content(store)


def test_statements_are_cut_where_they_end() -> None:
    script = "CREATE TABLE a (x DEFAULT ';'); CREATE TRIGGER t INSERT ON a BEGIN DELETE FROM a; SELECT 1; END;\n"
    assert [statement.split()[:2] for statement in statements(script)] == [["CREATE", "TABLE"], ["CREATE", "TRIGGER"]]


@pytest.mark.parametrize(
    ("header", "word"),
    [
        ((0, 0, True), None),
        ((APPLICATION_ID, 1, False), None),
        ((APPLICATION_ID, 2, False), None),
        ((APPLICATION_ID, 3, False), "upgrade"),
        ((0, 0, False), "another program's"),
        ((0, 1, False), "another program's"),
        ((77, 0, True), "another program's"),
    ],
)
def test_what_is_refused(header: tuple[int, int, bool], word: str | None) -> None:
    reason = refusal(*header, newest=2)
    assert reason is None if word is None else word in str(reason)


def test_what_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, " * 100)
    (tmp_path / "folder").mkdir()
    with closing(sqlite3.connect(tmp_path / "foreign")) as connection:
        connection.executescript("CREATE TABLE notes (x); INSERT INTO notes VALUES (1);")
    reasons = {
        "text": "no SQLite database: choose another path",
        "folder": "must be a file",
        "text/below": "cannot open it",
        "foreign": "another program's database",
    }
    contents = {name: (tmp_path / name).read_bytes() for name in ("text", "foreign")}
    for name, reason in reasons.items():
        with pytest.raises(StoreError, match=reason) as refused:
            Store.open(tmp_path / name)
        assert isinstance(refused.value, WatchwordError)
        assert str(refused.value).startswith(str(refused.value.path)) and str(tmp_path) in str(refused.value)
    assert {name: (tmp_path / name).read_bytes() for name in contents} == contents


def test_a_damaged_store_is_named_with_a_remedy(tmp_path: Path) -> None:
    path = version_1(tmp_path / "store.db")
    Store.open(path).close()  # brings it up to date, which reads it
    with closing(sqlite3.connect(path)) as connection:
        roots = [root for (root,) in connection.execute("SELECT rootpage FROM sqlite_master")]
    content = bytearray(path.read_bytes())
    page = int.from_bytes(content[16:18], "big")
    for root in roots:  # the header and the schema are whole, the tables are not
        content[(root - 1) * page : root * page] = b"\x5a" * page
    path.write_bytes(content)
    with Store.open(path) as store:
        for work in (store.subscribers, lambda: store.inbox("ann"), lambda: store.add_subscriber("bob"), store.verify):
            with pytest.raises(StoreError, match="restore it from a copy") as refused:
                work()
            assert refused.value.path == path
    path.write_bytes(path.read_bytes()[:page] + b"\0" * 100)
    with pytest.raises(StoreError, match="damaged"), Store.open(path) as store:
        store.verify()


@pytest.mark.parametrize("change", ["subscribers SET created = '2026%11-18'", "options SET options = '{'"])
def test_a_value_that_no_store_writes_is_damage(tmp_path: Path, change: str) -> None:
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        store.add_subscriber("ann")
        store.set_options("keywords", stop_words=["the"])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {change}")
    with Store.open(path) as store, pytest.raises(StoreError, match=r"damaged.*restore it from a copy") as refused:
        assert store.subscribers() and store.options("keywords")
    assert refused.value.path == path


def test_verify_sees_a_row_that_refers_to_nothing(tmp_path: Path) -> None:
    path = version_1(tmp_path / "store.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM items")
    with Store.open(path) as store, pytest.raises(StoreError, match="deliveries refers to nothing"):
        store.verify()


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    with Store.open(version_1(tmp_path / "store.db")) as store:
        with store._engine.read() as session:
            (pages,) = session.row("PRAGMA page_count")  # type: ignore[misc]
            session.run(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="disk is full"):
            for number in range(200):
                store.add_subscriber(f"{number} " * 100)
        kept = len(store.subscribers())
        with store._engine.read() as session:
            session.run(f"PRAGMA max_page_count = {10 * pages}")
        assert store.add_subscriber("bob") and len(store.subscribers()) == kept + 1
        store.verify()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.db") as store:
        store.close()
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.subscribers()
