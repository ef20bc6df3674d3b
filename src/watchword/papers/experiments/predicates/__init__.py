"""Wang, Quan and Zhao 2019, *Notes and Implementation of Algorithms*, after Pereira et al. 2000: Figures 5 to 8.

Workload (`workloads.predicates`): S subscriptions of NP predicates, EQ of them equalities and the others ``<`` or
``>``, the operators of the notes' program, each on another of A = 16 attributes with V values. Where the notes are
silent: A is 16, the most that Figure 4 has; Figure 7 is drawn twice, with all predicates equalities and with EQ = 4;
Figure 8 has NP = 4. Operations are counter increments of `counting`, predicates checked of the two clustered methods,
blocks read of `auto`; they do not depend on the machine.

The figures are of time, and so are the verdicts on them: reading an event, which is the same work for all, is part of
it. Operations, which are those of the second phase, stand beside, and say why where a time does not follow.
"""

from __future__ import annotations

from watchword.papers.experiments.predicates.figures import FIGURE_5, FIGURE_6, FIGURE_7, FIGURE_7_FOUR, FIGURE_8
from watchword.papers.experiments.predicates.sections import SECTION_4, SECTION_5

EXPERIMENTS = (FIGURE_5, FIGURE_6, FIGURE_7, FIGURE_7_FOUR, FIGURE_8, SECTION_4, SECTION_5)
