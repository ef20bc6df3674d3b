"""A prefix of an object store, through pyarrow's file systems: S3, Google Cloud Storage, Azure, HDFS.

Such a store promises that an object appears whole when its writer closes it, and that every later listing or read
sees it (S3 since 2020, the others always). It has no rename and no lock; `writers` replaces the lock. HDFS and Azure
may show a replaced file before all of it is written, so `shards.current` reads `current.json` twice before it
reports damage.

If pyarrow was built without a store, fsspec's implementation is used, if it is installed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs

from watchword import locations
from watchword.errors import LocationError
from watchword.storage import writers

_NEEDS = {
    "s3": "credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws or the machine's role; for another "
    "server AWS_ENDPOINT_URL",
    "gs": "Google's application default credentials",
    "abfs": "credentials that Azure's default chain finds (AZURE_CLIENT_ID and so on, or the machine's identity)",
    "abfss": "credentials that Azure's default chain finds (AZURE_CLIENT_ID and so on, or the machine's identity)",
    "hdfs": "Hadoop's libhdfs, found by JAVA_HOME, HADOOP_HOME and CLASSPATH (hadoop classpath --glob)",
}


_ONE_REQUEST = "allow_delayed_open"
"""With this option, pyarrow writes a small object of S3 by one request instead of three."""


class ObjectPlace:
    """A prefix of an object store."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._files, self._root = _connect(path)

    def names(self, folder: str = "") -> list[str]:
        return [info.base_name for info in self._list(folder)]

    def ages(self, folder: str) -> dict[str, datetime | None]:
        """Return each file's time of writing by the store's clock; None for a store without one."""
        return {info.base_name: info.mtime for info in self._list(folder) if info.type == fs.FileType.File}

    def read(self, name: str) -> bytes:
        with self._files.open_input_stream(self._at(name)) as stream:
            return bytes(stream.read())

    def write(self, name: str, content: bytes) -> None:
        with self._files.open_output_stream(self._at(name)) as stream:
            stream.write(content)

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._files.delete_file(self._at(name))

    def remove_tree(self, folder: str) -> None:
        with suppress(OSError):
            self._files.delete_dir(self._at(folder))

    def store(self, source: Path, folder: str) -> None:
        """Copy a local folder with its content to a new folder of the store."""
        fs.copy_files(
            str(source), self._at(folder), source_filesystem=fs.LocalFileSystem(), destination_filesystem=self._files
        )

    def fetch(self, folder: str, target: Path) -> None:
        """Copy a folder of the store with its content to a local folder."""
        if not self.names(folder):
            raise FileNotFoundError(f"there is nothing at {self.label(folder)}")
        fs.copy_files(
            self._at(folder), str(target), source_filesystem=self._files, destination_filesystem=fs.LocalFileSystem()
        )

    @contextmanager
    def writing(self) -> Iterator[Callable[[], None]]:
        """Lock the place by a marker; raises `PipelineError` if another writer is at work (`writers`)."""
        with writers.lock(self) as confirm:
            yield confirm

    def label(self, name: str = "") -> str:
        plain = self.path.partition("?")[0]
        return f"{plain}/{name}" if name else plain

    def _list(self, folder: str) -> list[Any]:
        found: list[Any] = self._files.get_file_info(fs.FileSelector(self._at(folder), allow_not_found=True))
        return found

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root


@functools.cache
def _connect(url: str) -> tuple[Any, str]:
    """Return the file system of a URL and the path in it; one per process, shared by its tasks."""
    scheme = locations.scheme_of(url) or ""
    try:
        files, root = _by_pyarrow(url)
    except (ImportError, OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors, too
        needs = f"; {scheme}:// needs {_NEEDS[scheme]}" if scheme in _NEEDS else ""
        raise LocationError(f"cannot be opened ({str(error).splitlines()[0]}){needs}", path=url) from error
    return files, root.rstrip("/")


def _by_pyarrow(url: str) -> tuple[Any, str]:
    try:
        if url.startswith("s3:") and _ONE_REQUEST not in url:
            with suppress(pa.ArrowInvalid):  # an older pyarrow does not know it
                files, root = fs.FileSystem.from_uri(f"{url}{'&' if '?' in url else '?'}{_ONE_REQUEST}=true")
                return files, root
        files, root = fs.FileSystem.from_uri(url)
    except pa.ArrowNotImplementedError as error:
        return _by_fsspec(url, error)
    return files, root


def _by_fsspec(url: str, error: Exception) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        remedy = "this pyarrow was built without it: install fsspec with its package (gcsfs, adlfs, s3fs)"
        raise ValueError(f"{error}; {remedy}") from None
    files, root = fsspec.core.url_to_fs(url)
    return fs.PyFileSystem(fs.FSSpecHandler(files)), root
