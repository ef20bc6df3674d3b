"""Previews of drafts over an archive: `python -m benchmarks.preview --scale paper`.

Workload, seed 2011: the 59,899 posts of 2020, again from the first where more are wanted, each with one of 50 feeds and
one of 1,000 authors, archived in batches of 1,000 over 30 days. Small is 20,000 items, paper 100,000 (32 MB of texts).
Drafts are conjunctions of two or three words of a post, a third of them with NOT of another word, a third with an OR;
combined drafts are these under MATCHES, with ``feed = '…'``. The posts lie in the folder that WATCHWORD_DATA names.

    drafts     the time of a preview: p50 and p95 warm, and the first one in a new process with an archive just opened
               (kernels are loaded before). Wanted at 100,000 items: p95 300 ms warm, 1 s cold
    parts      what a preview of three parts costs against `match_many` of the draft alone, and with 100 others beside
    archive    writing a batch of 100 items of 2 kB, and the newest 100,000 after it. Wanted: some hundred ms

All times are of the CPU, of one thread where the library has a choice; ratios are those of one process.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.data.keywords import SEED, conjunctions, data_folder, post_terms, posts
from benchmarks.harness import Report, Row, in_fresh_process, main, ratio
from watchword.archive import Archive
from watchword.archive.events import text_events
from watchword.items import OPTIONS, Item
from watchword.languages import language_class
from watchword.preview import Draft, preview
from watchword.preview.words import count_words

POSTS = "text/tweets-2020-60k.jsonl.gz"
NOW = datetime(2026, 11, 18, 23, tzinfo=UTC)
SCALES = {"small": 20_000, "paper": 100_000}
DRAFTS, BATCH, COMMON = 60, 1_000, 0.05
LANGUAGES = ("keywords", "predicates")


@dataclass(frozen=True)
class Setting:
    """An archive of posts, and drafts."""

    folder: Path
    count: int

    def fill(self) -> None:
        """Archive the posts."""
        archive, texts, draw = Archive(self.folder), self.texts, random.Random(SEED)
        batches = self.count // BATCH
        for batch in range(batches):
            numbers = range(batch * BATCH, (batch + 1) * BATCH)
            items = [
                Item(
                    f"urn:{number}",
                    text=texts[number % len(texts)],
                    feed=f"feed{draw.randrange(50)}",
                    author=f"author{draw.randrange(1000)}",
                    link=f"http://x/{number}",
                )
                for number in numbers
            ]
            archive.write(str(batch), items, NOW - timedelta(days=29) * (1 - batch / batches))

    @cached_property
    def texts(self) -> list[str]:
        """Return the posts."""
        return posts(data_folder() / POSTS)

    @cached_property
    def drafts(self) -> dict[str, list[str]]:
        """Return the drafts of each language."""
        found = conjunctions(post_terms(self.texts, COMMON), DRAFTS)
        draw = random.Random(SEED)
        others = [words.split()[0] for words in found]
        for at in range(0, DRAFTS, 3):
            found[at] += f" NOT {draw.choice(others)}"
            found[at + 1] += f" AND ({draw.choice(others)} OR {draw.choice(others)})"
        combined = [f"feed = 'feed{draw.randrange(50)}' AND MATCHES '{words}'" for words in found]
        return {"keywords": found, "predicates": combined}


@contextmanager
def setting(scale: str) -> Iterator[Setting]:
    """Yield what the sections measure on."""
    with TemporaryDirectory() as folder:
        given = Setting(Path(folder), SCALES[scale])
        given.fill()
        yield given


def seconds_of(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of a call."""
    before = time.process_time()
    work()
    return time.process_time() - before


def shown(language: str, text: str, table: pa.Table, **more: Any) -> Any:
    """Return the preview of a draft, without a bound on its time."""
    return preview(Draft(language, text), table, OPTIONS.get(language, {}), now=NOW, seconds=1e6, **more)


