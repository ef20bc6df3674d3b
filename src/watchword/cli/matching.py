"""``watchword match``: files of events against subscriptions, streamed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from watchword.cli import opening
from watchword.cli.reporting import SOME_UNREAD, end_in_order, fail, note, reports_errors
from watchword.visible import counted

if TYPE_CHECKING:
    from watchword.cli.pairs import Wanted
    from watchword.index import Index
    from watchword.tables import Source
    from watchword.tables.results import Results

    Opener = Callable[[], Source]

STDIN = "-"


class Format(StrEnum):
    """How matches are written."""

    table = "table"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


class InputFormat(StrEnum):
    """What files of events, or standard input, hold."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    lines = "lines"


@reports_errors
@opening.offers_language_options
def match(
    subscriptions: opening.SubscriptionsArgument,
    events: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EVENTS",
            help=f"Files: {opening.KINDS}, or with paths one XML document; or - for standard input: lines, with paths "
            "concatenated documents.",
        ),
    ] = None,
    from_file: Annotated[
        str | None,
        typer.Option(
            "--subscriptions", metavar="FILE", help="File or snapshot of subscriptions; all arguments are then EVENTS."
        ),
    ] = None,
    language: opening.LanguageOption = None,
    method: opening.MethodOption = None,
    id: opening.IdOption = None,
    subscription: opening.SubscriptionOption = None,
    dialect: opening.DialectOption = None,
    log_sources: opening.LogSourcesOption = None,
    mapping: opening.MappingOption = None,
    dialect_set: opening.DialectSetOption = None,
    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the events; with keywords and patterns several: --text title --text body. No phrase and no "
            "pattern spans two of them. With predicates, several (title,body) are the attributes that MATCHES without "
            "an attribute reads; for a single one write a comma behind it.",
            show_default="text, title or body; the only text column; for objects, the whole row",
        ),
    ] = None,
    event_id: Annotated[
        str | None, typer.Option(help="Column of the events' ids.", show_default="line or row, from 1")
    ] = None,
    input_format: Annotated[
        InputFormat | None,
        typer.Option(help="The format of EVENTS, also of standard input.", show_default="by file name, else lines"),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option(help="How to write matches.", show_default="by --output's name, else table"),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="File to write; it appears when it is complete.", show_default="standard output"
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(min=1, max=1000, help="How many rows a table shows; other formats write all.")
    ] = 50,
    given: opening.Given = opening.NOTHING,
    batch: Annotated[int, typer.Option(min=1, help="How many events to match at a time.")] = 10_000,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also give the reason, in a column [bold]why[/bold].")
    ] = False,
    occurrences: Annotated[
        bool,
        typer.Option(
            "--occurrences",
            help="Say where, one row per place: the [bold]element[/bold] that a path ends at, counted from 1 as they "
            "open; [bold]start[/bold] and [bold]end[/bold] of words, patterns and texts that a rule asks for, with the "
            "[bold]attribute[/bold] where there are several.",
        ),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="At most this many occurrences of a subscription in an event; patterns have one.",
            show_default="all of a path, else 1000",
        ),
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="With paths: each file holds concatenated XML documents.")
    ] = False,
    on_error: Annotated[
        opening.OnError | None,
        typer.Option(
            help="What to do about an event that cannot be read, or a rule of --dialect that cannot be said: stop, or "
            "report it, go on and end with status 1.",
            show_default="skip for XML documents, else stop",
        ),
    ] = None,
) -> None:
    """Find the subscriptions that each event satisfies, one row per pair.

    Events are read, matched and written in batches: the file may be larger than memory, and may never end.
    Events whose text is null are left out and counted.

    For [bold]predicates[/bold] an event is an object: a line of JSON, or a whole row, with a column for each attribute;
    for [bold]properties[/bold] also a bit string, or a list of names in the column that --text names. For
    [bold]paths[/bold] it is an XML document: a file, whose name is its id; one of a stream, numbered from 1; or a text
    in a column.

    [bold]Examples[/bold]

      watchword match subscriptions.txt news.csv --text title

      watchword match alerts.csv items.jsonl.gz --event-id guid --output matches.parquet

      tail -f feed.log | watchword match snapshot/ - --format jsonl

      zcat news.csv.gz | watchword match alerts.csv - --input-format csv --text title

      watchword match alerts.csv items.jsonl --text title --text body --explain --rows 10

      watchword match patterns.txt items.jsonl --language patterns --ignore-case

      watchword match rules.csv trades.parquet --language predicates

      watchword match rules.csv items.jsonl --language predicates --text-attributes title,body --explain

      watchword match patterns.txt events.jsonl --language predicates --dialect eventbridge

      watchword match rules/ events.jsonl --language predicates --dialect sigma --on-error skip

      watchword match dump.ndjson events.jsonl --language predicates --dialect elasticsearch --mapping mapping.json

      watchword match rules.csv bits.txt --language properties --properties names.txt

      watchword match --language paths --subscriptions paths.txt docs/*.xml

      cat docs/*.xml | watchword match paths.txt - --language paths --occurrences --limit 3
    """
    if from_file is not None:
        events, subscriptions = [subscriptions, *(events or [])], from_file
    if not events:
        fail("give EVENTS: files, or - for standard input")
    options = opening.IndexOptions(
        language, method, id, subscription, given, dialect, log_sources, mapping, dialect_set
    )
    options.skips = on_error is opening.OnError.skip
    _check_output(output, subscriptions, *events)
    chosen = _format(format, output)
    wanted = _wanted(batch, explain, occurrences, limit, on_error, len(text or ()) > 1)
    columns = Columns(tuple(text or ()), event_id, None if input_format is None else input_format.value)
    sources = _sources(events, opening.language_of(subscriptions, options), columns, wanted, stream)
    with sources[0]() as first:  # a file that cannot be read is reported before the index is built
        index = opening.open_index(subscriptions, options)
        # A bar and matches on the same terminal would write over each other; a table waits for the end.
        shown = chosen is Format.table or output is not None or not sys.stdout.isatty()
        with end_in_order(), _results(chosen, output, rows) as results:
            summary, unread = _write(index, [lambda: first, *sources[1:]], wanted, results, shown)
    note(summary)  # after all output: if the reader of it has gone, nothing is said
    if unread or options.refused:
        raise typer.Exit(SOME_UNREAD)


