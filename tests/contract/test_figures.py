"""What an index says of itself."""

from __future__ import annotations

from tests.contract.cases import Case


class TestFigures:
    def test_stats(self, case: Case) -> None:
        model = case.model(40)
        index = case.index(model)
        figures = index.stats()
        assert figures.language == case.language.name
        assert figures.method == case.language.variants[case.label].get("method", figures.method)
        assert figures.subscriptions == len(model)
        assert figures.atoms > 0 and figures.bytes > 0
        assert (figures.nodes or 0) + (figures.postings or 0) > 0
        index.match_many(case.events(20))
        assert index.stats().operations_per_match > 0
        index.clear()
        assert (index.stats().subscriptions, index.stats().clauses) == (0, 0)
