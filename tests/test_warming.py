"""Kernels compiled ahead of use, and shipped to where nothing was compiled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import watchword
from tests.kernels import small_indexes
from watchword.cli import app
from watchword.languages import LANGUAGES
from watchword.warming import STEPS, exercises, warm, write_archive


def language_names() -> list[str]:
    """Return the languages of the package; other tests register one of their own."""
    return [language for language, home in LANGUAGES.items() if home.startswith("watchword.")]


pytestmark = pytest.mark.slow


@pytest.mark.parametrize("language", language_names())
def test_a_language_is_warmed_in_the_steps_that_were_promised(language: str) -> None:
    assert len(list(warm(language))) == STEPS + len(exercises()[language].batches)


def compiled_by(program: list[str], **variables: str) -> int:
    """Return how many kernels a process compiled."""
    kept = {name: value for name, value in os.environ.items() if name not in ("WATCHWORD_CACHE", "XDG_CACHE_HOME")}
    done = subprocess.run([sys.executable, *program], env=kept | variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout.splitlines()[-1])["compiled"])


def test_an_archive_that_is_unpacked_elsewhere_leaves_nothing_to_compile(tmp_path: Path) -> None:
    """The package that uses it has compiled nothing, and can keep nothing."""
    result = CliRunner().invoke(app, ["warm", "properties", "--archive", str(tmp_path / "warm.tar.gz")])
    assert result.exit_code == 0, result.output
    assert "warm.tar.gz: " in result.output
    bare = tmp_path / "site" / "watchword"
    shutil.copytree(Path(watchword.__file__).parent, bare, ignore=shutil.ignore_patterns("__pycache__"))
    (bare / "kernels" / "__pycache__").touch()
    with tarfile.open(tmp_path / "warm.tar.gz") as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    program = [str(Path(small_indexes.__file__)), "properties"]
    places = {"PYTHONPATH": str(bare.parent), "HOME": str(tmp_path / "home")}
    assert compiled_by(program, **places, WATCHWORD_CACHE=str(tmp_path / "unpacked")) == 0
    assert compiled_by(program, **places) > 10


def test_an_archive_holds_no_code_of_other_sources(tmp_path: Path) -> None:
    count, size = write_archive(tmp_path / "warm.tar.gz")
    with tarfile.open(tmp_path / "warm.tar.gz") as archive:
        members = archive.getmembers()
    assert len(members) == count and sum(member.size for member in members) == size
    folders = {Path(member.name).parent.name for member in members}
    assert len(folders) == len({name.rpartition("-")[0] for name in folders})  # one digest of each file
    assert {Path(member.name).parts[0] for member in members} == {"kernels"}
    assert all(member.mode == 0o644 for member in members)


def test_an_unknown_language_is_refused() -> None:
    result = CliRunner().invoke(app, ["warm", "rhymes"])
    assert result.exit_code == 2 and "no language 'rhymes'; there are: keywords" in result.output
