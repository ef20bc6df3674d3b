"""Wang and Jacobsen, *REtriever* (Toronto, 2004): the figures of its section 4, and what it leaves out.

engines     the paper's engines, both ways to recombine, and `auto`; their work and their times on one workload
figures     Figures 2-1 to 6: the parameter that varies, the plot, the printed values
claims      what the paper says of them, as checks of the counts
splitting   where operators stand, letters, and the two minimums that the paper does not give
costs       building, inserting, deleting, memory
"""

from watchword.papers.experiments.retriever.costs import CHANGES
from watchword.papers.experiments.retriever.figures import FIGURES
from watchword.papers.experiments.retriever.splitting import MINIMUMS, PLACEMENT

EXPERIMENTS = (*FIGURES, PLACEMENT, MINIMUMS, CHANGES)
