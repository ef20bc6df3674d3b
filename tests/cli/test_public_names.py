"""The command line uses public names only: whatever it can do, a program over the library can do, too."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import watchword.cli

FILES = sorted(Path(watchword.cli.__file__).parent.glob("*.py"))
NAMED_TUPLE = {"_asdict", "_fields", "_replace"}
"""Public in spite of their names."""


def private_names(source: str) -> list[str]:
    """Return the private names of others that a file reaches for, and `plug`, which is the language's side."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and not _is_own(node.value):
            found += [node.attr] if _is_private(node.attr) or node.attr == "plug" else []
        elif isinstance(node, ast.ImportFrom):
            found += [name.name for name in node.names if _is_private(name.name)]
    return found


def _is_own(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in NAMED_TUPLE


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_command_reaches_for_no_private_name(path: Path) -> None:
    assert private_names(path.read_text()) == []


def test_the_check_finds_private_names() -> None:
    source = "from watchword.index import _table\nindex.plug.documents\nindex._catalog\nself._own\nrow._asdict()"
    assert sorted(private_names(source)) == ["_catalog", "_table", "plug"]
    assert len(FILES) > 10
