"""The cost models of chapter 2 against the indexes: as printed, corrected (`watchword.papers.models`), and measured."""

from __future__ import annotations

from collections.abc import Sequence

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import Reading, read
from watchword.papers.experiments.rows import curve
from watchword.papers.experiments.thesis.indexes import built, drawn, matched, shelved, terms_of
from watchword.papers.models import count, keyed, terms, trie, trie_bounds
from watchword.papers.workloads import calibrated

SIZES = {"small": (8_000, (2_000, 20_000), 500), "paper": (800_000, (10_000, 100_000, 1_000_000), 2_000)}
"""Terms, numbers of subscriptions, and items."""

FIGURES = (
    "terms", "decrements", "blocks", "bytes of count", "nodes of trie", "leaves of trie", "nodes of compact-trie",
    "bytes of trie", "bytes of compact-trie", "visits of trie", "keys of auto", "groups read by auto",
)  # fmt: skip


def _predicted(size: int, number: int) -> dict[str, float]:
    shares = terms.shares_of(terms_of(size).frequencies)
    lengths, items = calibrated.subscription_lengths().probabilities, calibrated.item_lengths().probabilities
    within, met = terms.presence(shares, lengths), terms.presence(shares, items)
    paths, by_key = trie.sample(shares, lengths), keyed.sample_keys(shares, lengths)
    return {
        "terms": count.terms(within, number),
        "decrements": count.decrements(within, met, number),
        "blocks": count.blocks(count.postings(within, number), 25),
        "bytes of count": count.size(within, number),
        "nodes of trie": trie.nodes(paths, number),
        "leaves of trie": trie.leaves(paths, number),
        "nodes of compact-trie": trie.compact_nodes(paths, number),
        "bytes of trie": trie.size(paths, number),
        "bytes of compact-trie": trie.compact_size(paths, number),
        "visits of trie": trie.visits(trie.draw_items(shares, items, 1_000), shares, lengths, number),
        "keys of auto": keyed.keys(by_key, number),
        "groups read by auto": keyed.groups_read(by_key, met, number),
    }


def _as_printed(size: int, number: int) -> dict[str, float]:
    """Return what the printed equations 2.6 and 2.8 come to, and 2.20 for the first levels of a trie."""
    shares, mean = terms.shares_of(terms_of(size).frequencies), calibrated.subscription_lengths().mean
    levels = trie_bounds.levels_as_printed(count.occurrence_as_printed(shares, mean, number), 2)
    return {
        "terms": count.occurring_as_printed(shares, mean, number),
        "bytes of count": count.size_as_printed(shares, mean, number),
        "nodes of trie": float(levels.sum()),
    }


def _measured(size: int, number: int, few: int, seed: int) -> dict[str, float]:
    rows = shelved(size, number, calibrated.subscription_lengths(), "empirical", seed)
    items = drawn(terms_of(size), few, calibrated.item_lengths(), "empirical", seed + 1)
    lists, blocks, simple, compact, auto = (
        built(method, rows, size) for method in ("count", "compact-count", "trie", "compact-trie", "auto")
    )
    return {
        "terms": lists.stats()["terms"],
        "decrements": matched(lists, items).operations,
        "blocks": blocks.stats()["blocks"],
        "bytes of count": lists.bytes,
        "nodes of trie": simple.stats()["nodes"],
        "leaves of trie": simple.stats()["leaves"],
        "nodes of compact-trie": compact.stats()["nodes"],
        "bytes of trie": simple.bytes,
        "bytes of compact-trie": compact.bytes,
        "visits of trie": matched(simple, items).operations,
        "keys of auto": auto.stats()["keys"],
        "groups read by auto": matched(auto, items).operations,
    }


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Return every figure of an index as predicted, as measured, and as printed where an equation gives it."""
    size, _, few = SIZES[scale]
    number = cell["subscriptions"]
    kinds = {"predicted": _predicted(size, number), "measured": _measured(size, number, few, seed)}
    kinds["as printed"] = _as_printed(size, number)
    return [
        cell | {"figure": figure, "kind": kind, "value": float(found)}
        for kind, figures in kinds.items()
        for figure, found in figures.items()
    ]


def _factors(rows: Sequence[Row], figures: Sequence[str], kind: str = "predicted") -> dict[str, float]:
    """Return predicted over measured, the farthest from 1 over all sizes, of each figure."""
    found = {}
    for figure in figures:
        ours, there = (curve(rows, "subscriptions", "value", figure=figure, kind=of) for of in (kind, "measured"))
        found[figure] = max((ours[at] / there[at] for at in ours), key=lambda factor: max(factor, 1 / factor))
    return found


def _within(figures: Sequence[str], limit: float) -> Claim:
    def checked(rows: Sequence[Row]) -> Outcome:
        factors = _factors(rows, figures)
        worst = max(max(factor, 1 / factor) for factor in factors.values()) - 1
        said = ", ".join(f"{figure} {factor:.3f}" for figure, factor in factors.items())
        return judged(worst < limit, f"predicted over measured, at worst: {said}", weaker=worst < 3 * limit)

    name, kind = figures[0].replace(" ", "-"), "expected nodes" if "nodes" in figures[0] else "expectations"
    text = f"The corrected model gives {', '.join(figures)}."
    return Claim(f"model-{name}", text, f"{kind} are what chapter 2 sets out to give", checked)


def _along(figure: str, kind: str) -> Reading:
    return read("value", along="subscriptions", figure=figure, kind=kind)


def _plot(name: str, figure: str) -> Plot:
    return Plot(name, figure, x="subscriptions", y="value", series="kind", y_label=figure, log_x=True, log_y=True,
                where={"figure": figure})  # fmt: skip


MODELS = Experiment(
    name="thesis/models",
    title="the cost models of chapter 2, predicted against measured",
    source="Kourdounakis 2011, sections 2.2 and 2.3, equations 2.1-2.21",
    cells=lambda scale: [{"subscriptions": number} for number in SIZES[scale][1]],
    measure=measure,
    plots=tuple(_plot(figure.replace(" ", "-"), figure) for figure in FIGURES),
    claims=(
        _within(("terms", "decrements", "blocks", "bytes of count"), 0.1),
        _within(("nodes of trie", "leaves of trie", "nodes of compact-trie"), 0.05),
        _within(("visits of trie",), 0.15),
        Claim("printed-2.6", "Equation 2.6 gives the terms that occur.", "2.5 and 2.6",
              check("{printed.first:,.0f} terms of {there.first:,.0f} at {there.start:,}", "off.first < 0.1",
                    printed=_along("terms", "as printed"), there=_along("terms", "measured"),
                    off=abs(_along("terms", "as printed") / _along("terms", "measured") - 1),
                    otherwise="paper: 2.5 takes the probability not to have a term for that to have it")),
        Claim("printed-2.20", "Lemma 3 gives the expected nodes of a trie.", "2.16 to 2.20",
              check("{printed.last:.3g} nodes, {there.last:,.0f} measured", "off.last < 0.5",
                    printed=_along("nodes of trie", "as printed"), there=_along("nodes of trie", "measured"),
                    off=abs(_along("nodes of trie", "as printed") / _along("nodes of trie", "measured") - 1),
                    otherwise="paper: 2.16 adds up probabilities of events that are not exclusive: it gives more than "
                    "1 for a single node")),
    ),
    needs=lambda scale: 2_000_000_000 if scale == "paper" else 100_000_000,
    notes="docs/models.md has every equation, as printed and corrected.",
)  # fmt: skip
