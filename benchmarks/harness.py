"""What every benchmark shares: comparing with a baseline of the same run, and reporting.

Measuring is what the experiments do as well (`watchword.papers.experiments.measuring`).

A benchmark is a module with named sections, which `main` runs. A section measures and hands rows (dicts of column to
value) to a `Report`, which prints them as a table and keeps them for ``--json``. Absolute figures belong to one
machine: what is to be read is the ratio against a named row of the same table.

``python -m benchmarks.harness module:function [json ...]`` is the child's end of `in_fresh_process`.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table

from watchword.papers.experiments.experiment import SCALES
from watchword.papers.experiments.machine import cores, cpu_model
from watchword.papers.experiments.measuring import Measurement, Way, affordable, by_turns, in_turns, measure, timed
from watchword.papers.experiments.rows import figure

__all__ = [
    "ROOT",
    "Measurement",
    "Report",
    "Row",
    "Way",
    "affordable",
    "by_turns",
    "figure",
    "in_fresh_process",
    "in_turns",
    "main",
    "measure",
    "ratio",
    "timed",
    "with_ratios",
]

Row = dict[str, Any]
Setting = TypeVar("Setting")
ROOT = Path(__file__).resolve().parents[1]


def with_ratios(rows: Sequence[Row], column: str, baselines: Iterable[str], name: str = "method") -> list[Row]:
    """Return the rows with a column ``× baseline`` per baseline: the value over the baseline row's."""
    known = {row[name]: row.get(column) for row in rows}
    present = [baseline for baseline in baselines if known.get(baseline)]
    return [row | {f"× {base}": ratio(row.get(column), known[base]) for base in present} for row in rows]


def ratio(value: float | None, base: float | None) -> float | None:
    """Return ``value / base``, or None where there is nothing to compare."""
    return value / base if value is not None and base else None


class Report:
    """Prints tables as they are made, and keeps everything for a file."""

    def __init__(self, title: str, workload: Mapping[str, object]) -> None:
        # A pipe has no width of its own, and the default of 80 would cut the columns.
        self.console = Console(width=None if sys.stdout.isatty() else 160)
        self.content: dict[str, Any] = {"title": title, "header": {**workload, **machine()}, "tables": []}
        self.console.rule(title)
        for key, value in self.content["header"].items():
            self.console.print(f"{key}: {value}", highlight=False)

    def table(self, title: str, rows: Sequence[Row], notes: str = "") -> None:
        """Print and keep one table; its columns are the keys of the rows in order of appearance."""
        columns = list(dict.fromkeys(key for row in rows for key in row))
        shown = Table(title=title, caption=notes or None, title_justify="left", caption_justify="left")
        for column in columns:
            numeric = any(isinstance(row.get(column), int | float) for row in rows)
            shown.add_column(column, justify="right" if numeric else "left")
        for row in rows:
            shown.add_row(*(figure(row.get(column)) for column in columns))
        self.console.print(shown)
        self.content["tables"].append({"title": title, "notes": notes, "rows": list(rows)})

    def note(self, text: str) -> None:
        """Print and keep a remark."""
        self.console.print(text, highlight=False)
        self.content.setdefault("notes", []).append(text)

    def write(self, path: Path) -> None:
        """Write everything reported so far: as a page if the name ends in ``.md``, else as JSON."""
        if path.suffix == ".md":
            text = page(self.content)
        else:
            text = json.dumps(self.content, indent=2, ensure_ascii=False, default=float)
        path.write_text(text + "\n", encoding="utf-8")


def page(content: Mapping[str, Any]) -> str:
    """Return a report as Markdown."""
    parts = [f"# Benchmarks: {content['title']}"]
    parts.append("\n".join(f"- {key}: {value}" for key, value in content["header"].items()))
    for table in content["tables"]:
        columns = list(dict.fromkeys(key for row in table["rows"] for key in row))
        lines = [columns, ["---"] * len(columns)]
        lines += [[figure(row.get(column)) for column in columns] for row in table["rows"]]
        parts += [f"## {table['title']}", "\n".join(f"| {' | '.join(line)} |" for line in lines)]
        parts += [table["notes"]] if table["notes"] else []
    return "\n\n".join(parts + content.get("notes", []))


def machine() -> dict[str, object]:
    """Return what the figures depend on besides the code."""
    packages = ("watchword", "numba", "numpy", "pyarrow")
    return {
        "cpu": f"{cpu_model()}, {cores()} cores",
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def arguments(
    description: str, sections: Iterable[str], argv: Sequence[str] | None = None, scales: Sequence[str] = SCALES
) -> argparse.Namespace:
    """Read the command line that all benchmarks have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", choices=scales, default=scales[0], help=f"how much data ({scales[0]})")
    page_help = "write every figure to FILE as well (a page if it ends in .md)"
    parser.add_argument("--json", type=Path, metavar="FILE", help=page_help)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(sections), help="run these sections only")
    return parser.parse_args(argv)


def main(
    title: str,
    description: str,
    sections: Mapping[str, Callable[[Report, Setting], None]],
    header: Callable[[str], Mapping[str, object]],
    setting: Callable[[str], AbstractContextManager[Setting]],
    argv: Sequence[str] | None = None,
    scales: Sequence[str] = SCALES,
) -> None:
    """Run the sections that the command line asks for, and report.

    Of a scale, by its name, `header` says what the workload is, and `setting` gives what sections measure on.
    """
    chosen = arguments(description, sections, argv, scales)
    report = Report(title, header(chosen.scale))
    with setting(chosen.scale) as given:
        for name in chosen.only or sections:
            sections[name](report, given)
            if chosen.json:
                report.write(chosen.json)


def in_fresh_process(target: str, *values: object) -> dict[str, Any]:
    """Run ``module:function`` in a new interpreter and return its seconds, bytes and result.

    The function is given `values` (JSON), prepares, and returns the piece of work: a callable without
    arguments. ``before`` is the resident memory when the work starts, ``peak`` the most there was during it.
    """
    command = [sys.executable, "-m", "benchmarks.harness", target, *map(json.dumps, values)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _child(target: str, *values: str) -> None:
    module, _, function = target.partition(":")
    work = getattr(import_module(module), function)(*map(json.loads, values))
    _forget_peak()
    before, start = _memory("VmRSS"), time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "before": before, "peak": _memory("VmHWM"), "result": result}))


def _forget_peak() -> None:
    """Let the kernel count the peak from now on, where it can: Linux, and not in every container."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _memory(field: str) -> int:
    """Return a figure of this process in bytes.

    Not `ru_maxrss` where /proc is there: a process started by a large one inherits that one's peak.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    _child(*sys.argv[1:])
