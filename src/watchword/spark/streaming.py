"""A stream that takes up new versions, and a replayed batch that does not.

Spark may run a micro-batch again after a failure, with the same number. So which version a batch uses is decided
once and written down before the batch runs; asked again, the log answers what it answered before.

Layout: ``FOLDER/<batch>-<hash of the index's path>.json``, each written whole and synced. Keep the folder inside the
query's checkpoint folder: the numbers of batches mean something there only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watchword import shards as versions
from watchword.errors import PipelineError, SnapshotError
from watchword.files import write_json
from watchword.spark.matching import match

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

Sink = Callable[["DataFrame", int], None]
_NAME = re.compile(r"(\d+)-[0-9a-f]{12}\.json")


class VersionLog:
    """Which version each micro-batch used. One query writes it; the newest `keep` batches are remembered."""

    def __init__(self, folder: str | os.PathLike[str], *, keep: int = 100) -> None:
        self.folder = versions.local_path(folder)
        self.keep = max(keep, 2)

    def version_for(self, batch_id: int, path: str | os.PathLike[str]) -> int:
        """Return the version of the index at `path` for a batch: the one recorded, or else the newest, now recorded.

        Recorded means on the disk: whatever happens after this returns, the batch will use this version.
        """
        index = versions.local_path(path)
        file = self._file(batch_id, index)
        recorded = _recorded(file)
        if recorded is not None:
            return recorded
        version = versions.resolve(index).version
        write_json(file, {"batch": batch_id, "path": index, "version": version})
        self._forget(batch_id - self.keep)
        return version

    def recorded(self, batch_id: int, path: str | os.PathLike[str]) -> int | None:
        """Return the version that a batch used; None if it has not run, or was forgotten."""
        return _recorded(self._file(batch_id, versions.local_path(path)))

    def forget(self, batch_id: int, path: str | os.PathLike[str]) -> None:
        """Forget what a batch used, so that it will use the newest version."""
        self._file(batch_id, versions.local_path(path)).unlink(missing_ok=True)

    def _file(self, batch_id: int, index: str) -> Path:
        name = hashlib.sha256(index.encode()).hexdigest()[:12]
        return Path(self.folder) / f"{batch_id}-{name}.json"

    def _forget(self, last: int) -> None:
        with suppress(OSError):
            for entry in Path(self.folder).iterdir():
                name = _NAME.fullmatch(entry.name)
                if name and int(name[1]) <= last:
                    entry.unlink(missing_ok=True)


def _recorded(file: Path) -> int | None:
    try:
        return int(json.loads(file.read_bytes())["version"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise SnapshotError(
            "altered, this is no record of a batch's version: restore it from a copy", path=file
        ) from None


def match_stream(
    events: DataFrame, path: str | os.PathLike[str], sink: Sink, *, log: VersionLog, **options: Any
) -> DataStreamWriter:
    """Match a stream, each micro-batch with the newest version when it first ran.

    `sink` is called with the pairs (as `match` returns them; `options` are its) and the batch's number, once per
    batch, or again after a failure: then with the same pairs, so that a write keyed by the number is exactly once.
    `log` belongs into the checkpoint folder. Returns a writer, to be given a checkpoint, a trigger and a start::

        writer = match_stream(items, "index/", sink, log=VersionLog("checkpoint/versions"), column="text")
        query = writer.option("checkpointLocation", "checkpoint").start()
    """
    if not events.isStreaming:
        raise PipelineError("match_stream takes a streaming DataFrame; for a batch, use match")
    if "version" in options:
        raise PipelineError("match_stream chooses the version of each batch; to keep to one, use match(version=...)")
    match(events, path, **options)  # says what is wrong with columns and options before the stream starts

    def each(batch: DataFrame, batch_id: int) -> None:
        sink(match(batch, path, version=log.version_for(batch_id, path), **options), batch_id)

    return events.writeStream.foreachBatch(each)
