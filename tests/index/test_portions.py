"""Batches that several threads share: the same pairs in the same order, errors, interruptions, nested code, forks."""

from __future__ import annotations

import gc
import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from tests.limits import PATIENCE
from watchword import (
    EventError,
    Index,
    KeywordIndex,
    OptionError,
    PathIndex,
    PatternIndex,
    PredicateIndex,
    PropertyIndex,
)
from watchword.index import portions
from watchword.index.portions import Portions, byte_count, portion_size, thread_count

COUNT = 3000


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let portions be small, so that a few thousand events are many of them."""
    monkeypatch.setattr(portions, "LEAST_EVENTS", 64)
    monkeypatch.setattr(portions, "LEAST_BYTES", 1 << 10)
    monkeypatch.setattr(portions, "LARGE", 1 << 12)
    monkeypatch.setattr(portions, "PER_THREAD", 8)


def words(number: int) -> str:
    return f"w{number % 7} x{number % 11} y{number % 13}"


KEYWORDS = KeywordIndex(
    {f"s{n}": f"w{n % 7} x{n % 11}" for n in range(40)} | {"f": "w1~1 NOT y1", "c": "2 OF (w1, x1, y1)"}
)
PATTERNS = PatternIndex({f"s{n}": f"w{n % 7}*y{n % 13}" for n in range(40)})
PREDICATES = PredicateIndex({f"s{n}": f"a = {n % 7} AND t MATCHES 'x{n % 11}'" for n in range(40)})
PATHS = PathIndex({f"s{n}": f"//a{n % 7}/b{n % 3}" for n in range(20)})
PROPERTIES = PropertyIndex(
    {f"s{n}": f"p{n % 5}=1 p{(n + 1) % 5}=0" for n in range(5)}, properties=[f"p{n}" for n in range(5)]
)

TEXTS = [words(number) for number in range(COUNT)]
TABLE = pa.table({"a": [n % 7 for n in range(COUNT)], "t": TEXTS})
LINES = [f'{{"a": {n % 7}, "t": "{words(n)}"}}' for n in range(COUNT)]
XML = [f"<a{n % 7}><b{n % 5}/></a{n % 7}>" for n in range(COUNT)]
BITS = pa.array([f"{n % 32:05b}" for n in range(COUNT)])
WITH_NULLS = pa.array([None if n % 5 == 0 else text for n, text in enumerate(TEXTS)])
TERMS = pa.array([text.split() for text in TEXTS])
CODED = pa.ListArray.from_arrays(TERMS.offsets, TERMS.values.dictionary_encode())

SHARED: dict[str, tuple[Index, Any, dict[str, Any]]] = {
    "texts": (KEYWORDS, TEXTS, {}),
    "Arrow": (KEYWORDS, pa.array(TEXTS), {}),
    "chunks": (KEYWORDS, pa.chunked_array([TEXTS[:100], TEXTS[100:]]), {}),
    "nulls": (KEYWORDS, WITH_NULLS, {}),
    "ids": (
        KEYWORDS,
        TABLE.append_column("id", pa.array([f"e{n}" for n in range(COUNT)])),
        {"column": "t", "id": "id"},
    ),
    "terms": (KEYWORDS, TERMS, {}),
    "coded terms": (KEYWORDS, CODED, {}),
    "bytes": (KEYWORDS, [text.encode() for text in TEXTS], {}),
    "two texts": (KEYWORDS, TABLE.append_column("u", pa.array(TEXTS[::-1])), {"column": ["t", "u"]}),
    "patterns": (PATTERNS, pa.array(TEXTS), {}),
    "columns": (PREDICATES, TABLE, {}),
    "JSON lines": (PREDICATES, LINES, {}),
    "JSON in Arrow": (PREDICATES, pa.array(LINES), {}),
    "documents": (PATHS, XML, {}),
    "documents in Arrow": (PATHS, pa.array([one.encode() for one in XML]), {}),
    "bits": (PROPERTIES, BITS, {}),
}


@pytest.mark.parametrize("form", SHARED)
@pytest.mark.parametrize("ordered", [False, True])
def test_the_same_pairs_in_the_same_order_by_any_number_of_threads(form: str, ordered: bool) -> None:
    index, events, names = SHARED[form]
    alone = index.match_many(events, **names, ordered=ordered, threads=1)
    assert alone.num_rows > 100
    before = index.stats().events
    for threads in (2, 3, 7):
        assert index.match_many(events, **names, ordered=ordered, threads=threads).equals(alone)
    assert index.stats().events == before + 3 * (COUNT - (COUNT // 5 if form == "nulls" else 0))


@pytest.mark.parametrize("form", SHARED)
def test_batches_of_several_threads_are_those_of_one(form: str) -> None:
    index, events, names = SHARED[form]
    alone = pa.concat_tables(index.match_batches(events, **names, ordered=True, threads=1))
    shared = list(index.match_batches(events, **names, ordered=True, threads=3))
    assert pa.concat_tables(shared).combine_chunks().equals(alone.combine_chunks())
    assert alone.combine_chunks().equals(index.match_many(events, **names, ordered=True, threads=1).combine_chunks())


def test_objects_of_python_stay_in_the_caller() -> None:
    seen = set()

    class Words(list):  # type: ignore[type-arg]
        def __iter__(self) -> Iterator[str]:
            seen.add(threading.get_ident())
            return super().__iter__()

    KEYWORDS.match_many([Words(text.split()) for text in TEXTS], threads=4)
    assert seen == {threading.get_ident()}
    assert thread_count(4, [{"a": 1}] * 10) == thread_count(4, ["x", {"a": 1}]) == thread_count(4, [Words()]) == 1


def test_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    large, tiny = pa.array(["x" * 100] * 41), pa.array(["x" * 100] * 40)
    monkeypatch.setattr(portions, "LARGE", byte_count(large))
    monkeypatch.delenv(portions.VARIABLE, raising=False)
    cores = len(os.sched_getaffinity(0))
    assert (thread_count(None, large), thread_count(None, tiny)) == (cores, 1)
    assert (thread_count(5, tiny), thread_count(1, large)) == (5, 1)
    monkeypatch.setenv(portions.VARIABLE, "3")
    assert (thread_count(None, large), thread_count(2, large)) == (3, 2)
    for wrong in ("0", "-1", "many", "٣", "1.5"):
        monkeypatch.setenv(portions.VARIABLE, wrong)
        with pytest.raises(OptionError, match=portions.VARIABLE):
            thread_count(None, large)
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(OptionError, match="threads"):
            KEYWORDS.match_many(TEXTS, threads=wrong)


def test_portions_are_no_smaller_than_their_least_size() -> None:
    assert portion_size(["x"] * 10, 4) == 64 and portion_size(["x" * 2000] * 10, 4) == 1
    assert portion_size([], 2) == 64
    assert portion_size(pa.array(["x" * 100] * 100_000), 2) == 6250


def test_the_error_of_the_first_portion_is_raised_with_its_position() -> None:
    texts = [*TEXTS[:700], b"\xff", *TEXTS[700:1500], b"\xff", *TEXTS[1500:]]
    for threads in (1, 2, 5):
        with pytest.raises(EventError) as error:
            KEYWORDS.match_many([None, *texts], threads=threads)
        assert error.value.position == 701
    lines = pa.array([None, *LINES[:900], "{", *LINES[900:]])
    for threads in (1, 3):
        with pytest.raises(EventError) as error:
            PREDICATES.match_many(lines, threads=threads)
        assert error.value.position == 901
    assert KEYWORDS.match_many(TEXTS, threads=2).num_rows > 0


def test_an_empty_batch_and_one_event() -> None:
    assert KEYWORDS.match_many([], threads=4).num_rows == 0
    assert KEYWORDS.match_many(["w1 x1"], threads=4).equals(KEYWORDS.match_many(["w1 x1"], threads=1))


def run_in_helpers(work: Callable[[], None], index: Index) -> list[BaseException]:
    """Run something in every thread that helps to match, while it matches; return what it raised."""
    raised: list[BaseException] = []
    plugged, caller, inside = index._plugged, threading.get_ident(), threading.local()
    find = plugged.find

    def finding(holding: Any) -> Any:
        if threading.get_ident() != caller and not hasattr(inside, "entered"):
            inside.entered = True
            try:
                work()
            except BaseException as error:
                raised.append(error)
        return find(holding)

    plugged.find = finding  # type: ignore[method-assign]
    try:
        for _ in range(20):
            index.match_many(TEXTS, threads=3)
    finally:
        del plugged.find
    return raised


def test_code_inside_a_thread_that_helps_may_read_and_may_not_change() -> None:
    index = KeywordIndex(dict(KEYWORDS))
    read: list[list[str]] = []
    assert not run_in_helpers(lambda: read.append(index.match("w1 x1")), index)
    assert read and all(one == read[0] for one in read)

    def change() -> None:
        index["new"] = "w1"

    refused = run_in_helpers(change, index)
    assert refused and all(isinstance(error, RuntimeError) for error in refused)
    assert "new" not in index


def test_a_change_waits_for_all_threads_of_a_match() -> None:
    index = KeywordIndex(dict(KEYWORDS))
    expected = {number: index.match_many(TEXTS, threads=1).num_rows + number * COUNT for number in range(2)}
    faults: list[int] = []
    over = threading.Event()

    def match() -> None:
        while not over.is_set():
            rows = index.match_many(TEXTS, threads=3).num_rows
            if rows not in expected.values():
                faults.append(rows)

    thread = threading.Thread(target=match)
    thread.start()
    for _ in range(30):
        index["all"] = "NOT nothing"
        del index["all"]
    over.set()
    thread.join(PATIENCE)
    assert not thread.is_alive() and not faults


@pytest.mark.slow
def test_interrupts_at_random_moments_leave_no_thread_behind() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    index, interrupted = KeywordIndex(dict(KEYWORDS)), 0
    expected = index.match_many(TEXTS, threads=1)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for step in range(150):
            try:
                signal.setitimer(signal.ITIMER_REAL, (1 + step % 50) * 1e-4)
                index.match_many(TEXTS, threads=3)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            index["new"] = f"w{step}"  # nobody reads any more
            del index["new"]
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 10
    assert index.match_many(TEXTS, threads=2).equals(expected)


def test_a_failing_portion_stops_the_others_and_an_interruption_waits_for_them() -> None:
    running, done = threading.Event(), []

    def match(start: int, stop: int) -> int:
        if start == 0:
            running.wait(PATIENCE)
            raise KeyboardInterrupt
        running.set()
        done.append(start)
        return start

    with pytest.raises(KeyboardInterrupt):
        Portions(10_000, 1, match).run(2, threading.RLock)
    count = len(done)
    assert 0 < count < 9_999
    gc.collect()
    assert len(done) == count  # no thread works on


def test_a_fork_inside_a_shared_match_leaves_an_index_that_answers() -> None:
    index = KeywordIndex(dict(KEYWORDS))
    expected = index.match_many(TEXTS, threads=1).num_rows
    thread = threading.Thread(target=lambda: [index.match_many(TEXTS, threads=3) for _ in range(30)])
    thread.start()
    for _ in range(5):
        child = os.fork()
        if child == 0:
            index["new"] = "NOT nothing"
            os._exit(0 if index.match_many(TEXTS, threads=2).num_rows == expected + COUNT else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join(PATIENCE)


def test_nothing_is_kept_of_a_call() -> None:
    class Kept(KeywordIndex):
        pass

    index = KeywordIndex(dict(KEYWORDS))
    events = pa.array(TEXTS)
    index.match_many(events, threads=3)
    gone = weakref.ref(index._plugged)
    del index
    gc.collect()
    assert gone() is None
