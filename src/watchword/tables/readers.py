"""One reader per kind of file: opened, it knows its columns; asked for some, it yields them in chunks."""

from __future__ import annotations

from collections.abc import Sequence

from watchword.tables.delimited import CsvReader
from watchword.tables.lines import JsonReader, LineReader
from watchword.tables.parquet import ParquetReader
from watchword.tables.sources import Refuse, TableError, column_list, kind_of

Reader = LineReader | JsonReader | CsvReader | ParquetReader


def open_reader(path: str, kind: str | None = None, refuse: Refuse | None = None, objects: bool = False) -> Reader:
    """Return the reader for `path`, of the `kind` that is given or that its name says; ``-`` is standard input.

    With `refuse`, rows of text that cannot be read are told to it and left out; otherwise they are errors. With
    `objects`, an object in JSON lines is a text, as it is written.
    """
    match kind or kind_of(path):
        case "csv":
            return CsvReader(path, refuse=refuse)
        case "tsv":
            return CsvReader(path, "\t", refuse)
        case "jsonl":
            return JsonReader(path, refuse, objects)
        case "parquet":
            return ParquetReader(path)
        case _:
            return LineReader(path)


def choose_column(
    reader: Reader,
    what: str,
    option: str,
    given: str | None,
    guesses: Sequence[str],
    taken: str | None = None,
    only_guesses: bool = False,
) -> str:
    """Return the column named by `given`, or the first of `guesses` there is, or the only one of text.

    `what` and `option` are for the message; the column `taken` is another one's already. With `only_guesses`
    the only column of text will not do.
    """
    columns = reader.columns
    if columns is None:
        raise TableError(f"plain lines have no columns: leave out {option}", path=reader.label)
    if given is not None:
        if given not in columns:
            raise TableError(f"no column {given!r}; there are {column_list(columns)}", path=reader.label)
        return given
    free = {name: text for name, text in columns.items() if name != taken}
    texts = [name for name, text in free.items() if text]
    found = [name for name in guesses if name in free] or (texts if len(texts) == 1 and not only_guesses else [])
    if not found:
        raise TableError(
            f"which column holds the {what}? Name one with {option}; there are {column_list(columns)}",
            path=reader.label,
        )
    return found[0]
