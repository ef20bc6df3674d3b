"""A Spark cluster of processes on loopback: a master and workers, as a standalone cluster has them on its machines.

Used by the cluster test and by `benchmarks.spark`. Everything started here is stopped by its process id.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pyspark

from watchword.spark import ensure_java

SPARK_HOME = Path(pyspark.__file__).parent


@contextmanager
def cluster(folder: Path, workers: int = 2, memory: str = "1g", patience: float = 60.0) -> Iterator[str]:
    """Start a master and `workers` workers of one core each; yield the master's URL. Logs go into `folder`.

    `patience` is for how many seconds the master is waited for.
    """
    ensure_java()
    port = _free_port()
    url = f"spark://127.0.0.1:{port}"
    started: list[subprocess.Popen[bytes]] = []
    try:
        place = ["--host", "127.0.0.1", "--webui-port", "0"]
        started.append(_start(folder, "master", "master.Master", [*place, "--port", str(port)]))
        _wait_for(port, started[0], folder / "master.log", patience)
        for number in range(workers):
            size = ["--cores", "1", "--memory", memory, "--work-dir", str(folder / f"work{number}")]
            started.append(_start(folder, f"worker{number}", "worker.Worker", [*place, *size, url]))
        yield url
    finally:
        _stop(started)


def mapped(folder: Path) -> list[dict[str, int]]:
    """Return, of every process that maps files below `folder`, its id and the bytes of them that it holds.

    `rss` counts a shared page in full for each process, `pss` divides it by the number of processes that share
    it, so that the sum of `pss` is what the machine holds.
    """
    rows = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            maps = [one for one in process.memory_maps(grouped=True) if one.path.startswith(str(folder))]
            if maps:
                names = ("rss", "pss", "private_dirty")
                rows.append({"pid": process.pid, **{name: sum(getattr(one, name) for one in maps) for name in names}})
    return rows


def _start(folder: Path, name: str, main: str, arguments: list[str]) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    command = [str(SPARK_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{main}", *arguments]
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the master did not start: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _stop(started: list[subprocess.Popen[bytes]]) -> None:
    """Stop what was started, and what that started in turn."""
    family: list[psutil.Process] = []
    for process in started:
        with suppress(psutil.Error):
            family += psutil.Process(process.pid).children(recursive=True)
    for process in reversed(started):
        process.terminate()
    for process in started:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    _, alive = psutil.wait_procs(family, timeout=5)
    for child in alive:
        with suppress(psutil.Error):
            child.kill()
