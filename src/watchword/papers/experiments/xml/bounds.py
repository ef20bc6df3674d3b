"""Lemma 2 and Theorem 2 of PMA, and PMA2's bound, checked by output tuples touched and changed.

The paper bounds the work of PMA by the occurrences of prefixes of patterns: for ``/a/b//c/*/d`` those of ``/a/b``,
``/a/b//c`` and the whole. Here they are counted by another method, which finds each distinct prefix as a pattern of its
own. Searches in states are bounded by K n for PMA, and by maxdepth K n for PMA2, n being the elements of the document
and K the longest way through states whose keywords end at once. PMA2 keeps tuples that end alike together, and searches
a block for each kind of gap: that may be more often than the paper says, and is counted so. `auto` stands beside them.

Theorem 2 (`models.paths`) is tried on one workload more, a root with many children and paths ``/x0//y``: no prefix of
them occurs, and yet PMA deletes all their tuples at each child, and puts them back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from watchword.kernels.paths.output import OutputTables
from watchword.papers.experiments.checks import Check, check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import Reading, every, read, text
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.rows import figure, where
from watchword.papers.experiments.xml.workload import (
    DATA,
    DOCUMENT,
    SEED,
    SIBLINGS,
    document_of,
    elements_in,
    indexes_of,
    patterns_of,
)
from watchword.papers.models import paths as models
from watchword.paths import PathIndex

SIZES = {"small": (300, 1_000), "paper": (1_000, 10_000)}
ELEMENTS = {"small": 1_000, "paper": 3_000}
METHODS = ("pma", "pma2", "auto")
EVERY = np.array([np.iinfo(np.int32).max], np.int32)
_STEP = re.compile(r"(//?)([^/]+)")


def cells(scale: str) -> list[Cell]:
    """Return the cells: both algorithms, and `auto`, on each DTD, with fewer and more patterns."""
    return [
        {"data": data, "patterns": n, "elements": ELEMENTS[scale], "method": method}
        for data in (*DATA, SIBLINGS)
        for n in SIZES[scale]
        for method in METHODS
    ]


def prefixes(path: str) -> Iterator[str]:
    """Yield the beginnings of a path that end with a keyword, and the whole.

    >>> list(prefixes("/a/b//c/*/d"))
    ['/a/b', '/a/b//c', '/a/b//c/*/d']
    >>> list(prefixes("/*/a/*"))
    ['/*/a', '/*/a/*']
    """
    steps = list(_STEP.finditer(path))
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        ends = after is None or after[1] == "//" or after[2] == "*"
        if ends and (step[2] != "*" or after is None):
            yield path[: step.end()]


def prefix_occurrences(paths: Sequence[str], document: bytes) -> int:
    """Return how often prefixes of paths occur, counted for each path that has them."""
    counted = Counter(prefix for path in paths for prefix in prefixes(path))
    texts = list(counted)
    index = PathIndex(enumerate(texts))
    found = index.occurrences_table(document)["subscription"]
    times = np.bincount(found.to_numpy(), minlength=len(texts))
    return int(times @ np.array([counted[text] for text in texts]))


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Follow a document for all occurrences, and count tuples touched and states searched."""
    document = document_of(cell, seed)
    language = indexes_of(cell, seed, [cell["method"]])[cell["method"]]._plugged
    run = language.structure.start(EVERY, elements=True)
    found = sum(len(run.feed(moves).payloads) for moves in language.read([document], 0).pieces)
    if cell["method"] == "auto":  # which has no output tuples: what it does is counted in its own unit
        return [cell | {"occurrences": found, "operations": run.end()}]
    counts = {"touched": run.touched, "changes": getattr(run, "changes", 0), "searches": run.searches}
    tables = language.structure.tables()
    paths = patterns_of(cell, seed)["subscription"].to_pylist()
    key = ("prefixes", *(cell[name] for name in ("data", "patterns", "elements")), seed)
    elements, depth = elements_in(document), depth_of(document)
    return [
        cell
        | {
            "document_elements": elements,
            "depth": depth,
            "K": longest_way(tables),
            "gaps": len({*zip(tables.lows.tolist(), tables.highs.tolist(), strict=True)}),
            "occurrences": found,
            "prefix_occurrences": SHELF.get(key, partial(prefix_occurrences, paths, document)),
            "keywords": len(tables.owners),
            "operations": run.end(),
        }
        | counts
    ]


def with_bounds(rows: list[Row]) -> list[Row]:
    """Return rows with the bounds of their method, and with their `steps` (`models.paths`); `auto` has none."""
    return [row | _bound(row) if "K" in row else row for row in rows]


def longest_way(tables: OutputTables) -> int:
    """Return how many states at most a move searches: its own and those of suffixes that are keywords."""
    most, states = 1, np.arange(1, len(tables.outputs), dtype=np.int32)
    while len(states):
        states = tables.outputs[states]
        states, most = states[states > 0], most + 1
    return most


def depth_of(document: bytes) -> int:
    """Return how deep the elements of a generated document nest.

    >>> depth_of(b"<a><b/>text<c><d></d></c></a>")
    3
    """
    depth = most = 0
    for tag in re.finditer(rb"<(/?)[^>]*?(/?)>", document):
        depth += not tag[1]
        most = max(most, depth)
        depth -= bool(tag[1]) or bool(tag[2])
    return most


