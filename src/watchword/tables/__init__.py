"""Files of subscriptions, events and matches: what the command line reads and writes.

A file's name decides its kind: CSV, TSV, JSON lines, Parquet; any other file is plain lines of text, or an XML
document if events are documents. The caller may name the kind of events, also for standard input.
``.gz`` after a text format's name means compressed. Events are read in batches and matches are written as
they come, so that neither has to fit into memory; subscriptions are read whole.

Rules that hold for every kind:

- Text is UTF-8. A byte order mark is ignored. Line ends are ``\\n`` or ``\\r\\n``.
- Blank lines hold nothing, but count: line numbers are those of an editor.
- CSV has commas, semicolons or tabs between its values, as its first rows tell (`delimited`).
- Ids keep their value. In Parquet and JSON lines they are typed already. A CSV column of subscription ids is
  integer if every value is a plain one (no leading zeros or plus sign), else all of it is text: ``007`` stays
  ``007``. Event ids of a CSV file are text, since the column is never seen whole.
- Where an event is an object, it is a whole row: a line of JSON, a row of Parquet with a column for each attribute, or
  of CSV, whose columns are numbers or booleans where Arrow's reader finds nothing else in the first 8 MB (``007`` is 7
  there), and texts otherwise; the event id's column is text. An empty cell is a missing value.
- Where an event is a document, a file that is no table is one, and its name is the event's id; standard input, or a
  file read as a stream, has concatenated documents, numbered from 1.
- Without an id column, the number of the line or row, from 1, stands in; a header is not counted as a row.
"""

from watchword.tables.documents import Documents, DocumentStream, holds_documents
from watchword.tables.events import Batch, Events
from watchword.tables.sources import Refuse, TableError
from watchword.tables.subscriptions import (
    Subscriptions,
    read_json,
    read_subscriptions,
    read_words,
    subscriptions_of_files,
)
from watchword.tables.topics import read_topics

Source = Events | Documents | DocumentStream
"""Where events come from."""

__all__ = [
    "Batch",
    "DocumentStream",
    "Documents",
    "Events",
    "Refuse",
    "Source",
    "Subscriptions",
    "TableError",
    "holds_documents",
    "read_json",
    "read_subscriptions",
    "read_topics",
    "read_words",
    "subscriptions_of_files",
]
