"""A real S3 server (moto's) on the loopback address, in a process of its own."""

from __future__ import annotations

import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import fs

SERVER = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(*server.get_host_and_port(), flush=True)
sys.stdin.read()
server.stop()
"""


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Start the server, and return the query of URLs that lead to it; it ends with the tests, or with their process."""
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        host, port = process.stdout.readline().split()
        yield f"?endpoint_override={host}:{port}&scheme=http&region=us-east-1"
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def files(server: str) -> fs.FileSystem:
    """The store as a file system, with a bucket."""
    found, _ = fs.FileSystem.from_uri(f"s3://bucket{server}&allow_bucket_creation=true")
    found.create_dir("bucket")
    return found


@pytest.fixture
def url(server: str, files: fs.FileSystem) -> str:
    """Where an index can be built: a new prefix of the bucket."""
    return f"s3://bucket/{secrets.token_hex(4)}/index{server}"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for copies that this process makes."""
    monkeypatch.setenv("WATCHWORD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def key(url: str, name: str = "") -> str:
    """Return the path of an object in the store's file system."""
    return f"{url.removeprefix('s3://').partition('?')[0]}/{name}".rstrip("/")
