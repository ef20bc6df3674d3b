"""Does an index stay as large as what it holds, however often that changes? `python -m benchmarks.changes`.

An index holds 20,000 subscriptions of words from a vocabulary of 5,000 (seed 2012). A change takes the oldest away and
subscribes another, under an id that was never used; 1,000 changes are followed by a batch of events. What is printed
after each tenth of the changes is the size of the index and its catalog as `stats` says it, the resident memory of the
process, and, by the time that the CPU worked, how many are subscribed and unsubscribed a second. Memory is flat if the
last rows say what the first ones do. Subscriptions to predicates are ``name = 'w1' AND kind = 'w2' AND value > 3``,
those to rules have OR, NOT and a text: ``name = 'w1' AND (line HAS 'w2' OR NOT value > 3)``.

    python -m benchmarks.changes --changes 1000000 keywords patterns

With ``--new-words`` each subscription has a word that no other ever had. Words of subscriptions that are gone are
forgotten when they are the most, so that the size goes up and down; patterns have no vocabulary.

`churn` returns the same figures, for the test that bounds them.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from watchword import KeywordIndex, PatternIndex, PredicateIndex
from watchword.index import Index

SEED = 2012
HELD = 20_000
VOCABULARY = 5_000
ROUND = 1_000


class Figures(NamedTuple):
    """Where an index stands after so many changes: its own bytes, its catalog's, the process's, and how many were
    subscribed and unsubscribed since the last figures, each in a second of CPU time."""

    changes: int
    index_bytes: int
    catalog_bytes: int
    resident: int
    subscribed: float
    unsubscribed: float


def keyword(words: list[str]) -> str:
    """Return a subscription to three words."""
    return " ".join(words)


def pattern(words: list[str]) -> str:
    """Return a pattern of three words, two of them with a gap between them."""
    return f"{words[0]}*{words[1]} ?{words[2]}"


def predicate(words: list[str]) -> str:
    """Return a conjunction of two equalities and a comparison."""
    return f"name = '{words[0]}' AND kind = '{words[1]}' AND value > {words[2][1:]}"


def rule(words: list[str]) -> str:
    """Return a rule with OR, NOT and a part of a text."""
    return f"name = '{words[0]}' AND (line HAS '{words[1]}' OR NOT value > {words[2][1:]})"


def sentence(words: list[str]) -> str:
    """Return words as an event."""
    return " ".join(words)


def record(words: list[str]) -> dict[str, Any]:
    """Return words as an event of attributes."""
    return {"name": words[0], "kind": words[1], "value": int(words[2][1:]), "line": " ".join(words)}


LANGUAGES: dict[str, tuple[type[Index], Callable[[list[str]], str], Callable[[list[str]], Any]]] = {
    "keywords": (KeywordIndex, keyword, sentence),
    "patterns": (PatternIndex, pattern, sentence),
    "predicates": (PredicateIndex, predicate, record),
    "rules": (PredicateIndex, rule, record),
}


def churn(
    language: str,
    changes: int,
    *,
    held: int = HELD,
    vocabulary: int = VOCABULARY,
    parts: int = 10,
    new_words: bool = False,
) -> Iterator[Figures]:
    """Change an index and yield where it stands at first, and after each part of the changes."""
    kind, written, event = LANGUAGES[language]
    draw = random.Random(SEED)

    def text(number: int) -> str:
        words = [f"w{draw.randrange(vocabulary)}" for _ in range(3)]
        return written([*words[:2], f"n{number}"] if new_words else words)

    index = kind({f"s{n}": text(n) for n in range(held)})
    events = [event([f"w{draw.randrange(vocabulary)}" for _ in range(10)]) for _ in range(100)]
    yield _figures(index, 0, 0.0, 0.0)
    done = 0
    for part in range(1, parts + 1):
        before, spent = done, [0.0, 0.0]
        while done < changes * part // parts:
            numbers = range(done, min(done + ROUND, changes * part // parts))
            texts = [text(held + n) for n in numbers]
            started = time.process_time()
            for n in numbers:
                del index[f"s{n}"]
            between = time.process_time()
            for n, new in zip(numbers, texts, strict=True):
                index[f"s{held + n}"] = new
            spent[0] += time.process_time() - between
            spent[1] += between - started
            done = numbers.stop
            index.match_many(events)
        yield _figures(index, done, *((done - before) / seconds for seconds in spent))
    assert len(index) == held


def _figures(index: Index, changes: int, subscribed: float, unsubscribed: float) -> Figures:
    gc.collect()
    stats = index.stats()
    return Figures(changes, stats.bytes, stats.catalog_bytes, resident(), subscribed, unsubscribed)


def resident() -> int:
    """Return the resident memory of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def main() -> None:
    """Print a table for each language."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=" or ".join(LANGUAGES))
    parser.add_argument("--changes", type=int, default=100_000)
    parser.add_argument("--held", type=int, default=HELD)
    parser.add_argument("--new-words", action="store_true", help="a word that was never used in each subscription")
    given = parser.parse_args()
    for language in given.languages or LANGUAGES:
        print(f"\n{language}, {given.held:,} held\n")
        print("  changes    index MB  catalog MB  resident MB  subscribed/s  unsubscribed/s")
        for figures in churn(language, given.changes, held=given.held, new_words=given.new_words):
            sizes = "".join(f"{size / 1e6:12.1f}" for size in figures[1:4])
            print(f"{figures.changes:9,}{sizes}{figures.subscribed:15,.0f}{figures.unsubscribed:16,.0f}", flush=True)


if __name__ == "__main__":
    main()
