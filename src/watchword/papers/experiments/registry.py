"""The registry of experiments: a paper, and the module that declares its tables and figures.

Adding a paper adds one line here; its module has `EXPERIMENTS`, a tuple. Nothing is imported until it is asked for:
``predicates/figure-5`` loads the module of the predicates alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module

from watchword.errors import ExperimentError
from watchword.papers.experiments.experiment import Experiment

PAPERS: dict[str, str] = {
    "retriever": "watchword.papers.experiments.retriever",
    "thesis": "watchword.papers.experiments.thesis",
    "xml": "watchword.papers.experiments.xml",
    "predicates": "watchword.papers.experiments.predicates",
    "properties": "watchword.papers.experiments.properties",
}

ALL = "all"


def papers() -> list[str]:
    """Return the papers that have experiments."""
    return list(PAPERS)


def experiments(paper: str) -> tuple[Experiment, ...]:
    """Return the experiments of a paper, in the order in which the paper has them."""
    found: tuple[Experiment, ...] = import_module(PAPERS[paper]).EXPERIMENTS
    return found


def every_experiment() -> list[Experiment]:
    """Return all experiments of all papers."""
    return [experiment for paper in PAPERS for experiment in experiments(paper)]


def chosen(names: Iterable[str]) -> list[Experiment]:
    """Return the experiments of these names, each once; a paper's name stands for all of its, ``all`` for everything.

    An unknown name is refused, with the nearest that there is.
    """
    found: dict[str, Experiment] = {}
    for name in names:
        found |= {experiment.name: experiment for experiment in _named(name)}
    return list(found.values())


def _named(name: str) -> Iterable[Experiment]:
    if name == ALL:
        return every_experiment()
    if name in PAPERS:
        return experiments(name)
    paper = name.partition("/")[0]
    found = [each for each in experiments(paper) if each.name == name] if paper in PAPERS else []
    if not found:
        raise ExperimentError(_remedy(name), name=name)
    return found


def _remedy(name: str) -> str:
    known = [experiment.name for experiment in every_experiment()] + [*PAPERS, ALL]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    meant = f"the nearest {'is' if len(near) == 1 else 'are'} {', '.join(near)}; " if near else ""
    return f"there is no such experiment; {meant}`watchword experiments list` shows all"
