"""``--output`` is whole or not there: however a command ends, no half file is left."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from watchword.cli import app
from watchword.tables.results import open_results


@pytest.fixture
def alerts(tmp_path: Path) -> Path:
    (tmp_path / "alerts.txt").write_text("tea\n")
    return tmp_path / "alerts.txt"


def others(folder: Path) -> set[str]:
    """Return what is in a folder besides the input."""
    return {file.name for file in folder.iterdir()} - {"alerts.txt", "events.jsonl"}


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.csv.gz", "out.parquet"])
def test_an_error_on_the_way_leaves_what_was_there(alerts: Path, name: str) -> None:
    events, output = alerts.with_name("events.jsonl"), alerts.with_name(name)
    events.write_text('{"text": "tea"}\n' * 300 + "no JSON\n")
    words = ["match", str(alerts), str(events), "--output", str(output), "--batch", "50"]
    assert CliRunner().invoke(app, words).exit_code == 2
    assert others(alerts.parent) == set()
    output.write_text("before")
    assert CliRunner().invoke(app, words).exit_code == 2
    assert output.read_text() == "before" and others(alerts.parent) == {name}


WRITER = """
import sys, time, pyarrow as pa
from watchword.cli.reporting import end_in_order, reports_errors
from watchword.tables.results import open_results

@reports_errors
def write(path):
    with end_in_order(), open_results("jsonl", path) as results:
        results.write(pa.table({"event": [1], "subscription": [1]}))
        print("written", flush=True)
        time.sleep(600)

write(sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 1), (signal.SIGKILL, -9)])
def test_a_command_that_is_killed_leaves_no_half_file(tmp_path: Path, how: signal.Signals, status: int) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path / "out.jsonl")]
    heard = partial(signal.signal, signal.SIGINT, signal.default_int_handler)  # which a shell's job may ignore
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, preexec_fn=heard, **pipes) as process:
        assert process.stdout is not None and process.stdout.readline() == b"written\n"
        process.send_signal(how)
        assert process.wait() == status
    left = [file.name for file in tmp_path.iterdir()]  # after SIGKILL nobody could remove what was written aside
    assert left == [] or (how is signal.SIGKILL and [name[:11] for name in left] == [".out.jsonl-"])


def test_links_modes_and_what_is_no_file(alerts: Path) -> None:
    folder = alerts.parent
    alerts.with_name("events.jsonl").write_text('{"text": "tea"}\n')
    (folder / "real.jsonl").write_text("before")
    (folder / "real.jsonl").chmod(0o640)
    (folder / "link.jsonl").symlink_to("real.jsonl")
    words = ["match", str(alerts), str(alerts.with_name("events.jsonl")), "--output"]
    assert CliRunner().invoke(app, [*words, str(folder / "link.jsonl")]).exit_code == 0
    assert (folder / "link.jsonl").is_symlink() and "event" in (folder / "real.jsonl").read_text()
    assert stat.S_IMODE((folder / "real.jsonl").stat().st_mode) == 0o640
    assert CliRunner().invoke(app, [*words, os.devnull, "--format", "csv"]).exit_code == 0
    refused = CliRunner().invoke(app, [*words, str(folder / "none" / "out.csv")])
    assert refused.exit_code == 2 and f"{folder}/none/out.csv: No such file" in refused.stderr


def test_parquet_is_written_once_it_is_whole(tmp_path: Path) -> None:
    import pyarrow as pa

    with open_results("parquet", str(tmp_path / "a.parquet")) as results:
        results.write(pa.table({"event": list(range(300_000))}))
        results.write(pa.table({"event": [1]}))
        assert not (tmp_path / "a.parquet").exists()
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 300_001


LATE = """
import atexit, logging
from watchword.cli.reporting import print_logs_in_lines

def late():
    try:
        raise ConnectionResetError
    except ConnectionResetError:
        logging.exception("Exception while sending command.")

atexit.register(late)
print_logs_in_lines()
print_logs_in_lines()
logging.warning("the disk is nearly full")
"""


def test_libraries_print_lines_and_no_traces_until_the_very_end() -> None:
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True)
    assert done.stderr == "the disk is nearly full\n"
