"""The examples of the README and of the docstrings run as printed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import watchword
from watchword.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("watchword ")
]
MODULES = [
    found.name
    for found in pkgutil.walk_packages(watchword.__path__, "watchword.")
    if not found.name.endswith("__main__")
]


@pytest.mark.slow
def test_python_examples() -> None:
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed == 0


@pytest.mark.slow
def test_command_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) > 5
    for command in COMMANDS:
        arguments = shlex.split(command)[1:]
        status, said = in_a_process(arguments) if arguments[0] == "run" else here(arguments)
        assert status == 0, f"{command}\n{said}"
        assert said.strip(), command


def here(arguments: list[str]) -> tuple[int, str]:
    """Run a command in this process, which has loaded and compiled what it needs already."""
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def in_a_process(arguments: list[str]) -> tuple[int, str]:
    """Run a command that starts Spark."""
    words = [sys.executable, "-m", "watchword.cli", *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_importing_the_package_is_light() -> None:
    code = "import sys, watchword; sys.exit(any(m in sys.modules for m in ('numba', 'pyspark', 'pyarrow', 'typer')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