def _touched_at_most(method: str, rows: Sequence[Row]) -> Outcome:
    own = where(rows, method=method)
    above = [row for row in own if row["touched"] > row["prefix_occurrences"]]
    found = [row["touched"] / row["prefix_occurrences"] for row in own if row["prefix_occurrences"]]
    if not found:
        raise LookupError(method)
    said = f"{min(found):.2f} to {max(found):.2f} of the prefixes' occurrences"
    less = "less where Lemma 3 leaves out what a path without upper limit would touch again"
    more = ", ".join(map(_name, above))
    why = less if min(found) < 0.995 else ""
    return judged(not above, said, weaker=len(above) < len(own), why=why, otherwise=f"implementation: more in {more}")


def _bound(row: Row) -> Row:
    about = (row["depth"], row["keywords"])
    bound = models.theorem_2_as_printed if row["method"] == "pma" else models.pma2_bound
    blocks = 1 if row["method"] == "pma" else row["depth"]
    return {
        "searches_bound": row["K"] * row["document_elements"] * blocks,
        "steps_bound": bound(row["K"], row["document_elements"], *about, row["prefix_occurrences"]),
        "steps": models.steps(row["searches"], row["touched"], row["changes"], *about),
    }


CONSTANT = 5.0
"""What the O of the bounds may hide: a tuple that is touched is inserted and deleted, and may make another one go that
comes back."""


def _within(method: str, rows: Sequence[Row]) -> Outcome:
    """Judge steps against the bound times `CONSTANT`; the reason names the workload that is farthest above it."""
    parts = {_name(row): row["steps"] / row["steps_bound"] for row in where(rows, method=method)}
    if not parts:
        raise LookupError(method)
    said = "steps over the bound: " + ", ".join(f"{name} {figure(part)}" for name, part in parts.items())
    far = max(where(rows, method=method), key=lambda row: row["steps"] / row["steps_bound"])
    why = (
        "paper: Algorithm 2 deletes what has expired at every sibling, and Algorithm 4 puts it back, which the theorem "
    )
    why += f"leaves out; in {_name(far)} {far['changes']:,} changes, and {far['prefix_occurrences']:,} prefixes"
    return judged(max(parts.values()) <= CONSTANT, said, otherwise=why)


def _name(row: Row) -> str:
    return f"{row['data']} ({row['patterns']:,} patterns)"


def _searches_at_most(method: str, bound: str) -> Check:
    """Return the check that searches stay within a bound, or within it for each kind of gap."""
    return check(
        "{part.least:.1%} to {part.most:.1%} of " + bound,
        "part.most <= 1",
        weaker="part.most <= kinds.most",
        part=every("searches", method=method) / every("searches_bound", method=method),
        kinds=every("gaps", method=method),
        otherwise="implementation: a block has a list for each kind of gap, and each is searched",
    )


def _searches(method: str) -> Reading:
    return read("searches", by=("data", "patterns"), method=method, data=tuple(DATA))


MORE_SEARCHES = _searches("pma2") / _searches("pma")
BOUNDS = Experiment(
    name="xml/bounds",
    title="Output tuples touched, against the bounds",
    source=f"{DOCUMENT}, Lemma 2 and Theorem 2 (section 4), section 5",
    cells=cells,
    measure=measure,
    plots=tuple(
        Plot(
            name,
            title,
            "prefix_occurrences",
            name,
            x_label="occurrences of prefixes",
            y_label=title.lower(),
            log_x=True,
            log_y=True,
            also=also,
        )
        for name, title, also in (
            ("touched", "Output tuples touched", ("prefix_occurrences",)),
            ("searches", "Searches", ("searches_bound",)),
            ("steps", "Steps", ("steps_bound",)),
        )
    ),
    claims=(
        Claim("lemma-2", "PMA's inner loop runs once for each occurrence of a prefix of a pattern.",
              "as many times as prefixes occur", partial(_touched_at_most, "pma")),
        Claim("theorem-2-searches", "PMA searches at most K states at an element.", "K n (section 4)",
              _searches_at_most("pma", "K n")),
        Claim("theorem-2", "PMA runs in K n steps, and a logarithm for each occurrence of a prefix.",
              "O(K n + log(L × #keywords) × occ)", partial(_within, "pma")),
        Claim("pma2-touched", "PMA2 touches no more either.", "as Lemma 2", partial(_touched_at_most, "pma2")),
        Claim("pma2-searches", "PMA2 makes maxdepth K n steps at most.", "maxdepth × K × n",
              _searches_at_most("pma2", "maxdepth K n")),
        Claim("pma2-bound", "PMA2 runs in maxdepth K n steps, and a logarithm for each occurrence of a prefix.",
              "maxdepth × K × n for K × n (section 5)", partial(_within, "pma2")),
        Claim("downside", "PMA2 searches in more places than PMA.", "h K trees for K",
              check("times as many: {said}", "more.least > 1", weaker="more.most > 1", more=MORE_SEARCHES,
                    said=text(MORE_SEARCHES, "{label[0]} ({label[1]:,} patterns) {figure:.1f}"),
                    otherwise="implementation: only blocks that hold tuples are searched, so fewer than one for each "
                    "level")),
    ),
    derive=with_bounds,
    seed=SEED,
)  # fmt: skip
