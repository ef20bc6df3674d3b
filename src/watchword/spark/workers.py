"""Which Python do Spark's workers run? Of a session on this machine it must be one that has Watchword.

A program that is started as ``/venv/bin/python job.py``, without activating the environment, has its packages; the
workers of its session run the ``python3`` of PATH, which has not, unless PYSPARK_PYTHON named another when the session
was made. Spark would say so in a hundred lines of a task's trace; this says it before the first task.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from watchword.errors import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check_workers(session: SparkSession) -> None:
    """Raise a `PipelineError` if the workers of a session on this machine run a Python that lacks Watchword.

    Sessions of a cluster and of Spark Connect are not asked: their workers have an environment of their own.
    """
    context = getattr(session, "_sc", None)  # `sparkContext` raises in a Connect session
    if context is None or not context.master.startswith("local"):
        return
    problem = worker_problem(context.pythonExec, sys.executable)
    if problem is not None:
        raise PipelineError(problem)


@cache
def worker_problem(command: str, own: str) -> str | None:
    """Return why workers that run `command` cannot serve the program that `own` runs; None if they can."""
    found = shutil.which(command)
    if found is not None and Path(found).parent == Path(own).parent:
        return None
    reason = "is not there" if found is None else _lack(found)
    if reason is None:
        return None
    remedy = f'set it before the session is made: os.environ["PYSPARK_PYTHON"] = sys.executable ({own})'
    return f"the workers of this session run {found or command}, which {reason}. PYSPARK_PYTHON says which; {remedy}"


def _lack(python: str) -> str | None:
    """Return what a Python lacks, by asking it; None if it imports Watchword and has this one's version."""
    program = "import sys, watchword; print(*sys.version_info[:2])"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        return "has no Watchword"
    version = "{} {}".format(*sys.version_info[:2])
    return None if done.stdout.strip() == version else f"is Python {done.stdout.strip().replace(' ', '.')}"