def _write(index: Index, sources: list[Opener], wanted: Wanted, results: Results, shown: bool) -> tuple[str, int]:
    """Write the pairs of all sources; return a summary and the number of events that could not be read."""
    from watchword.cli.pairs import Pairs
    from watchword.tables import Events

    started = time.perf_counter()
    pairs = Pairs(index, wanted, named=len(sources) > 1)
    written, without_text = False, 0
    guessed = ""
    for opened in sources:
        with opened() as source:
            if isinstance(source, Events):
                source.attributes = index.attributes
                if source.guessed is not None and index.reads.several_texts:
                    guessed = f"; only the column {source.guessed!r} was read: --text names it, or several"
            for table in pairs.of(source, shown=shown):
                results.write(table)
                written = True
            if not written:
                results.write(pairs.empty(source))
            written, without_text = True, without_text + source.without_text
    seconds = time.perf_counter() - started
    left_out = f" ({without_text:,} more had no text)" if without_text else ""
    unread = f", {pairs.unread:,} of them could not be read" if pairs.unread else ""
    figures = f"{counted(pairs.events, 'event')}{left_out}{unread}, {counted(pairs.pairs, 'pair')}"
    return f"{figures}, {seconds:.2f} s{guessed}", pairs.unread


def _wanted(
    batch: int, explain: bool, occurrences: bool, limit: int | None, on_error: opening.OnError | None, several: bool
) -> Wanted:
    from watchword.cli.pairs import Wanted

    if limit is not None and not occurrences:
        fail("--limit: it says how many occurrences there may be: give --occurrences too")
    skip = None if on_error is None else on_error is opening.OnError.skip
    return Wanted(batch, explain, occurrences, limit, skip, several)


@dataclass(frozen=True)
class Columns:
    """Options for files with rows: the columns of the events and of their ids, and the format of the files."""

    text: tuple[str, ...]
    event_id: str | None
    kind: str | None


def _sources(paths: list[str], language: str, columns: Columns, wanted: Wanted, stream: bool) -> list[Opener]:
    """Return a function for each source of events that opens it."""
    from watchword.index import language_class
    from watchword.tables import Documents, DocumentStream, holds_documents

    reads = language_class(language).reads
    if len(columns.text) > 1 and not reads.several_texts:
        fail(f"--text: an event of {language} is what one column has: give one")
    if not reads.documents:
        if stream:
            fail(f"--stream: events of {language} are no documents: leave it out")
        return _rows(paths, columns, wanted, reads.objects)
    if stream and columns.kind is not None:
        fail("--input-format: a stream has documents, not rows: leave it or --stream out")
    tables = [path for path in paths if not stream and not holds_documents(path, columns.kind)]
    if tables and len(tables) < len(paths):
        fail(f"{tables[0]}: it has rows, and other files are documents: match it by itself")
    if tables:
        return _rows(tables, columns, wanted, None)
    if columns.text or columns.event_id:
        fail("--text and --event-id: documents have no columns: leave them out")
    if stream or paths == [STDIN]:
        if wanted.explain:
            fail("--explain: documents of a stream are gone when they have been read: give each as a file")
        return [partial(DocumentStream, path) for path in paths]
    if STDIN in paths:
        fail("-: standard input has concatenated documents: give it alone, or --stream")
    return [partial(Documents, paths, wanted.batch)]


def _rows(
    paths: list[str], columns: Columns, wanted: Wanted, objects: Literal["columns", "json"] | None
) -> list[Opener]:
    """Return a function for each file with rows that opens it."""
    from watchword.tables import Events

    given: dict[str, Any] = {"text": columns.text or None, "event_id": columns.event_id, "kind": columns.kind}
    given["skip"] = bool(wanted.skip)
    return [partial(Events, path, **given, size=wanted.batch, objects=objects) for path in paths]


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
