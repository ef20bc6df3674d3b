"""REtriever (Wang and Jacobsen 2004): `structure` has the three methods, which differ in how phrases are cut.

How the words of a subscription are put together again is the option `recombination`: `beginnings`, the default here,
goes forward over beginnings that subscriptions share; `records` goes backwards over records of each subscription, as
the paper does. Both are a `recombination`.
"""

from watchword.patterns.retriever.structure import MultiRetriever, Retriever, SingleRetriever

__all__ = ["MultiRetriever", "Retriever", "SingleRetriever"]
