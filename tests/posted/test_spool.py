"""The spool of posted events: durable, whole, bounded, numbered, also over kills, damage and full disks."""

from __future__ import annotations

import os
import random
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.test_files import no_room
from watchword.errors import StoreError
from watchword.items import Item
from watchword.posted import segments, spool
from watchword.posted.batches import Batch, Batches
from watchword.posted.spool import Position, Spool, SpoolFullError

WHOLE = Item(
    "urn:1",
    title="Ferry = Fähre",
    text='a "storm"\n=00000000000000000001 00000000\n',
    link="https://example.org/",
    published=datetime(2026, 11, 18, 20, 15, tzinfo=UTC),
    categories=("Sea", "Weather"),
    row='{"a": 1}',
)


def items(*names: object) -> list[Item]:
    return [Item(str(name), text=f"text {name}") for name in names]


def names(batch: Batch | None) -> list[str]:
    return [] if batch is None else [item.identity for item in batch.items]


def take(batches: Batches) -> list[str]:
    """Take the next batch and finish it."""
    batch = batches.next()
    if batch is not None:
        batches.finish(batch)
    return names(batch)


@pytest.fixture
def at(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "posted")


def reader(at: Spool, at_once: int = 1) -> Batches:
    return Batches(at, "delivered", at_once=at_once)


def test_items_come_back_as_they_were_in_order_and_numbered(at: Spool) -> None:
    assert (at.append([]), at.last(), at.segments()) == (0, 0, [])
    assert at.append([WHOLE, Item("urn:2")]) == 2
    assert at.append(items("c")) == 3 == at.last()
    batch = reader(at, 100).next()
    assert batch is not None and batch.items == [WHOLE, Item("urn:2"), *items("c")]
    assert (batch.bounds.batch, batch.bounds.last, batch.damaged) == (1, 3, [])
    assert at.folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in at.folder.glob("*.jsonl")} == {0o600}


def test_a_batch_has_whole_appends_and_comes_again_until_it_is_finished(at: Spool) -> None:
    for group in (items(1, 2), items(3), items(4, 5, 6), items(7)):
        at.append(group)
    batches = reader(at, at_once=3)
    first = batches.next()
    assert names(first) == ["1", "2", "3"]
    at.append(items(8))
    again = reader(at, at_once=100).next()  # another process, which would take more at once
    assert again == first and again is not None and first is not None and again.key == first.key
    batches.finish(again)
    assert batches.last() == 3
    assert [take(batches) for _ in range(3)] == [["4", "5", "6"], ["7", "8"], []]
    assert batches.last() == 8 and at.waiting_bytes() == 0


def test_every_batch_has_a_key_of_its_own(at: Spool) -> None:
    at.append(items(1))
    at.append(items(2))
    batches = reader(at)
    keys = []
    for _ in range(2):
        batch = batches.next()
        assert batch is not None
        keys.append(batch.key)
        batches.finish(batch)
    assert keys[0].replace(":1:", ":2:") == keys[1] != keys[0]


@pytest.mark.parametrize("cut", [1, 5, segments.MARK_BYTES - 1, segments.MARK_BYTES, segments.MARK_BYTES + 4])
def test_an_unfinished_append_at_the_end_is_none_and_is_cut_off(at: Spool, cut: int) -> None:
    at.append(items(1))
    whole = at.path(1).read_bytes()
    at.append(items(2, 3))
    at.path(1).write_bytes(at.path(1).read_bytes()[:-cut])
    fresh = Spool(at.folder)
    assert take(reader(fresh, 100)) == ["1"] and fresh.last() == 1
    assert take(reader(fresh, 100)) == []
    assert fresh.append(items(4)) == 2
    assert fresh.path(1).read_bytes().startswith(whole + b'{"identity":"4"')
    assert take(reader(fresh, 100)) == ["4"]


def test_zeros_at_the_end_after_a_power_cut_are_cut_off_though_the_mark_is_there(at: Spool) -> None:
    at.append(items(1))
    size = at.path(1).stat().st_size
    at.append(items(2, 3))
    data = bytearray(at.path(1).read_bytes())
    data[size : size + 20] = bytes(20)
    at.path(1).write_bytes(data)
    assert Spool(at.folder).append(items(4)) == 2
    assert at.path(1).stat().st_size == size + len(segments.item_lines(items(4))[0]) + segments.MARK_BYTES
    assert take(reader(at, 100)) == ["1", "4"]


def test_damage_at_the_end_is_cut_off_before_it_is_read_and_stays_where_a_reader_has_it(at: Spool) -> None:
    at.append(items(1))
    at.append(items("two"))
    damaged = at.path(1).read_bytes().replace(b"text two", b"text tvo")
    at.path(1).write_bytes(damaged)
    fresh = Spool(at.folder)  # after a power cut every process is a new one
    assert take(reader(fresh, 9)) == ["1"] and at.path(1).stat().st_size < len(damaged)
    at.path(1).write_bytes(damaged)
    batches = reader(at, 9)  # one that looked before the damage
    batch = batches.next()
    assert batch is not None and batch.damaged
    assert Spool(at.folder).append(items(3)) == 2 and at.path(1).read_bytes().startswith(damaged)
    batches.finish(batch)
    assert take(batches) == ["3"]


