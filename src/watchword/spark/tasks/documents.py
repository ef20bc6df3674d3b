"""The worker's half of XML files that hold several documents: a row for each of them.

    path      content      title         path        content   title
    d/a.xml   <a/><b/>     a.xml     →   d/a.xml#1   <a/>      a.xml#1
                                         d/a.xml#2   <b/>      a.xml#2

A malformed document is a row, too, and matching names its fault.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from watchword.errors import EventError


def apart(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield a batch for each file, a row for each document; a file without any is one row as it is."""
    from watchword.paths.parsing.streams import documents_in

    for batch in batches:
        for path, content, title in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            try:
                documents = documents_in(content)
            except EventError:
                documents = [content]
            ends = [f"#{number}" for number in range(1, len(documents) + 1)]
            rows = [[path + end for end in ends], documents, [title + end for end in ends]]
            columns = [pa.array(row, field.type) for row, field in zip(rows, batch.schema, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, schema=batch.schema)
