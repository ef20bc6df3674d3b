"""The statements that name stories look items up in indexes: they never read the whole table."""

from __future__ import annotations

from pathlib import Path

import pytest

from watchword.store import Channel, Item, Match, Store
from watchword.store.sqlite.database import SqliteSession


def test_no_statement_of_a_batch_scans_items_or_notifications(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[tuple[str, str]] = []
    plain = SqliteSession.rows

    def explained(self: SqliteSession, sql: str, values: tuple[object, ...] = ()) -> object:
        if sql.lstrip().startswith("SELECT"):
            steps = self.connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            plans.extend((str(step[3]), sql) for step in steps)
        return plain(self, sql, values)

    with Store.open(tmp_path / "store.sqlite") as store:
        store.add_subscriber("ada")
        store.subscribe("ada", "ferry", id="s1")
        store.compare_texts(True)
        store.add_channel(Channel(0, "ada", "desk", "webhook", "https://desk.example/"))
        monkeypatch.setattr(SqliteSession, "rows", explained)
        text = " ".join(f"ferry {number} leaves the harbour in the morning" for number in range(20))
        link, title = "https://a.example/1", "A ferry leaves the harbour in the morning"
        items = [Item(f"i{number}", title, text, link, feed=f"F{number}") for number in range(5)]
        store.record("1", items, [Match(one.identity, "s1") for one in items])
        store.exchange("d", lambda desk: [])
    assert len(plans) > 20
    assert [
        found for found in plans if found[0].startswith(("SCAN items", "SCAN o", "SCAN n", "SCAN notifications"))
    ] == []
