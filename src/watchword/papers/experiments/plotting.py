"""Plots as SVG, drawn by matplotlib, which is an extra: ``pip install 'watchword[experiments]'``.

The method `auto` has a colour of its own, the same in every plot of a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watchword.errors import ExperimentError
from watchword.papers.experiments.experiment import Plot, Row
from watchword.papers.experiments.rows import where

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from watchword.papers.experiments.results import Run

SIZE = (6.4, 4.0)
AUTO = "#d62728"
COLOURS = ("#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#e377c2", "#7f7f7f", "#bcbd22")
MARKS = "osD^vP*Xh"
Points = dict[str, list[tuple[Any, Any]]]


def check_installed(name: str) -> None:
    """Refuse to go on where there is nothing to draw with."""
    if find_spec("matplotlib") is None:
        raise ExperimentError("plots are drawn by matplotlib: pip install 'watchword[experiments]'", name=name)


def draw_all(run: Run) -> None:
    """Write the plots of a run into its folder."""
    rows = run.rows()
    for plot in run.experiment.plots:
        file_of(run, plot).write_bytes(drawn(plot, rows, run.experiment.printed))


def file_of(run: Run, plot: Plot) -> Path:
    """Return where a plot is."""
    return run.folder / f"{plot.name}.svg"


def drawn(plot: Plot, rows: Sequence[Row], printed: Sequence[Row] = ()) -> bytes:
    """Return a plot of rows, printed ones beside them, as SVG."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": plot.name, "font.size": 9}):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        _draw(axes, plot, points_of(plot, rows), points_of(plot, printed))
        output = BytesIO()
        FigureCanvasSVG(figure)
        figure.savefig(output, format="svg", metadata={"Date": None})
    return output.getvalue()


def points_of(plot: Plot, rows: Sequence[Row]) -> Points:
    """Return the points of each series, in the order of the rows.

    >>> points_of(Plot("p", "", x="n", y="us"), [{"n": 1, "us": 2.0, "method": "auto"}, {"n": 2, "method": "auto"}])
    {'auto': [(1, 2.0)]}
    >>> points_of(Plot("p", "", x="n", y="us", also=("model",)), [{"n": 1, "us": 2.0, "model": 3.0, "method": "auto"}])
    {'auto': [(1, 2.0)], 'auto, model': [(1, 3.0)]}
    """
    found: Points = {}
    for column in (plot.y, *plot.also):
        for row in where(rows, **plot.where):
            if row.get(plot.x) is not None and row.get(column) is not None:
                name = str(row.get(plot.series, plot.y)) + (f", {column}" if column != plot.y else "")
                found.setdefault(name, []).append((row[plot.x], row[column]))
    return found


def _draw(axes: Axes, plot: Plot, ours: Points, printed: Points) -> None:
    (_bars if plot.bars else _lines)(axes, ours, printed)
    if plot.log_x and not plot.bars:
        axes.set_xscale("log")
    if plot.log_y:
        axes.set_yscale("log")
    axes.set_title(plot.title, fontsize=10)
    axes.set_xlabel(plot.x_label or plot.x)
    axes.set_ylabel(plot.y_label or plot.y)
    axes.grid(True, alpha=0.3)
    if ours or printed:
        axes.legend(fontsize=8)


def _lines(axes: Axes, ours: Points, printed: Points) -> None:
    styles = dict(zip(_names(ours, printed), zip(_colours(ours, printed), cycle(MARKS), strict=False), strict=False))
    for name, points in ours.items():
        colour, mark = styles[name]
        axes.plot(*zip(*points, strict=True), color=colour, marker=mark, markersize=4, linewidth=1.4, label=name)
    for name, points in printed.items():
        colour, mark = styles[name]
        style: dict[str, Any] = {"color": colour, "marker": mark, "markersize": 4, "linewidth": 1, "linestyle": "--"}
        axes.plot(*zip(*points, strict=True), **style, markerfacecolor="white", label=f"{name} (printed)")


def _bars(axes: Axes, ours: Points, printed: Points) -> None:
    groups = ours | {f"{name} (printed)": points for name, points in printed.items()}
    places = list(dict.fromkeys(x for points in groups.values() for x, _ in points))
    width = 0.8 / max(1, len(groups))
    colours = dict(zip(_names(ours, printed), _colours(ours, printed), strict=True))
    for at, (name, points) in enumerate(groups.items()):
        shifts = [places.index(x) + (at - (len(groups) - 1) / 2) * width for x, _ in points]
        colour = colours[name.removesuffix(" (printed)")]
        axes.bar(shifts, [y for _, y in points], width, color=colour, label=name, alpha=1 if name in ours else 0.4)
    axes.set_xticks(range(len(places)), [str(place) for place in places])


def _names(ours: Points, printed: Points) -> list[str]:
    return list(dict.fromkeys([*ours, *printed]))


def _colours(ours: Points, printed: Points) -> list[str]:
    """Return a colour for each series; `auto` has its own."""
    others = cycle(COLOURS)
    return [AUTO if name == "auto" else next(others) for name in _names(ours, printed)]
