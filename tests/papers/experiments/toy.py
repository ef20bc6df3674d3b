"""A paper with two experiments that take no time: counts of letters, and a clock that runs as it is told."""

from __future__ import annotations

from dataclasses import replace

from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged, not_shown

measured: list[Cell] = []
"""The cells that were measured, in order."""
interrupt_at: list[int] = []
"""Where not empty: measuring is interrupted at the cell of this length."""
clock: list[float] = []
"""What the next cells take, where not empty."""


def letters(scale: str) -> list[Cell]:
    return [{"length": length} for length in ((1, 2, 3) if scale == "small" else (1, 2, 3, 4))]


def count(cell: Cell, scale: str, seed: int) -> list[Row]:
    if cell["length"] in interrupt_at:
        raise KeyboardInterrupt
    measured.append(cell)
    took = clock.pop(0) if clock else 1.0
    return [cell | {"method": name, "letters": cell["length"] * times, "us": took} for name, times in METHODS]


METHODS = (("auto", 1), ("slow", 2))


def double(rows: list[Row]) -> Outcome:
    most = max(row["letters"] for row in rows)
    return judged(most == 2 * rows[-1]["length"], f"{most} <letters>", why="twice & more")


def grows(rows: list[Row]) -> Outcome:
    return not_shown("three are too few") if len(rows) < 8 else judged(True, "4")


LETTERS = Experiment(
    name="toy/letters",
    title="Letters <counted>",
    source="nobody, figure 1",
    cells=letters,
    measure=count,
    plots=(
        Plot("letters", "Letters & lengths", x="length", y="letters", log_y=True),
        Plot("bars", "The same", x="length", y="letters", bars=True, where={"method": "slow"}),
    ),
    printed=({"length": 3, "method": "slow", "letters": 7}, {"length": 9, "method": "slow", "letters": 18}),
    paired=("length", "method"),
    claims=(
        Claim("double", "Slow counts twice.", "2 times", double),
        Claim("grows", "It grows.", "from 4 on", grows, times=True),
        Claim("lost", "Of what nobody measured.", "?", lambda rows: judged(rows[0]["missing"], ""), times=True),
    ),
    needs=lambda scale: {"small": 0, "paper": 1 << 70}[scale],
    notes="A note.",
)
TURNS = Experiment("toy/turns", "Turns", "nobody, figure 2", letters, count, plots=(), turns=3, best_of=("us",), seed=7)
PLAIN = replace(LETTERS, plots=())
"""Without the plots, which take longest."""
EXPERIMENTS = (LETTERS, TURNS)