def measure_drafts(report: Report, given: Setting) -> None:
    """Measure previews, warm and cold."""
    table, rows = Archive(given.folder).newest(), list[Row]()
    for language in LANGUAGES:
        drafts = given.drafts[language]
        shown(language, drafts[0], table)
        warm = 1e3 * np.array([seconds_of(partial(shown, language, text, table)) for text in drafts])
        new = [in_fresh_process("benchmarks.preview:cold", str(given.folder), language, text) for text in drafts[1:4]]
        p50, p95 = np.percentile(warm, [50, 95])
        first = 1e3 * max(one["result"] for one in new)
        rows.append(
            {
                "drafts": language,
                "warm p50 ms": p50,
                "warm p95 ms": p95,
                "wanted ms": 300.0,
                "cold ms": first,
                "cold wanted ms": 1000.0,
                "cold × warm": ratio(first, p50),
                "cold MB": max(one["peak"] - one["before"] for one in new) / 1e6,
            }
        )
    report.table(
        f"{DRAFTS} drafts over {len(table):,} items",
        rows,
        "Cold: the worst of three processes; MB: memory that it added.",
    )


def cold(folder: str, language: str, text: str) -> Callable[[], float]:
    """Return the first preview on an archive as a piece of work, which returns its CPU seconds; kernels are loaded."""
    shown(language, text, Archive(folder).newest(1))
    return lambda: seconds_of(lambda: shown(language, text, Archive(folder).newest()))


def measure_parts(report: Report, given: Setting) -> None:
    """Measure a preview against the match of its draft alone."""
    table = Archive(given.folder).newest()
    text, *others = given.drafts["keywords"]
    events = text_events(table).combine_chunks()
    index = language_class("keywords")({0: text})
    named = {str(at): other for at, other in enumerate(others * 2)}
    ways: dict[str, Callable[[], Any]] = {
        "match_many of the draft": lambda: index.match_many(events),
        "preview": lambda: shown("keywords", text, table),
        f"preview, {len(named)} others": lambda: shown("keywords", text, table, others=named),
        "preview, nothing shown": lambda: shown("keywords", text, table, sample=0),
        "preview of a word that none has": lambda: shown("keywords", "harbuorr", table),
    }
    first = seconds_of(lambda: count_words(table))
    taken = {name: min(seconds_of(way) for _ in range(5)) for name, way in ways.items()}
    base = taken["match_many of the draft"]
    report.table(
        f"A draft over {len(table):,} items: {text}",
        [{"way": name, "ms": 1e3 * one, "× match_many": ratio(one, base)} for name, one in taken.items()],
        f"A word that none has: once for a table, its words are counted, {1e3 * first:,.0f} ms.",
    )


def measure_archive(report: Report, given: Setting) -> None:
    """Measure what a new batch costs."""
    body = " ".join(given.texts[:10])[:2_000]
    with TemporaryDirectory() as folder:
        archive = Archive(folder)
        archive.newest()
        writes, reads = [], []
        for batch in range(given.count // 200):
            items = [Item(f"{batch}-{number}", text=f"{number} {body}") for number in range(100)]
            at = NOW + timedelta(seconds=10 * batch)
            writes.append(1e3 * seconds_of(lambda key=str(batch), items=items, at=at: archive.write(key, items, at)))
            reads.append(1e3 * seconds_of(archive.newest))
        rows = [
            {"what": what, "p50 ms": np.median(times), "p99 ms": np.percentile(times, 99), "worst ms": max(times)}
            for what, times in (("write 100 items of 2 kB", writes), ("the newest 100,000 after it", reads))
        ]
        report.table(f"{len(writes):,} batches into an archive", rows)


SECTIONS = {"drafts": measure_drafts, "parts": measure_parts, "archive": measure_archive}


def header(scale: str) -> Row:
    """Return what the report says of its workload."""
    return {"scale": scale, "items": SCALES[scale], "drafts": DRAFTS, "seed": SEED, "data": Path(POSTS).name}


if __name__ == "__main__":
    main("preview", __doc__ or "", SECTIONS, header, setting)
