"""``watchword estimate``: what keyword methods would take, before there is an index."""

from __future__ import annotations

from typing import Annotated

import typer

from watchword.cli.reporting import fail, note, reports_errors, size_of, spinner


@reports_errors
def estimate(
    subscriptions: Annotated[int, typer.Argument(min=1, metavar="SUBSCRIPTIONS", help="How many there will be.")],
    vocabulary: Annotated[
        int, typer.Option(min=2, max=2_000_000, help="How many different terms subscriptions and items draw from.")
    ] = 100_000,
    terms: Annotated[float, typer.Option(min=1, max=20, help="Terms of a subscription, on average.")] = 2.6,
    item_terms: Annotated[float, typer.Option(min=1, max=200, help="Different terms of an item, on average.")] = 20,
    exponent: Annotated[
        float,
        typer.Option(min=0, max=2, help="How unequal terms are: the r-th occurs as r ** -exponent; 0 is all alike."),
    ] = 0.9,
) -> None:
    """Say what each keyword method would take in memory, and how much an item would cost.

    Lengths spread around their averages. Bytes are without the terms, ids and texts, which every method keeps alike.
    Times are of one core: the lower where caches hold what an item touches, the higher where it lies in memory. They
    are for items that are terms already; cutting a text into terms comes on top.

    [bold]Example[/bold]

      watchword estimate 10000000 --vocabulary 800000 --terms 2.6 --item-terms 17 --exponent 0.8
    """
    from watchword.cli.printing import print_table
    from watchword.papers.models.estimate import Workload, around, estimates, zipf

    lengths, item_lengths = around(terms), around(item_terms)
    longest = max(len(lengths), len(item_lengths)) - 1
    if longest > vocabulary // 2:
        fail(f"sets of up to {longest} different terms need a --vocabulary of {2 * longest} or more, not {vocabulary}")
    with spinner("estimating"):
        rows = estimates(Workload(subscriptions, zipf(vocabulary, exponent), lengths, item_lengths))
    header = ("method", "memory", "an item", "operation", "time of an item")
    shown = [
        (row.method, size_of(row.bytes), f"{row.operations:,.0f}", row.operation, _range(row.fastest, row.slowest))
        for row in rows
    ]
    print_table(header, shown, numbers=("memory", "an item", "time of an item"))
    note(f"an item matches {rows[0].matches:,.0f} subscriptions on average")


def _range(fastest: float, slowest: float) -> str:
    """Return a time between two, given in microseconds.

    >>> _range(1.14, 5.2), _range(300.0, 1800.0)
    ('1.1 to 5.2 µs', '0.3 to 1.8 ms')
    """
    unit, scale = ("µs", 1) if slowest < 1000 else ("ms", 1000)
    return f"{fastest / scale:.2g} to {slowest / scale:.2g} {unit}"
