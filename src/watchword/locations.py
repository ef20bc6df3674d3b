"""Where something lies: a path of this machine, or a URL of a store that `watchword.storage` can read.

    /data/index, index, C:\\index, file:///data/index      of this machine
    s3://bucket/index, gs://, abfss://, hdfs://            elsewhere
    dbfs:/index, http://host/index                         refused: these would become folders named `dbfs:` or `http:`

A name and a colon are taken for a scheme where a slash follows; ``index:7`` is a folder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

REMOTE = ("s3", "gs", "abfss", "hdfs")
_ALIASES = {"s3a": "s3", "gcs": "gs", "abfs": "abfs", **{name: name for name in REMOTE}}
_SCHEME = re.compile(r"([A-Za-z][\w+.-]+):/")
_SECRET = re.compile(r"secret|password|token|key", re.IGNORECASE)
_REMEDIES = {
    "dbfs": "give the path under which Databricks mounts it: /dbfs/... or /Volumes/...",
    "wasb": "give it as abfss://",
    "wasbs": "give it as abfss://",
    "s3n": "give it as s3://",
}


def scheme_of(path: str | os.PathLike[str]) -> str | None:
    """Return the scheme of a URL, in lower case; None for a path of this machine.

    >>> scheme_of("s3://bucket/index"), scheme_of("index"), scheme_of("index:7"), scheme_of("file:///data")
    ('s3', None, None, None)
    """
    found = _SCHEME.match(os.fspath(path))
    scheme = found[1].lower() if found else None
    return None if scheme == "file" else scheme


def local_path(path: str | os.PathLike[str]) -> Path:
    """Return a path of this machine, made absolute; a `ValueError` says why it is none.

    >>> str(local_path("file:///data/index"))
    '/data/index'
    """
    text = os.fspath(path)
    scheme = scheme_of(text)
    if scheme is not None:
        raise ValueError(f"this must be a folder of this machine, not a URL ({scheme}:)")
    if text.lower().startswith("file:/"):
        text = "/" + text[len("file:") :].lstrip("/")
    return Path(text).absolute()


def normal(path: str | os.PathLike[str]) -> str:
    """Return the one spelling of a path or URL; a `ValueError` says why it is wrong and how to write it.

    >>> normal("s3a://bucket/alerts/"), normal("s3://bucket/my index?region=eu-west-1")
    ('s3://bucket/alerts', 's3://bucket/my%20index?region=eu-west-1')
    >>> normal("dbfs:/alerts")
    Traceback (most recent call last):
    ...
    ValueError: no index can lie at dbfs: ...; give the path under which Databricks mounts it: /dbfs/... or /Volumes/...
    """
    text = os.fspath(path)
    scheme = scheme_of(text)
    if scheme is None:
        return str(local_path(text))
    if scheme not in _ALIASES:
        known = ", ".join(f"{name}://" for name in REMOTE)
        remedy = _REMEDIES.get(scheme, f"give a folder that every machine mounts, or one of {known}")
        raise ValueError(f"no index can lie at {scheme}: ...; {remedy}")
    parts = urlsplit(text)
    if not text[len(scheme) :].startswith("://"):
        raise ValueError(f"give it as {scheme}://..., and as a string: pathlib.Path takes a slash away")
    if not parts.netloc and scheme != "hdfs":
        raise ValueError(f"it names no bucket: {scheme}://BUCKET/FOLDER")
    _check_no_secrets(parts.netloc, parts.query)
    query = f"?{parts.query}" if parts.query else ""
    return f"{_ALIASES[scheme]}://{parts.netloc}{quote(parts.path.rstrip('/'), safe='/%')}{query}"


def _check_no_secrets(netloc: str, query: str) -> None:
    """Refuse a URL with a secret in it: it is sent to tasks, written to logs and shown in errors."""
    if ":" in netloc.rpartition("@")[0] or any(_SECRET.search(name) for name, _ in parse_qsl(query)):
        raise ValueError(
            "a secret does not belong into a URL, which logs and errors show: leave it to the environment of driver "
            "and workers (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, for example) or to the machines' roles"
        )
