"""Which paths are of this machine, which of a store, and which of nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from watchword import Index, KeywordIndex
from watchword.cli import app
from watchword.errors import LocationError, SnapshotError, StoreError
from watchword.home import Home
from watchword.storage import is_remote, normal, place
from watchword.storage.objects import _by_fsspec


def test_paths_of_this_machine() -> None:
    assert normal("file:///data/index") == normal("file:/data/index") == normal("/data/index/") == "/data/index"
    assert normal("index") == str(Path.cwd() / "index")
    assert normal("index:7") == str(Path.cwd() / "index:7")  # no slash, no scheme
    assert not is_remote("C:/index") and not is_remote("file:///data")


def test_urls_have_one_spelling() -> None:
    assert normal("s3a://bucket/index/") == normal("S3://bucket/index") == "s3://bucket/index"
    assert normal("gcs://bucket/a b") == "gs://bucket/a%20b" and normal("s3://b/ä?region=x") == "s3://b/%C3%A4?region=x"
    assert normal("abfss://box@account.dfs.core.windows.net/i") == "abfss://box@account.dfs.core.windows.net/i"
    assert normal("hdfs:///index") == "hdfs:///index" and is_remote("hdfs://host:8020/index")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("dbfs:/alerts", "dbfs:/alerts: no index can lie at dbfs.*/dbfs/... or /Volumes/"),
        ("http://host/index", "one of s3://, gs://, abfss://, hdfs://"),
        ("wasbs://box@account/index", "abfss://"),
        (Path("s3://bucket/index"), "as a string: pathlib.Path takes a slash away"),
        ("s3:///index", "names no bucket: s3://BUCKET/FOLDER"),
        ("s3://me:hidden@bucket/index", "a secret does not belong into a URL"),
        ("abfss://box@account/index?client_secret=hidden", "a secret does not belong into a URL"),
    ],
)
def test_what_nobody_can_read_is_refused(path: str | Path, words: str, tmp_path: Path) -> None:
    with pytest.raises(LocationError, match=words):
        place(path)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://bucket/index?colour=red", "colour.*AWS_ACCESS_KEY_ID"),
        ("hdfs://nowhere.invalid:1/index", "libhdfs"),
    ],
)
def test_a_store_that_cannot_be_opened_says_what_it_needs(url: str, words: str) -> None:
    with pytest.raises(LocationError, match=words):
        place(url)


def test_a_store_that_pyarrow_was_built_without_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ValueError, match=r"without GCS; this pyarrow was built without it: install fsspec .*gcsfs"):
        _by_fsspec("gs://bucket/index", NotImplementedError("without GCS"))


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("s3://bucket/alerts", "watchword.spark.build"),
        ("dbfs:/alerts", "Databricks mounts it: /dbfs"),
        ("http://host/alerts", "a folder that every machine mounts"),
    ],
)
def test_snapshots_and_homes_are_folders(
    url: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no folder of that name is made."""
    monkeypatch.chdir(tmp_path)
    for use in (lambda: KeywordIndex({"a": "greece"}).save(url), lambda: Index.open(url)):
        with pytest.raises(SnapshotError, match=f"a folder of this machine, not a URL.*{remedy}"):
            use()
    for given in (url, Path(url)):
        with pytest.raises(StoreError, match="a folder of this machine, not a URL"):
            Home.make(given)
    assert not list(tmp_path.iterdir())


def test_a_file_url_is_a_folder(tmp_path: Path) -> None:
    KeywordIndex({"a": "greece"}).save(f"file://{tmp_path}/snapshot")
    assert Index.open(tmp_path / "snapshot").match("greece") == ["a"]
    Home.make(f"file://{tmp_path}/home")
    assert (tmp_path / "home" / "store.sqlite").exists()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("index build alerts.csv s3://bucket/index", "watchword.spark.build(index, URL)"),
        ("index info s3://bucket/index", "not a URL (s3:)"),
        ("match s3://bucket/index events.txt", "an index in an object store is matched by watchword.spark.match"),
        ("match dbfs:/index events.txt", "files and snapshots of this machine"),
        ("init --home s3://bucket/home", "indexes of watchword.spark can lie elsewhere"),
        ("run s3://bucket/incoming --home home", "--option path=s3://bucket/incoming"),
    ],
)
def test_the_command_line_says_what_it_reads(
    command: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "alerts.csv").write_text("id,subscription\na,greece\n")
    (tmp_path / "events.txt").write_text("greece\n")
    Home.make(tmp_path / "home")
    before = sorted(entry.name for entry in tmp_path.iterdir())
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == 2 and words in " ".join(result.output.split())
    assert sorted(entry.name for entry in tmp_path.iterdir()) == before
