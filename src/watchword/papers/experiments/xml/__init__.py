"""Silvasti, Sippu and Soisalon-Soininen 2010, *Online Dictionary Matching for Streams of XML Documents*.

Figure 1 on three DTDs, filtering; all occurrences against the first; states of the automata; Lemma 2, Theorem 2 and the
bound of PMA2, checked by output tuples touched and changed. `workload` says what stands for the paper's documents.
"""

from __future__ import annotations

from watchword.papers.experiments.xml.bounds import BOUNDS
from watchword.papers.experiments.xml.filtering import FIGURE_1, STATES
from watchword.papers.experiments.xml.occurrences import OCCURRENCES

EXPERIMENTS = (FIGURE_1, STATES, OCCURRENCES, BOUNDS)
