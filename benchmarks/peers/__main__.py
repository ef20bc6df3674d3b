"""Watchword beside other matchers, on the same rules and events: `make peers`, or `python -m benchmarks.peers`.

    equalities   rules over attributes: event-ruler (Java 17) and a-tree (Rust)
    ranges       the same, with a range in every rule
    text         search queries over posts: Lucene Monitor (Java 21)
    loose        search queries, some with prefixes, edits and slops: Lucene Monitor
    booleans     searches with phrases, OR and NOT over posts: Lucene Monitor

`--scale paper` has 100,000 rules, and real queries and posts where WATCHWORD_DATA names the folder that has them; small
has a few hundred of each, generated, and needs no data. The harnesses are built by mvn and cargo; a peer whose tools
are not there is named and left out. One thread. `rules.py` and `texts.py` say on what is measured, `comparing.py` what.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks import harness
from benchmarks.harness import Row
from benchmarks.peers import rules, texts
from benchmarks.peers.rivals import PEERS
from benchmarks.peers.setting import SCALES, setting

SECTIONS = {
    "equalities": partial(rules.compare_rules, ranges=False),
    "ranges": partial(rules.compare_rules, ranges=True),
    "text": texts.compare_text,
    "loose": texts.compare_loose,
    "booleans": texts.compare_booleans,
}


def header(name: str) -> Row:
    """Return what the workload of a scale is."""
    scale = SCALES[name]
    return {
        "scale": f"{name}: {scale.rules:,} rules on 3 of 16 attributes, 21 values each; "
        f"{'real' if scale.queries is None else f'{scale.queries:,} generated'} queries, {scale.posts:,} posts; "
        f"{scale.booleans:,} booleans, {scale.boolean_posts:,} posts",
        "peers": ", ".join(f"{peer.name} {peer.version}" for peer in PEERS),
        "seeds": f"{rules.SEED}, {texts.SEED}",
        "measured": f"each peer for {scale.seconds:g} s of CPU time, in Java after half as long to warm up",
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Run the sections that are asked for."""
    harness.main("peers", __doc__ or "", SECTIONS, header, setting, argv)


if __name__ == "__main__":
    main()
