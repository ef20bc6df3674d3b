"""The examples of the README and of the docstrings run as printed."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import watchword
from watchword.cli import app

ROOT = Path(__file__).parent.parent


def commands(page: str) -> list[str]:
    """Return the commands of a page, those behind a prompt too, without what follows a # in them."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("watchword ")]


PAGES = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md"))
MODULES = [
    found.name
    for found in pkgutil.walk_packages(watchword.__path__, "watchword.")
    if not found.name.endswith("__main__")
]


@pytest.mark.slow
def test_python_examples() -> None:
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed == 0


@pytest.mark.slow
def test_the_picture_shows_what_its_commands_print() -> None:
    spec = importlib.util.spec_from_file_location("picture", ROOT / "examples" / "picture.py")
    assert spec is not None and spec.loader is not None
    picture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(picture)
    assert picture.PICTURE.read_text(encoding="utf-8") == picture.draw(), "python examples/picture.py draws it again"


@pytest.mark.slow
def test_command_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert len(commands("README.md")) > 5
    for command in commands("README.md"):
        arguments = shlex.split(command)[1:]
        status, said = in_a_process(arguments) if arguments[0] == "run" else here(arguments)
        assert status == 0, f"{command}\n{said}"
        assert said.strip(), command


@pytest.mark.slow
def test_commands_of_the_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages' commands run one after the other in one folder, with files of the names that they use.

    What starts Spark is run by the README's test. Here that is only asked for its help, and so is what measures at the
    papers' sizes, which takes an hour.
    """
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content, encoding="utf-8")
    Path("rules").mkdir()
    Path("rules", "whoami.yml").write_text(SIGMA, encoding="utf-8")
    pa.parquet.write_table(pa.table({"flight": ["F1"], "name": ["RBS"], "value": [15]}), "flights.parquet")
    ran = 0
    for page in PAGES:
        for command in commands(page):
            arguments = shlex.split(command, comments=True)[1:]
            status, said = here(helped(arguments) if takes_long(arguments) else arguments)
            assert status == 0, f"{page}: {command}\n{said}"
            ran += 1
    assert ran > 20


def takes_long(arguments: list[str]) -> bool:
    return arguments[0] == "run" or arguments[-2:] == ["--scale", "paper"]


def helped(arguments: list[str]) -> list[str]:
    """Return the command alone, without its arguments, asked for help.

    >>> helped(["run", "feeds.opml", "--once"]), helped(["experiments", "run", "all", "--scale", "paper"])
    (['run', '--help'], ['experiments', 'run', '--help'])
    """
    return [*arguments[: 2 if arguments[0] == "experiments" else 1], "--help"]


SIGMA = "title: whoami\ndetection:\n  selection:\n    Image|endswith: whoami.exe\n  condition: selection\n"
FILES = {
    "rules.csv": "id,subscription\n1,name = 'RBS' AND value > 10\n",
    "trades.jsonl": '{"name": "RBS", "value": 15}\n',
    "filters.txt": "type = 'com.example' AND sequence > 5\n",
    "cloudevents.jsonl": '{"id": "1", "type": "com.example", "sequence": "7"}\n',
    "patterns.txt": '{"source": ["aws.ec2"]}\n',
    "events.jsonl": '{"source": "aws.ec2"}\n',
    "dump.ndjson": '{"_id": "a", "_source": {"query": {"term": {"source": "aws.ec2"}}}}\n',
    "mapping.json": '{"source": {"type": "keyword"}}',
    "queries.txt": "title:ferry AND body:storm\n",
    "topics.csv": "child,parent\npolitics/national,politics\n",
    "topics.json": '{"topic": {"national": "politics"}}',
    "namespaces.json": '{"x": "http://www.w3.org/1999/xhtml"}',
}


def here(arguments: list[str]) -> tuple[int, str]:
    """Run a command in this process, which has loaded and compiled what it needs already."""
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def in_a_process(arguments: list[str]) -> tuple[int, str]:
    """Run a command that starts Spark."""
    words = [sys.executable, "-m", "watchword", *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_importing_the_package_is_light() -> None:
    code = "import sys, watchword; sys.exit(any(m in sys.modules for m in ('numba', 'pyspark', 'pyarrow', 'typer')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
