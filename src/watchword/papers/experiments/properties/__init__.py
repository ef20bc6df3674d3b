"""Kale, Hazan, Cao and Singh 2005, *Analysis and Algorithms for Content-Based Event Matching*.

Workload (section 6): subscriptions over 100 properties, each 0, 1 or a star with chances drawn around .05, .05 and .9;
100 events of the light query model (Zipf: t ones in proportion to t ** -alpha) or with each property 1 with probability
p ("exponential"), as bit strings. Not in the paper: its sizes, and its c; here c is 10.

The paper does not say of what its ratio is. Nodes visited are counted here, besides times: they do not depend on the
machine. `nodes_ratio` is the mean of TreeMatch over the mean of the method, `nodes_ratio_by_event` the mean of each
event's own ratio.
"""

from __future__ import annotations

from watchword.papers.experiments.properties.bounds import BOUNDS
from watchword.papers.experiments.properties.counting import SECTION_3
from watchword.papers.experiments.properties.distribution import FIGURE_4
from watchword.papers.experiments.properties.light import SWEEP_OF_C
from watchword.papers.experiments.properties.output import FIGURE_5, FIGURE_6
from watchword.papers.experiments.properties.size import FIGURE_3

EXPERIMENTS = (FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, SECTION_3, BOUNDS, SWEEP_OF_C)
