"""``watchword match``: a file of events against subscriptions, streamed."""

from __future__ import annotations

import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from watchword.cli import opening
from watchword.cli.reporting import fail, note, reported, tracked
from watchword.errors import EventError

if TYPE_CHECKING:
    import pyarrow as pa

    from watchword.index import Index
    from watchword.tables import Batch, Events
    from watchword.tables.results import Results

FIRST_SIZE = 64
"""How many events are matched first; then as many as should give a bounded number of pairs (`next_size`)."""


class Format(StrEnum):
    """How matches are written."""

    table = "table"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


@reported
@opening.offers_language_options
def match(
    subscriptions: opening.SubscriptionsArgument,
    events: Annotated[
        str,
        typer.Argument(metavar="EVENTS", help=f"A file: {opening.KINDS}; or - for standard input, by lines."),
    ],
    language: opening.LanguageOption = None,
    method: opening.MethodOption = None,
    id: opening.IdOption = None,
    subscription: opening.SubscriptionOption = None,
    dialect: opening.DialectOption = None,
    text: Annotated[
        str | None,
        typer.Option(
            help="Column of the events.",
            show_default="text, title, body, the only one of text; of objects, the row",
        ),
    ] = None,
    event_id: Annotated[
        str | None, typer.Option(help="Column of the events' ids.", show_default="line or row, from 1")
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option(help="How to write matches.", show_default="by --output's name, else table"),
    ] = None,
    output: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where to write.", show_default="standard output")
    ] = None,
    rows: Annotated[
        int, typer.Option(min=1, max=1000, help="How many rows a table shows; other formats write all.")
    ] = 50,
    given: opening.Given = opening.NOTHING,
    batch: Annotated[int, typer.Option(min=1, help="How many events to match at a time.")] = 10_000,
    explain: Annotated[bool, typer.Option("--explain", help="Also say why, in a column [bold]why[/bold].")] = False,
) -> None:
    """Find the subscriptions that each event satisfies, one row per pair.

    Events are read, matched and written in batches: the file may be larger than memory, and may never end.
    Events whose text is null are left out and counted.

    For [bold]predicates[/bold] an event is an object: a line of JSON, or a whole row, with a column for each attribute;
    for [bold]properties[/bold] also a bit string, or a list of names in the column that --text names.

    [bold]Examples[/bold]

      watchword match subscriptions.txt news.csv --text title

      watchword match alerts.csv items.jsonl.gz --event-id guid --output matches.parquet

      tail -f feed.log | watchword match snapshot/ - --format jsonl

      watchword match alerts.csv items.jsonl --explain --rows 10

      watchword match patterns.txt items.jsonl --language patterns --ignore-case

      watchword match rules.csv trades.parquet --language predicates

      watchword match patterns.txt events.jsonl --language predicates --dialect eventbridge

      watchword match rules.csv bits.txt --language properties --properties names.txt
    """
    from watchword.index import language_class, next_size
    from watchword.tables import Events

    options = opening.IndexOptions(language, method, id, subscription, given, dialect)
    _check_output(output, subscriptions, events)
    chosen = _format(format, output)
    objects = language_class(opening.language_of(subscriptions, options)).plug.objects
    with Events(events, text=text, event_id=event_id, size=batch, objects=objects) as source:
        index = opening.open_index(subscriptions, options)
        source.attributes = index.attributes
        started = time.perf_counter()
        # A bar and matches on the same terminal would write over each other; a table waits for the end.
        bar = chosen is Format.table or output is not None or not sys.stdout.isatty()
        batches, total, pairs = 0, 0, 0
        with _results(chosen, output, rows) as results:
            size = FIRST_SIZE
            for some in tracked(source, bar):
                start, batches, total = 0, batches + 1, total + len(some.events)
                while start == 0 or start < len(some.events):
                    part = some.part(start, size)
                    found = _match(index, source, part, explain)
                    results.write(found)
                    start, pairs = start + size, pairs + len(found)
                    expected = len(found) * size // max(len(part.events), 1)  # the last of a batch may be a short one
                    size = next_size(size, expected, batch)
            if not batches:
                results.write(_empty(index, source, explain))
    seconds = time.perf_counter() - started
    left_out = f" ({source.without_text:,} more had no text)" if source.without_text else ""
    note(f"{total:,} events{left_out}, {pairs:,} pairs, {seconds:.2f} s")


def _check_output(output: str | None, *inputs: str) -> None:
    if output is None or not Path(output).exists():
        return
    for path in inputs:
        if Path(path).exists() and Path(path).samefile(output):
            fail(f"{output}: --output would overwrite an input: choose another file")


def _format(format: Format | None, output: str | None) -> Format:
    from watchword.tables.results import format_of

    if format is Format.parquet and output is None:
        fail("Parquet cannot be printed: give --output FILE")
    if format is Format.table and output is not None:
        fail(f"{output}: a table is for reading: give --format jsonl, csv or parquet, or leave out --output")
    if format is not None:
        return format
    return Format.table if output is None else Format(format_of(output))


def _results(format: Format, output: str | None, rows: int) -> Results:
    from watchword.cli.printing import TableResults
    from watchword.tables.results import open_results

    return TableResults(rows) if format is Format.table else open_results(format.value, output)


def _match(index: Index, source: Events, batch: Batch, explain: bool) -> pa.Table:
    """Return the pairs of one batch, under the events' own ids."""
    import pyarrow as pa

    from watchword.tables import TableError

    try:
        pairs = index.match_many(batch.events)
    except EventError as error:
        place = source.place(batch.numbers[error.position])
        raise TableError(error.reason, path=source.label, place=place) from None
    positions, ids = pairs["event"], pairs["subscription"]
    columns = {"event": pa.chunked_array([batch.ids]).take(positions), "subscription": ids}
    if explain:
        events = batch.events.take(positions.combine_chunks()).to_pylist(maps_as_pydicts="strict")
        pieces = zip(events, ids.to_pylist(), strict=True)
        columns["why"] = pa.chunked_array([[str(index.explain(event, id)) for event, id in pieces]], pa.string())
    return pa.table(columns)


def _empty(index: Index, source: Events, explain: bool) -> pa.Table:
    """Return a table of no pairs, so that an answer without matches has its columns all the same."""
    import pyarrow as pa

    ids = pa.string() if index.id_type is str else pa.int64()
    fields = {"event": source.id_type, "subscription": ids} | ({"why": pa.string()} if explain else {})
    return pa.schema(fields).empty_table()
