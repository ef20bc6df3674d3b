"""``watchword experiments``, from outside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.papers.experiments import toy
from watchword.cli import app
from watchword.papers.experiments import registry


@pytest.fixture(autouse=True)
def toy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PAPERS", {"toy": "tests.papers.experiments.toy"})


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["experiments", *(str(argument) for argument in arguments)])


@pytest.mark.slow
def test_run_then_report(tmp_path: Path) -> None:
    result = run("run", "toy/letters", "--results", tmp_path / "kept")
    assert result.exit_code == 0, result.output
    assert "toy/letters: 6 rows" in result.stdout.replace("\n", " ") and "holds" in result.stdout
    assert "toy/letters: 3 cells" in result.stderr
    again = run("run", "toy/letters", "--results", tmp_path / "kept")
    assert "3 of 3 cells are there" in again.stderr
    output = tmp_path / "page.html"
    assert run("report", "--results", tmp_path / "kept", "--output", output).exit_code == 0
    assert "3 claims" in output.read_text(encoding="utf-8")
    claims = tmp_path / "claims.md"
    assert run("report", "--results", tmp_path / "kept", "--output", claims).exit_code == 0
    assert claims.read_text(encoding="utf-8").startswith("# The papers' claims")


def test_after_ctrl_c_the_same_command_goes_on(tmp_path: Path) -> None:
    toy.interrupt_at[:] = [2]
    result = run("run", "toy/turns", "--results", tmp_path)
    toy.interrupt_at.clear()
    assert result.exit_code == 130 and "the same command goes on at the next cell" in result.stderr
    assert "1 of 9 cells are there" in run("run", "toy/turns", "--results", tmp_path).stderr


def test_the_list_has_every_experiment() -> None:
    result = run("list")
    assert result.exit_code == 0 and "toy/letters" in result.stdout and "toy/turns" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "toy/leters"), "toy/letters"),
        (("run", "toy/letters", "--scale", "paper"), "GB of memory"),
        (("report", "--scale", "paper"), "no runs are kept here"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments, "--results", tmp_path)
    assert result.exit_code == 2 and message in result.stderr and "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_importing_the_command_line_loads_neither_kernels_nor_plots() -> None:
    code = "import sys, watchword.cli; print(sorted({'numba', 'matplotlib', 'pyarrow', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
