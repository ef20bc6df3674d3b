"""What type checkers say of an index: it is generic in its ids."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import watchword

PROGRAM = """\
from watchword import Index, KeywordIndex, PathIndex, PatternIndex, PredicateIndex

index = KeywordIndex({"s1": "greece"})
index["s2"] = "crisis"
first: list[str] = index.match("greece")
numbered: PatternIndex[int] = PatternIndex()
numbered[7] = "song?blue"
anything = PredicateIndex()
anything[1] = "a = 1"
opened: list[int] = Index.open("folder").match("x")
refused = index.update([("s3", "tea")], on_error="skip")
rows: list[int] = [one.row for one in refused]

numbered["seven"] = "song?blue"  # error: index
del index[7]  # error: arg-type
wrong: list[int] = PathIndex([("p", "/a")]).match("<a/>")  # error: assignment
index.update({5: "tea"})  # error: arg-type
index.explain("tea", 5)  # error: arg-type
index.update({"s": "tea"}, on_error="ignore")  # error: call-overload
"""


SETTINGS = """\
[mypy]
ignore_missing_imports = True
follow_imports = silent

[mypy-numpy.*,watchword.kernels.*,watchword.*.language,watchword.paths.parsing.*,watchword.patterns.stream]
follow_imports = skip
"""


@pytest.mark.slow
def test_mypy_knows_the_ids(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(SETTINGS, encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--config-file", "mypy.ini", "program.py"]
    home = str(Path(watchword.__file__).parents[1])
    said = subprocess.run(words, cwd=tmp_path, env={"MYPYPATH": home}, capture_output=True, text=True, check=False)
    lines = PROGRAM.splitlines()
    expected = [(n, line.rpartition(": ")[2]) for n, line in enumerate(lines, 1) if "# error: " in line]
    found = re.findall(r"^program\.py:(\d+): error: .*\[([\w-]+)\]$", said.stdout, re.MULTILINE)
    assert [(int(number), code) for number, code in found] == expected, said.stdout + said.stderr
