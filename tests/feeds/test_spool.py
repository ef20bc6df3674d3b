"""The spool: numbers that can be read again, and a crash at any moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.feeds.server import rss
from tests.test_files import no_room
from watchword.errors import FeedError
from watchword.feeds import Spool, fetch


class Poller:
    """Fetches two feeds into a spool."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spool = Spool(folder / "spool").open()

    def write(self, name: str, guids: object) -> None:
        (self.folder / name).write_bytes(rss(guids))  # type: ignore[arg-type]

    def poll(self) -> int | None:
        sources = [str(self.folder / name) for name in ("a.xml", "b.xml")]
        return self.spool.append(fetch(sources, self.spool.state))

    def reopen(self) -> None:
        self.spool.close()
        self.spool = Spool(self.folder / "spool").open()

    def titles(self, start: int, end: int) -> list[str]:
        return [item.title for item in self.spool.between(start, end)]


@pytest.fixture
def poller(tmp_path: Path):  # type: ignore[no-untyped-def]
    poller = Poller(tmp_path)
    poller.write("a.xml", [1, 2])
    poller.write("b.xml", [3])
    yield poller
    poller.spool.close()


def test_what_a_number_stands_for_stays(poller: Poller) -> None:
    assert poller.poll() == 1
    assert poller.poll() is None
    poller.write("a.xml", [4, 1])
    assert poller.poll() == 2
    poller.reopen()
    assert poller.poll() is None
    assert poller.titles(0, 1) == ["item 1", "item 2", "item 3"]
    assert poller.titles(1, 2) == ["item 4"]
    assert poller.titles(0, 2) == ["item 1", "item 2", "item 3", "item 4"]
    assert poller.titles(2, 2) == []


def test_items_are_kept_exactly(poller: Poller, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "examples" / "feeds" / "town.rdf").read_bytes()
    (tmp_path / "a.xml").write_bytes(text)
    items = fetch([str(tmp_path / "a.xml")]).items
    poller.poll()
    assert list(poller.spool.between(0, 1))[: len(items)] == items


def test_removal_keeps_what_was_seen(poller: Poller) -> None:
    poller.poll()
    for guid in range(10, 14):
        poller.write("b.xml", [guid])
        poller.poll()
    poller.spool.remove_through(4)
    assert poller.spool.numbers() == [5]
    poller.reopen()
    assert poller.poll() is None
    poller.write("b.xml", [3, 10, 99])
    assert poller.poll() == 6
    assert poller.titles(5, 6) == ["item 99"]
    with pytest.raises(FeedError, match=r"00000003\.jsonl of the spool is gone"):
        poller.titles(2, 5)


def test_the_last_file_is_never_removed(poller: Poller) -> None:
    poller.poll()
    poller.spool.remove_through(100)
    assert poller.spool.numbers() == [1]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_crash_while_publishing(poller: Poller, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    real = Path.replace

    def crash(self: Path, target: Path) -> Path:
        if target.suffix == ".jsonl":
            if moment == "after":
                real(self, target)
            raise OSError("the machine stops")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(FeedError, match="the machine stops"):
        poller.poll()
    monkeypatch.undo()
    if moment == "before":
        assert poller.spool.state == {}, "an item that was not kept was not seen"
    poller.reopen()
    poller.poll()
    assert poller.titles(0, poller.spool.last()) == ["item 1", "item 2", "item 3"]
    assert not list(poller.spool.folder.glob("*.tmp"))


def test_numbers_go_on_after_a_checkpoint(poller: Poller, tmp_path: Path) -> None:
    assert poller.spool.append(fetch([str(tmp_path / "a.xml")]), after=57) == 58


def test_status_says_how_each_feed_fared(poller: Poller, tmp_path: Path) -> None:
    (tmp_path / "b.xml").write_bytes(b"<html></html>")
    poller.poll()
    a, b = poller.spool.status().values()
    assert (a["new"], a["error"]) == (2, None)
    assert (b["new"], b["error"]) == (0, "it is a web page; expected a feed")


def test_a_spool_has_one_writer(poller: Poller) -> None:
    with pytest.raises(FeedError, match="another stream is using this spool"):
        Spool(poller.spool.folder, patience=0.1).open()


@pytest.mark.parametrize("damage", [b"", b"{}\n", b'{"items": 3, "state": {"format": 1, "feeds": {}}}\n{"id": 1}\n'])
def test_damage_is_named(poller: Poller, damage: bytes) -> None:
    poller.poll()
    (poller.spool.folder / "00000001.jsonl").write_bytes(damage)
    with pytest.raises(FeedError, match=r"00000001\.jsonl: damaged"):
        poller.titles(0, 1)


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FeedError, match="cannot be used as a spool"):
        Spool(tmp_path / "file").open()


def test_a_full_disk_is_named_and_nothing_is_left_half_written(poller: Poller, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_room)
        with pytest.raises(FeedError, match=r"00000001\.jsonl: cannot be written: No space left"):
            poller.poll()
    assert not list(poller.spool.folder.glob("*.tmp"))
    assert poller.poll() == 1 and poller.titles(0, 1) == ["item 1", "item 2", "item 3"]


DEEP = b"[" * 200_000


HEAD = b'{"items": 1, "state": {"format": 1, "feeds": {}}}\n'


@pytest.mark.parametrize("damage", [DEEP, HEAD.replace(b"1", b'"3"', 1), HEAD + b"[]\n", HEAD + DEEP])
def test_a_file_with_odd_json_is_named(poller: Poller, damage: bytes) -> None:
    poller.poll()
    (poller.spool.folder / "00000001.jsonl").write_bytes(damage)
    with pytest.raises(FeedError, match=r"00000001\.jsonl: damaged"):
        poller.titles(0, 1)


@pytest.mark.parametrize(
    "damage",
    [
        DEEP,
        b'{"number": "1", "state": {"format": 1, "feeds": {}}}',
        b'{"number": 1, "state": {"format": 1, "feeds": {"a": {"seen": [1]}}}}',
        b'{"number": 1, "state": {"format": 1, "feeds": {"a": {"seen": [], "failures": "x"}}}}',
        b"\xff",
    ],
)
def test_a_state_with_odd_json_is_named(poller: Poller, damage: bytes) -> None:
    (poller.spool.folder / "state.json").write_bytes(damage)
    with pytest.raises(FeedError, match=r"state\.json"):
        poller.reopen()


@pytest.mark.parametrize("damage", [DEEP, b"[]", b'{"a": {"failures": "x"}}', b'{"a": 7}'])
def test_what_is_only_for_people_or_for_waiting_may_be_damaged(poller: Poller, damage: bytes) -> None:
    for name in ("status.json", "backoff.json"):
        (poller.spool.folder / name).write_bytes(damage)
    poller.reopen()
    assert poller.poll() == 1
