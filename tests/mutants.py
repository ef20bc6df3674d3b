"""Mutants: change one thing in the code, run the tests that should notice, and list the changes that none noticed.

    python -m tests.mutants --count 100 --seed 1
    python -m tests.mutants --only src/watchword/feeds --count 20

A mutant is one edit of one expression or statement of the package::

    feeds/markup.py:109   -1 -> 0            return -1 if found is None else found.end()
    index/index.py:172    negated            if self._undo is not None:

Edits are drawn by a seeded random number, files in proportion to their edits. Each mutant runs in a copy of the package
(the compiled kernels of files that it does not concern stay), first against the tests named after its file, then
against the mirror of its folder, without slow tests and with them, and the contract of the languages that use it. A
test that fails, an error, and one test that takes longer than `HANGS` seconds kill it; the line names the test. A
mutant whose tests take longer than `--seconds` altogether is undecided, and none that was killed. The table at the end
has the survivors; whether one is equivalent, that is whether any user could notice, is for a reader to decide.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "watchword"

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult}

LANGUAGES = ("keywords", "patterns", "paths", "predicates", "properties")
USERS = {
    "sets": ("keywords", "predicates", "properties"),
    "text": ("keywords",),
    "sequences": ("patterns", "paths"),
    "layers": LANGUAGES,
    "index": LANGUAGES,
}
"""The languages whose contract is run for a folder that several languages use."""

HANGS = 120
"""Seconds after which one test counts as one that never ends; the slowest takes less than half of it."""
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Mutant:
    """One edit: characters `start` to `end` of a file become `text`."""

    file: Path
    line: int
    start: int
    end: int
    text: str
    what: str

    @property
    def source(self) -> str:
        """Return the line that is edited."""
        return self.file.read_text(encoding="utf-8").splitlines()[self.line - 1].strip()

    def applied(self) -> str:
        """Return the whole text of the file with the edit."""
        raw = self.file.read_text(encoding="utf-8")
        return raw[: self.start] + self.text + raw[self.end :]


def mutants_of(file: Path) -> list[Mutant]:
    """Return every edit of a file, in the order of the text."""
    source = file.read_text(encoding="utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        raw = source[starts[line - 1] : starts[line]].encode()
        return starts[line - 1] + len(raw[:column].decode())

    found = []
    for node in _code(ast.parse(source)):
        for new, what in _edits(node):
            begin = place(node.lineno, node.col_offset)
            end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
            text = f"({new})" if isinstance(node, ast.expr) else new
            found.append(Mutant(file, node.lineno, begin, end, text, what))
    return found


def _code(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the nodes that run: no docstrings, annotations, imports or defaults of type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.arguments | ast.JoinedStr):
            continue  # before Python 3.12 the parts of an f-string do not know where they stand
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from _code(ast.Expression(node.value))
                yield node.value
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from node.body
            yield from _code(ast.Module(node.body, []))
            continue
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        yield from _code(node)


def _edits(node: ast.expr | ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield what a node may become, and in words."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        other = ast.Compare(node.left, [COMPARISONS[type(node.ops[0])]()], node.comparators)
        yield ast.unparse(other), "another comparison"
    elif isinstance(node, ast.BoolOp):
        other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.unparse(ast.BoolOp(other_op, node.values)), "and, or"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield ast.unparse(node.operand), "not dropped"
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.unparse(ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)), "another operator"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield str(not node.value), "the other truth"
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield str(node.value + 1), f"{node.value} -> {node.value + 1}"
    elif isinstance(node, ast.IfExp):
        yield ast.unparse(ast.IfExp(node.test, node.orelse, node.body)), "branches swapped"
    elif isinstance(node, ast.Raise):
        yield "pass", "raise dropped"
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "return None", "returns None"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "pass", "call dropped"
    elif isinstance(node, ast.AugAssign):
        yield "pass", "assignment dropped"


def relevant_tests(file: Path) -> list[list[str]]:
    """Return the arguments of pytest for each of the runs that should notice a change of a file, the quickest first.

    The last one runs every variant of each test: a line of a table of examples may be the only one that notices.
    """
    folder, mirrors = _mirror(file)
    marks = [] if folder == "spark" else ["-m", "not spark"]
    if not mirrors:
        return [["tests", "-m", "not spark and not slow", "--methods", "auto", "--few"]]
    named = [path for mirror in mirrors for path in _named_after(file.stem, mirror)]
    runs = [[*map(_relative, named), *marks]] if named and named != mirrors else []
    whole = [*map(_relative, mirrors)]
    if folder != "spark":
        runs.append([*whole, "-m", "not spark and not slow", "--few"])
    languages = USERS.get(folder, (folder,) if folder in LANGUAGES else ())
    if languages:
        names = " or ".join(languages)
        whole += ["tests/contract", "--methods", "auto", "-k", f"not contract or {names}"]
    return [*runs, [*whole, *marks]]


def _mirror(file: Path) -> tuple[str, list[Path]]:
    """Return the folder of the package that a file belongs to, and the tests that mirror it."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    room = parts[0] == "kernels" and len(parts) > 2 and parts[1] != "cache"
    folder = parts[1] if room else parts[0]
    mirrors = [ROOT / "tests" / folder, ROOT / "tests" / f"test_{parts[-1]}.py"]
    return folder, [path for path in mirrors if path.exists()]


