"""The SQL of the store is written for every engine: no construct that only SQLite reads, none that needs a type."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from watchword import store

FOLDER = Path(store.__file__).parent
SHARED = sorted(path for path in FOLDER.glob("*.py"))

SQLITE_ONLY = {
    "INSERT OR": r"INSERT OR ",
    "CROSS JOIN with a condition": r"CROSS JOIN",
    "rowid": r"\browid\b",
    "numbered or named values": r"\?\d|[^:]:[a-z]\w*\b",
    "LIMIT -1": r"LIMIT -1",
    "a number as a condition": r"WHERE \d\b",
    "JSON functions": r"json_\w+\(",
    "PRAGMA": r"PRAGMA|VACUUM|sqlite_\w+",
    "null compared as a value": r"\? IS ",
    "functions of SQLite": r"\b(ifnull|iif|group_concat|randomblob|julianday|strftime|total|printf)\(",
    "types of SQLite": r"AUTOINCREMENT|WITHOUT ROWID|\bBLOB\b",
    "GLOB": r"\bGLOB\b|\bMATCH\b",
    "signs in literals, which an engine would replace": r"\A(?:[^']*'[^']*')*?[^']*'[^']*[?%][^']*'|%",
}


def statements(path: Path) -> list[str]:
    """Return the texts of a file that are SQL; a part that is put in by Python stands as `{}`."""
    texts = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.JoinedStr):
            texts.append("".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
    sql = re.compile(r"SELECT |INSERT |UPDATE \w+ SET|DELETE FROM|CREATE TEMP|LIMIT|ON CONFLICT|= \?|<= \?")
    return [text for text in texts if sql.search(text)]


def test_statements_are_found() -> None:
    found = [text for path in SHARED for text in statements(path)]
    assert len(found) > 40 and {text.split()[0] for text in found} >= {"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE"}
    assert any(text.startswith("{} AND item = ") for text in found)  # pieces of statements, too


@pytest.mark.parametrize("construct", SQLITE_ONLY)
def test_no_statement_has(construct: str) -> None:
    bad = [(path.name, text) for path in SHARED for text in statements(path) if re.search(SQLITE_ONLY[construct], text)]
    assert bad == []


@pytest.mark.parametrize(
    ("construct", "example"),
    [
        ("INSERT OR", "INSERT OR IGNORE INTO a VALUES (?)"),
        ("rowid", "SELECT min(rowid) FROM a"),
        ("numbered or named values", "SELECT a FROM b WHERE c = ?1"),
        ("numbered or named values", "SELECT a FROM b WHERE c = :owner"),
        ("a number as a condition", "SELECT a FROM b WHERE 1 ORDER BY c"),
        ("JSON functions", "SELECT value FROM json_each(?)"),
        ("null compared as a value", "SELECT a FROM b WHERE (? IS NULL OR c = ?)"),
        ("signs in literals, which an engine would replace", "SELECT a FROM b WHERE c = 'who?'"),
    ],
)
def test_what_would_be_found(construct: str, example: str) -> None:
    assert re.search(SQLITE_ONLY[construct], example)


def test_only_the_folder_sqlite_imports_sqlite3() -> None:
    package = FOLDER.parent
    importers = {
        path.parent for path in package.rglob("*.py") if re.search(r"^\s*(import|from) sqlite3", path.read_text(), re.M)
    }
    assert importers == {FOLDER / "sqlite"}