def test_a_damaged_append_is_passed_on_as_damaged_and_the_next_are_read(at: Spool) -> None:
    at.append(items(1))
    at.append(items("two"))
    at.append(items(3))
    at.path(1).write_bytes(at.path(1).read_bytes().replace(b"text two", b"text tvo"))
    fresh = Spool(at.folder)
    assert fresh.append(items(4)) == 4  # nothing behind the damage is cut off
    batch = reader(fresh, 100).next()
    assert names(batch) == ["1", "3", "4"]
    assert batch is not None and batch.damaged == [b'{"identity":"two","text":"text tvo"}\n']


def test_a_line_that_is_no_item_is_damage_too(at: Spool) -> None:
    lines = b'{"identity":"a","colour":"red"}\n'
    at.append(items(1))
    at.path(1).write_bytes(lines + segments.mark(lines, 1))
    batch = reader(at).next()
    assert batch is not None and (batch.items, batch.damaged) == ([], [lines])


@pytest.mark.slow
def test_segments_follow_each_other_and_finished_ones_are_removed_but_two(
    at: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "SEGMENT_BYTES", 1)
    for number in range(1, 7):
        at.append(items(number))
    assert at.segments() == [1, 2, 3, 4, 5, 6]
    batches, archiver = reader(at, 100), Batches(at, "archived")
    assert at.remove_finished() == 0
    assert [take(batches) for _ in range(6)] == [["1"], ["2"], ["3"], ["4"], ["5"], ["6"]]
    assert at.remove_finished() == 0, "the archive does not have them"
    assert [take(archiver) for _ in range(4)] == [["1"], ["2"], ["3"], ["4"]]
    assert at.remove_finished() == 1 and at.segments() == [2, 3, 4, 5, 6]
    assert [take(archiver) for _ in range(2)] == [["5"], ["6"]]
    assert at.remove_finished() == 2 and at.segments() == [4, 5, 6]
    assert at.append(items(7)) == 7 and take(batches) == take(archiver) == ["7"]


def test_an_end_without_a_mark_in_an_earlier_segment_stops_nobody(at: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "SEGMENT_BYTES", 1)
    at.append(items(1))
    at.append(items(2))
    at.path(1).write_bytes(at.path(1).read_bytes().replace(b"\n=", b"\n_"))
    batches = reader(at)
    batch = batches.next()
    assert batch is not None and (names(batch), len(batch.damaged)) == ([], 1)
    batches.finish(batch)
    assert take(batches) == ["2"]


def test_numbers_go_on_where_no_segment_is_left(at: Spool) -> None:
    at.append(items(1, 2))
    assert take(reader(at)) == ["1", "2"]
    at.path(1).unlink()
    assert at.append(items(3)) == 3 and at.segments() == [3]
    assert take(reader(at)) == ["3"]


def test_events_that_are_gone_are_named(at: Spool, caplog: pytest.LogCaptureFixture) -> None:
    at.append(items(1))
    at.append(items(2))
    batches = reader(at)
    assert batches.next() is not None
    kept = at.path(1).read_bytes()
    at.path(1).write_bytes(kept[:5])
    with pytest.raises(StoreError, match=r"0001\.jsonl: events 1 and before.* are gone from it: restore it"):
        batches.next()
    at.path(1).write_bytes(kept)
    assert take(batches) == ["1"]
    at.path(1).unlink()
    at.path(3).write_bytes(b"")
    at.append(items(3))
    assert take(batches) == ["3"] and "events 2 to 2 are gone" in caplog.text


def test_it_is_bounded_by_what_waits(at: Spool) -> None:
    size = len(segments.item_lines(items(1))[0]) + segments.MARK_BYTES
    small = Spool(at.folder, most_bytes=2 * size)
    small.append(items(1))
    small.append(items(2))
    with pytest.raises(SpoolFullError, match=rf"{2 * size} bytes of events wait .* room for {2 * size}: post again"):
        small.append(items(3))
    assert small.last() == 2 and take(reader(at)) == ["1"]
    assert small.append(items(3)) == 3
    with pytest.raises(SpoolFullError):
        small.append(items(4))


