"""``watchword check``: every row of a file that is no subscription, and why.

Texts are read by their language a block at a time. Where a block is refused, each of its texts is read by itself: the
language names one bad row of several, and not always the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from watchword.cli import opening
from watchword.cli.reporting import SOME_UNREAD, fail, note, reports_errors, say, spinner
from watchword.cli.wording import in_flags
from watchword.errors import SubscriptionError
from watchword.visible import counted

if TYPE_CHECKING:
    from watchword.tables import Subscriptions

BLOCK = 1_000


@reports_errors
@opening.offers_language_options
def check(
    file: opening.FileArgument,
    language: opening.LanguageOption = None,
    id: opening.IdOption = None,
    subscription: opening.SubscriptionOption = None,
    dialect: opening.DialectOption = None,
    log_sources: opening.LogSourcesOption = None,
    mapping: opening.MappingOption = None,
    dialect_set: opening.DialectSetOption = None,
    given: opening.Given = opening.NOTHING,
) -> None:
    """List every row of a file that is no subscription, with its place, its id and what to do about it.

    Nothing is built and nothing is kept. It ends with status 0 if all rows can be used, 1 if some cannot, 2 if the
    file cannot be read. Give the options that the index will have: they decide which rows are bad.

    [bold]Examples[/bold]

      watchword check alerts.csv

      watchword check rules.csv --language predicates --schema schema.json

      watchword check rules.json --language predicates --dialect eventbridge

      watchword check rules/ --language predicates --dialect sigma
    """
    from watchword.index import language_class

    wanted = opening.IndexOptions(language, None, id, subscription, given, dialect, log_sources, mapping, dialect_set)
    if opening.is_snapshot(file, wanted):
        fail(f"{file}: a snapshot has no bad rows: they were refused when it was built")
    chosen, options = opening.index_options(wanted)
    faults: list[Fault] = []
    with spinner(f"checking {file}"):
        index = language_class(chosen)(**options)
        found = opening.read(file, wanted, refuse=lambda number, why: faults.append(Fault(number, why)))
        read = None if dialect is None else opening.translator(chosen, wanted)
        faults += [*_repeated_ids(found), *_refused_rows(found, index.check, read)]
    named = not found.table["id"].equals(found.numbers)
    for fault in sorted(faults, key=lambda fault: fault.number):
        say(fault.message(found, named))
    bad = {fault.number for fault in faults}
    total = len(bad | set(found.numbers.to_pylist()))
    note(f"{counted(total, 'subscription')}, {f'{len(bad):,}' if bad else 'none'} of them bad")
    if faults:
        raise typer.Exit(SOME_UNREAD)


@dataclass(frozen=True)
class Fault:
    """A row or line of a file that cannot be used, and why; `id` is None if it could not be read."""

    number: int
    reason: str
    id: str | int | None = None

    def message(self, found: Subscriptions, named: bool) -> str:
        """Return a line such as ``alerts.csv: row 3, id s7: this parenthesis is never closed``.

        `named`: ids differ from row numbers.
        """
        whose = f", id {self.id}" if named and self.id is not None else ""
        return f"{found.label}: {found.named(self.number)}{whose}: {self.reason}"


def _repeated_ids(found: Subscriptions) -> Iterator[Fault]:
    """Yield the rows whose id stands in an earlier row."""
    first: dict[str | int, int] = {}
    for id, number in zip(found.table["id"].to_pylist(), found.numbers.to_pylist(), strict=True):
        if first.setdefault(id, number) != number:
            yield Fault(number, f"the id is that of {found.unit} {first[id]}; ids must be unique", id)


def _refused_rows(
    found: Subscriptions, check: Callable[[str | list[str]], None], read: Callable[[str], str] | None
) -> Iterator[Fault]:
    """Yield the rows whose text is refused, by the language or by the translator of another system's rules."""
    texts, ids = found.table["subscription"].to_pylist(), found.table["id"].to_pylist()
    for start in range(0, len(texts), BLOCK):
        block = texts[start : start + BLOCK]
        if read is None and _passes(block, check):
            continue
        for row, text in enumerate(block, start):
            try:
                check(text if read is None else read(text))
            except SubscriptionError as error:
                yield Fault(found.numbers[row].as_py(), in_flags(str(error)), ids[row])


def _passes(texts: list[str], check: Callable[[str | list[str]], None]) -> bool:
    try:
        check(texts)
    except SubscriptionError:
        return False
    return True
