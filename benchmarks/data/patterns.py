"""What the pattern benchmarks measure on: REtriever's workload, a filter list over real texts, hostile long texts.

Synthetic: `watchword.papers.workloads.retriever`, seed 2004. Real: EasyList, posts and the addresses in them, of the
folder that `data.keywords.data_folder` names; nothing of it belongs to the project.

How a filter rule becomes a pattern. Comments, exceptions (``@@``), rules that hide elements and rules that are
regular expressions (``/.../``) are left out. Options (``$`` and what follows) are cut off. Anchors (``||`` and ``|``)
and separators (``^``) at an end go, an inner separator becomes `?`; a literal `?` or ``\\`` is escaped, `*` stays. What
is left must have three characters besides wildcards. So a pattern finds what its rule finds and more, since nothing is
anchored, but takes upper and lower case for different letters. All engines are given the same patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.data.keywords import lines, posts
from watchword.papers.workloads.retriever import Parameters, Workload, generate

SEED = 2004
ADDRESS = re.compile(r"https?://[^\s\"<>]+")
EXPRESSION = re.compile(r"/.+/(\$[^/]*)?")
HIDING = re.compile(r"#[@?$%]*#")


@dataclass(frozen=True)
class Scale:
    """How much data a run uses.

    `rivalry` are the sizes at which Hyperscan is compared, `growth` the two that are set against each other.
    `rules` is about how many of EasyList's plain rules are used, all if None; `starred` how many patterns meet the
    long texts of `megabytes`.
    """

    rivalry: tuple[int, ...]
    growth: tuple[int, int]
    publications: int
    rules: int | None
    texts: int
    starred: int
    megabytes: tuple[float, ...]


SCALES = {
    "small": Scale(
        rivalry=(1_000, 10_000),
        growth=(10_000, 100_000),
        publications=20_000,
        rules=5_000,
        texts=10_000,
        starred=100,
        megabytes=(0.25, 0.5, 1),
    ),
    "paper": Scale(
        rivalry=(10_000, 100_000),
        growth=(100_000, 1_000_000),
        publications=100_000,
        rules=None,
        texts=100_000,
        starred=1_000,
        megabytes=(1, 2, 4),
    ),
}


def controlled(subscriptions: int, publications: int, **changed: Any) -> Workload:
    """Return the paper's workload: three strings of four letters, one `*`, one `?`, one general overlap, 3 matches.

    Operators stand apart, so that each phrase is a string.
    """
    return generate(Parameters(subscriptions, publications, seed=SEED, placement="apart", **changed))


def expression(pattern: str) -> str:
    """Return the regular expression, for `re` and Hyperscan with DOTALL, that a pattern stands for."""
    parts = re.findall(r"\\.|[^\\]", pattern, re.DOTALL)
    return "".join({"?": ".", "*": ".*"}.get(part) or re.escape(part[-1]) for part in parts)


def as_pattern(rule: str) -> str | None:
    """Return a line of a filter list as a pattern, or None for one that is no plain rule (see above)."""
    rule = rule.strip()
    if not rule or rule.startswith(("!", "[", "@@")) or HIDING.search(rule):
        return None
    if EXPRESSION.fullmatch(rule):
        return None
    address = rule.partition("$")[0].strip("|^*")
    if len(re.sub(r"[*^]", "", address)) < 3:
        return None
    return re.sub(r"[?\\]", r"\\\g<0>", address).replace("^", "?")


def filter_rules(path: Path, most: int | None) -> list[str]:
    """Return the distinct patterns of a filter list: all with a wildcard, and about `most` of the others, evenly."""
    patterns = list(dict.fromkeys(pattern for line in lines(path) if (pattern := as_pattern(line)) is not None))
    wild = [pattern for pattern in patterns if re.search(r"(?<!\\)[*?]", pattern)]
    plain = [pattern for pattern in patterns if not re.search(r"(?<!\\)[*?]", pattern)]
    return wild + plain[:: max(1, len(plain) // most) if most else 1]


def addresses(texts: Iterable[str]) -> list[str]:
    """Return the distinct addresses that texts mention."""
    return list(dict.fromkeys(address for text in texts for address in ADDRESS.findall(text)))


def real_texts(folder: Path, most: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of text that the filter list is tried on."""
    told = posts(folder / "text" / "tweets-2020-60k.jsonl.gz")
    yield "addresses", addresses(told)[:most]
    yield "posts", told[:most]


def numbered(patterns: Sequence[str]) -> pa.Table:
    """Return patterns as subscriptions with ids from 0."""
    return pa.table({"id": np.arange(len(patterns)), "subscription": pa.array(patterns, pa.large_string())})


def many_stars(count: int) -> list[str]:
    """Return patterns of twenty strings of two letters with stars between; a third ends in a `#`."""
    drawn = _letters(np.random.default_rng(SEED), count * 40).reshape(count, 20, 2)
    joined = ["*".join(string.tobytes().decode("ascii") for string in row) for row in drawn]
    return [pattern + ("*#" if row % 3 == 0 else "") for row, pattern in enumerate(joined)]


def random_text(characters: int) -> str:
    """Return letters behind a `#`, so that the third of `many_stars` fails, but not for want of a string."""
    return "#" + _letters(np.random.default_rng(SEED + 1), characters - 1).tobytes().decode("ascii")


def hostile(count: int) -> list[str]:
    """Return patterns whose strings are all over `hostile_text`, in nearly every order, and that never match it."""
    tails = ("a?b", "b?a", "a??a", "c")
    return ["a*b*" * (1 + row // len(tails) % 25) + tails[row % len(tails)] for row in range(count)]


def hostile_text(characters: int) -> str:
    """Return `a` and `b` by turns behind a `c`: whatever is tried fails late."""
    return "c" + ("ab" * (characters // 2 + 1))[: characters - 1]


def _letters(rng: np.random.Generator, count: int) -> npt.NDArray[np.uint8]:
    return rng.integers(ord("a"), ord("z") + 1, size=count, dtype=np.uint8)