def test_a_group_has_its_own_bound(at: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, _ = segments.item_lines(items(1))
    monkeypatch.setattr(spool, "GROUP_BYTES", len(lines))
    assert at.append(items(1)) == 1
    with pytest.raises(StoreError, match=f"bytes of events at once are more than {len(lines)}"):
        at.append(items(10))
    assert at.last() == 1


def test_a_full_disk_accepts_nothing_and_leaves_the_file_as_it_was(at: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    at.append(items(1))
    before = at.path(1).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_room)
        with pytest.raises(StoreError, match="events cannot be written: No space left on device; none of them"):
            at.append(items(2))
    assert at.path(1).read_bytes() == before
    assert at.append(items(3)) == 2 and take(reader(at, 9)) == ["1", "3"]


def test_threads_share_syncs_and_lose_nothing(at: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one thread syncs, the others gather; the next sync is for all of them."""
    at.append(items("first"))
    syncs, real, gathered = 0, os.fsync, threading.Barrier(20)

    def fsync(descriptor: int) -> None:
        nonlocal syncs
        syncs += 1
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    numbers: list[int] = []

    def work(number: int) -> None:
        gathered.wait()
        numbers.append(at.append(items(number)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    with at._turn:  # as if one was syncing
        for thread in threads:
            thread.start()
        while len(at._waiting) < 20:
            pass
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(2, 22)) and syncs == 1
    assert take(reader(at)) == ["first"]
    assert sorted(take(reader(at, 100)), key=int) == [str(number) for number in range(20)]


def test_anybody_may_read_along_what_a_reader_has_not_finished(at: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "SEGMENT_BYTES", 200)
    given = items(*range(6))
    for item in given:
        at.append([item])
    assert len(at.segments()) > 1
    batches = Batches(at, "archived", at_once=1)
    for begin in range(6):
        assert list(at.items_after(at.position("archived"))) == given[begin:]
        batch = batches.next()
        assert batch is not None
        assert list(at.items_after(at.position("archived"))) == given[begin:]  # it is not finished
        batches.finish(batch)
    assert list(at.items_after(at.position("archived"))) == []
    with at.path(at.segments()[-1]).open("ab") as file:
        file.write(b'{"identity":"torn"')
    assert list(at.items_after(Position())) == given
    damaged = at.path(1).read_bytes().replace(b"text 0", b"text 9")
    at.path(1).write_bytes(damaged)
    assert list(at.items_after(Position())) == given[1:]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id": "a"}', '{"batch": -1}', "[" * 100_000])
def test_a_damaged_progress_is_named(at: Spool, text: str) -> None:
    at.append(items(1))
    (at.folder / "delivered.json").write_text(text)
    with pytest.raises(StoreError, match=r"delivered\.json: truncated or altered .*come again"):
        reader(at).next()
    with pytest.raises(StoreError, match=r"delivered\.json: truncated or altered"):
        at.append(items(2))


def test_a_position_is_a_border(at: Spool) -> None:
    at.append(items(1))
    assert at.position("delivered") == Position(0, 0) and take(reader(at)) == ["1"]
    assert at.position("delivered") == Position(1, at.path(1).stat().st_size)


@pytest.mark.slow
def test_any_course_of_appends_deaths_and_batches_gives_each_item_once_in_order(
    at: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes come and go at random: one dies in an append, another between a batch and its end."""
    monkeypatch.setattr(spool, "SEGMENT_BYTES", 400)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # nothing here is about power cuts
    draw = random.Random(17)
    appended: list[str] = []
    delivered: list[str] = []
    unfinished: Batch | None = None
    spools = [at, Spool(at.folder)]
    archive = Batches(at, "archived")
    for turn in range(400):
        chosen = draw.choice(spools)
        action = draw.random()
        if action < 0.45:
            group = [f"{turn}.{number}" for number in range(draw.randint(1, 4))]
            assert chosen.append(items(*group)) == len(appended) + len(group)
            appended += group
        elif action < 0.6 and chosen.segments():
            Spool(at.folder)._tail()  # as an append begins
            lines, _ = segments.item_lines(items(f"dead {turn}"))
            whole = lines + segments.mark(lines, len(appended) + 1)
            with chosen.path(chosen.segments()[-1]).open("ab") as file:
                file.write(whole[: draw.randrange(1, len(whole))])
            spools[draw.randrange(2)] = Spool(at.folder)
        else:
            batches = Batches(chosen, "delivered", at_once=draw.randint(1, 5))
            batch = batches.next()
            if unfinished is not None:
                assert batch == unfinished, turn
            unfinished = batch
            if batch is not None and draw.random() < 0.7:
                batches.finish(batch)
                delivered += names(batch)
                unfinished = None
            assert batches.last() == len(delivered)
        if turn % 50 == 0:
            while (old := archive.next()) is not None:
                archive.finish(old)
            at.remove_finished()
    while batch := Batches(at, "delivered").next():
        assert not batch.damaged
        Batches(at, "delivered").finish(batch)
        delivered += names(batch)
    while (old := archive.next()) is not None:
        archive.finish(old)
    assert delivered == appended and len(appended) > 300
    assert at.remove_finished() > 0 and len(at.segments()) <= spool.KEPT + 1