def _named_after(stem: str, mirror: Path) -> list[Path]:
    return sorted(mirror.rglob(f"test_{stem}*.py")) if mirror.is_dir() else [mirror]


def _relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def draw(files: list[Path], count: int, seed: int) -> list[Mutant]:
    """Return different mutants, drawn among all of some files."""
    every = [mutant for file in files for mutant in mutants_of(file)]
    return sorted(random.Random(seed).sample(every, min(count, len(every))), key=lambda one: (one.file, one.start))


def killer(mutant: Mutant, copy: Path, seconds: float) -> str:
    """Return what noticed a mutant that is put into the copy of the package: a test, `UNDECIDED`, or nothing.

    The copy is put back afterwards.
    """
    target = copy / "watchword" / mutant.file.relative_to(PACKAGE)
    before, times = target.read_bytes(), target.stat()
    target.write_text(mutant.applied(), encoding="utf-8")
    until = time.monotonic() + seconds
    try:
        found = (_first_failure(arguments, copy, until) for arguments in relevant_tests(mutant.file))
        return next(filter(None, found), "")
    finally:
        target.write_bytes(before)
        os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))


def _first_failure(arguments: list[str], copy: Path, until: float) -> str:
    """Run tests on the copy, and return the name of the first that fails, or how they ended; nothing if all pass."""
    environment = {**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    hangs = ["-o", f"faulthandler_timeout={HANGS}", "-o", "faulthandler_exit_on_timeout=true"]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *hangs, *arguments]
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            status = process.wait(max(1.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return UNDECIDED
        finally:
            if process.poll() is None:
                os.killpg(process.pid, 9)
                process.wait()
        output.seek(0)
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", output.read(), re.MULTILINE)
    if status in (0, 5):  # 5: no test was chosen
        return ""
    return failed[0] if failed else f"signal {-status}" if status < 0 else "a test that never ends, or an error"


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants, print a line for each and the survivors; return how many survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--count", type=int, default=100, help="how many mutants (100)")
    parser.add_argument("--seed", type=int, default=1, help="which ones are drawn (1)")
    parser.add_argument("--seconds", type=float, default=600, help="after how many a mutant is undecided (600)")
    parser.add_argument("--part", default="1/1", help="2/3: only the second of three parts of the draw")
    parser.add_argument("--only", type=Path, default=PACKAGE, help="a file or folder of the package")
    chosen = parser.parse_args(arguments)
    only = chosen.only.resolve()
    files = [only] if only.is_file() else sorted(only.rglob("*.py"))
    part, parts = map(int, chosen.part.split("/"))
    mutants = draw(files, chosen.count, chosen.seed)[part - 1 :: parts]
    ends: dict[str, list[Mutant]] = {"SURVIVED": [], UNDECIDED: [], "killed": []}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(PACKAGE, copy / "watchword")
        for number, mutant in enumerate(mutants, 1):
            started = time.monotonic()
            by = killer(mutant, copy, chosen.seconds)
            end = "SURVIVED" if not by else UNDECIDED if by == UNDECIDED else "killed"
            ends[end].append(mutant)
            print(f"{number:4} {end:9} {time.monotonic() - started:6.1f} s  {line(mutant)}  {by}", flush=True)
    killed, decided = len(ends["killed"]), len(ends["killed"]) + len(ends["SURVIVED"])
    print(
        f"\n{killed} of {decided} killed ({killed / max(1, decided):.0%}), {len(ends[UNDECIDED])} undecided; survivors:"
    )
    for mutant in ends["SURVIVED"]:
        print(line(mutant))
    return len(ends["SURVIVED"])


def line(mutant: Mutant) -> str:
    """Return a mutant in one line."""
    return f"{mutant.file.relative_to(PACKAGE)}:{mutant.line}  {mutant.what}  {mutant.source}"


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
