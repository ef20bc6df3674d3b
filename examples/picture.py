"""Draw docs/match.svg, the picture of the README, from what the commands in it print.

python examples/picture.py

The colours are those of a terminal; no font is embedded, and none is fetched.
"""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path

from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from watchword.cli import app

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "match.svg"
WIDTH = 92
COMMANDS = (
    "watchword match subscriptions.csv items.jsonl --event-id id --explain --rows 6",
    "watchword match rules.csv flights.jsonl --language predicates --explain",
    'watchword explain subscriptions.csv "a calm sea, and the ferry runs" storm-and-sea',
)
"""As they are typed in the folder of the examples."""


def draw() -> str:
    """Return the picture as SVG: each command and what it prints to standard output."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for command in COMMANDS:
        console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
        console.print(Text(printed(command)))
    drawn = console.export_svg(title="watchword", unique_id="watchword")
    return re.sub(r"@font-face \{.*?\}\n", "", drawn, flags=re.DOTALL).replace("Fira Code", "ui-monospace")


def printed(command: str) -> str:
    """Return what a command prints, without blank lines at its ends and blanks at the ends of lines."""
    here = Path(__file__).parent
    words = [str(here / word) if (here / word).is_file() else word for word in shlex.split(command)[1:]]
    result = CliRunner().invoke(app, words, env={"COLUMNS": str(WIDTH)})
    if result.exit_code:
        raise SystemExit(f"{command}\n{result.output}")
    return "\n".join(line.rstrip() for line in result.stdout.strip("\n").splitlines()).strip("\n") + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    print(PICTURE)
