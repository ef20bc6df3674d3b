"""The experiments of Kourdounakis 2011 (chapters 3 to 6), each a declaration.

Files in the order of the chapters: `parameters` (C, K and the inputs), `simple` (small indexes and their nodes),
`distributions` (the full ones, and how they grow), `sizes` (lengths and vocabularies), `containment` (section 5.1.3),
`future` (what chapter 6 leaves), `predicted` (the cost models of chapter 2). `indexes` builds and matches for all;
`distribution_claims` and `size_claims` have the claims of two of them.
"""

from __future__ import annotations

from watchword.papers.experiments.experiment import Experiment
from watchword.papers.experiments.thesis.containment import SECTION_5_1_3
from watchword.papers.experiments.thesis.distributions import TABLES_4_4_TO_4_6
from watchword.papers.experiments.thesis.future import DRIFT, SIMILARITY
from watchword.papers.experiments.thesis.parameters import FIGURE_4_1, TABLE_3_1, TABLE_3_2
from watchword.papers.experiments.thesis.predicted import MODELS
from watchword.papers.experiments.thesis.simple import TABLES_4_2_AND_4_3
from watchword.papers.experiments.thesis.sizes import FIGURE_4_11, TABLES_4_7_AND_4_8, TABLES_4_9_AND_4_10

EXPERIMENTS: tuple[Experiment, ...] = (
    TABLE_3_1,
    TABLE_3_2,
    FIGURE_4_1,
    TABLES_4_2_AND_4_3,
    TABLES_4_4_TO_4_6,
    TABLES_4_7_AND_4_8,
    TABLES_4_9_AND_4_10,
    FIGURE_4_11,
    SECTION_5_1_3,
    SIMILARITY,
    DRIFT,
    MODELS,
)
