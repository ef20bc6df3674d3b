"""What the benchmark of growing numbers measures on, made piece by piece, so that memory is bounded whatever the size.

Algorithm 7 of Kourdounakis 2011, as `data.keywords` has it: subscriptions of 1 to 7 terms drawn by Zipf 0.75, items of
about 52 terms drawn by Zipf 0.95 from the same vocabulary. Each file is drawn with a seed of its own.

Subscriptions that too many items would match are left out, as in `data.keywords`, so that an item matches 100 to 140 at
every size: those that more than 5,000 / N of the items would match. As drawn, an item would match 295,000 of 100
million subscriptions, by frequent words that stand alone, and nothing but the writing of pairs would be measured.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.data.keywords import ITEM_ZIPF, SEED, SUBSCRIPTION_ZIPF
from watchword.papers.workloads.syndication import Lengths, Vocabulary, chance_to_cover, generate
from watchword.shards import Version, resolve, versions

AT_ONCE = 4_000_000
MATCHES = 5_000
FOLDER_VARIABLE = "WATCHWORD_SCALE"


@dataclass(frozen=True)
class Step:
    """A size: subscriptions, the terms they are drawn from, shards, and items to match."""

    subscriptions: int
    vocabulary: int
    shards: int
    items: int


STEPS = {
    "small": Step(100_000, 50_000, 2, 10_000),
    "million": Step(1_000_000, 200_000, 2, 20_000),
    "ten-million": Step(10_000_000, 800_000, 2, 20_000),
    "paper": Step(100_000_000, 5_000_000, 8, 20_000),
}
"""From 10^5 to 10^8 subscriptions."""


@dataclass(frozen=True)
class Place:
    """Where the data of a step lies: subscriptions, items and changes as Parquet, and the index made of them."""

    folder: Path
    step: Step

    @property
    def subscriptions(self) -> str:
        return str(self.folder / "subscriptions")

    @property
    def items(self) -> str:
        return str(self.folder / "items")

    @property
    def changes(self) -> str:
        return str(self.folder / "changes.parquet")

    @property
    def index(self) -> str:
        return str(self.folder / "index")

    @property
    def built(self) -> Version:
        """The version that `build` made, whatever updates followed."""
        return resolve(self.index, min(versions(self.index)))


def place_of(folder: str | Path, name: str) -> Place:
    """Return where the data of a step lies below a folder."""
    return Place(Path(folder) / name, STEPS[name])


@contextmanager
def kept_folder() -> Iterator[Path]:
    """Give the folder that the environment names, in which data stays for the next run, or a temporary one."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        Path(named).mkdir(parents=True, exist_ok=True)
        yield Path(named)
    else:
        with tempfile.TemporaryDirectory(prefix="watchword-") as folder:
            yield Path(folder)


def write_subscriptions(place: Place) -> None:
    """Write the subscriptions, unless they are there: ``id`` from 0 and ``subscription``."""
    target = Path(place.subscriptions)
    if target.exists():
        return
    step, aside = place.step, target.with_name("subscriptions.part")
    aside.mkdir(parents=True, exist_ok=True)
    drawn, met = Vocabulary.zipf(step.vocabulary, SUBSCRIPTION_ZIPF), Vocabulary.zipf(step.vocabulary, ITEM_ZIPF)
    written = number = 0
    while written < step.subscriptions:
        sets = generate(drawn, min(AT_ONCE, step.subscriptions), Lengths.subscriptions(), seed=SEED + 1000 * number)
        narrow = chance_to_cover(sets, met, Lengths.items().mean) <= MATCHES / step.subscriptions
        texts = sets.where(narrow).to_arrow_texts()[: step.subscriptions - written].cast(pa.string())
        ids = pa.array(np.arange(written, written + len(texts)))
        table = pa.table({"id": ids, "subscription": texts})
        pq.write_table(table, aside / f"{number:04}.parquet", use_dictionary=False, row_group_size=250_000)
        written, number = written + len(texts), number + 1
    aside.rename(target)


def write_items(place: Place, files: int = 8) -> None:
    """Write the items, unless they are there: ``id`` and ``terms``, a list of strings."""
    target = Path(place.items)
    if target.exists():
        return
    step, aside = place.step, target.with_name("items.part")
    aside.mkdir(parents=True, exist_ok=True)
    vocabulary = Vocabulary.zipf(step.vocabulary, ITEM_ZIPF)
    terms = generate(vocabulary, step.items, Lengths.items(), seed=SEED + 1).to_arrow_terms(dictionary=False)
    size = -(-step.items // files)
    for number in range(files):
        part = terms[number * size : (number + 1) * size]
        ids = pa.array(np.arange(number * size, number * size + len(part)))
        pq.write_table(pa.table({"id": ids, "terms": part}), aside / f"{number}.parquet")
    aside.rename(target)


def write_changes(place: Place, count: int) -> None:
    """Write changes of ids all over the index: half replace a text, a quarter removes, a quarter is new."""
    step = place.step
    whole = pq.ParquetFile(Path(place.subscriptions) / "0000.parquet").read_row_group(0)
    texts = whole["subscription"][1 : count + 1].to_pylist()
    spread = np.linspace(0, step.subscriptions - 1, count).astype(np.int64)
    ids = [int(key) if at % 4 < 3 else step.subscriptions + at for at, key in enumerate(spread)]
    changed = [None if at % 4 == 2 else text for at, text in enumerate(texts)]
    table = pa.table({"id": pa.array(ids, pa.int64()), "subscription": pa.array(changed, pa.string())})
    pq.write_table(table, place.changes)


def item_terms(place: Place, most: int | None = None) -> pa.Array:
    """Return the items as lists of strings, which is what a task of Spark is given."""
    return pq.read_table(place.items, columns=["terms"])["terms"].combine_chunks()[:most]
