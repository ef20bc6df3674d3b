"""A copy of the package with nothing but the parts that compile, and two small kernels of its own.

`caller.add` calls `callee.step` with two constants and asks a C callback; a process that asks for ``add(40)`` compiles
three functions, in a second instead of half a minute.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import watchword

SOURCES = Path(watchword.__file__).parent
CALLEE = """from watchword.kernels.jit import leaf


@leaf
def step(number, by):
    return number + by
"""
CALLER = """from watchword.kernels.c_calls import call_long
from watchword.kernels.callee import step
from watchword.kernels.jit import callback, kernel


@callback("int64(int64)")
def same(number):
    return number


@kernel
def add(number, address):
    return step(step(call_long(address, (number,)), 0), 2)
"""
PROGRAM = """import json
import watchword
from watchword.kernels import jit
from watchword.kernels.cache.folders import places
from watchword.kernels.caller import add, same

answer = add(40, same.address)
print(json.dumps({"answer": answer, "compiled": jit.first_use.compiled, "package": watchword.__file__,
    "folder": str(places().writable), "path": add.stats.cache_path, "signatures": len(jit.private(add, "signatures"))}))
"""
KERNELS = 3
"""Functions that the program compiles: `add`, `step`, and `same`."""


@dataclass
class Run:
    """What a process printed and logged."""

    answer: int
    compiled: int
    folder: str
    path: str | None
    signatures: int
    package: str
    log: list[str]


@dataclass
class TinyPackage:
    """The copy, and the environment of processes that use it."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict)
    renamed: tuple[str, ...] = ()
    """Names that numba is without."""
    first: str = ""
    """Python that a process runs first."""

    @property
    def kernels(self) -> Path:
        return self.root / "watchword" / "kernels"

    @property
    def beside(self) -> Path:
        return self.kernels / "__pycache__" / "compiled"

    def run(self) -> Run:
        """Return what a new process says that asks for ``add(40)``."""
        program = self.root / "program.py"
        program.write_text(self.first + "\n" + PROGRAM)
        hidden = [str(Path(__file__).with_name("renamed_numba.py")), ",".join(self.renamed)] if self.renamed else []
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        # Python keeps bytecode by size and second of a file, and these files are edited within a second.
        kept |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self.root), "HOME": str(self.root / "home")}
        environment = kept | self.variables
        command = [sys.executable, *hidden, str(program)]
        done = subprocess.run(command, env=environment, cwd=self.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said = Run(**json.loads(done.stdout), log=done.stderr.splitlines())
        assert Path(said.package).parent == self.root / "watchword"
        return said


def make_tiny_package(root: Path) -> TinyPackage:
    """Write the copy below a folder."""
    target = root / "watchword"
    (root / "home").mkdir(parents=True)
    shutil.copytree(SOURCES / "kernels" / "cache", target / "kernels" / "cache", ignore=shutil.ignore_patterns("__*__"))
    (target / "kernels" / "__init__.py").touch()
    for name in (
        "__init__",
        "errors",
        "lazy",
        "visible",
        "kernels/jit",
        "kernels/forks",
        "kernels/unpickling",
        "kernels/held_signals",
        "kernels/first_use",
        "kernels/numba_private",
        "kernels/c_calls",
    ):
        shutil.copy(SOURCES / f"{name}.py", target / f"{name}.py")
    (target / "kernels" / "callee.py").write_text(CALLEE)
    (target / "kernels" / "caller.py").write_text(CALLER)
    return TinyPackage(root)
