"""An index that changes for ever stays as large as what it holds."""

from __future__ import annotations

import pytest

from benchmarks.changes import churn


@pytest.mark.slow
@pytest.mark.parametrize("language", ["keywords", "patterns", "predicates"])
def test_memory_is_bounded_while_subscriptions_come_and_go(language: str) -> None:
    """Free room comes and goes: hundreds of changes lie between two times that it is given back. So the second half of
    the changes, which has several such times in it, may take no more than the first did."""
    _, *parts = churn(language, 12_000, held=500, vocabulary=200, parts=24)
    assert [part.changes for part in parts] == list(range(500, 12_001, 500))
    for name in ("index_bytes", "catalog_bytes"):
        first, second = (max(getattr(part, name) for part in half) for half in (parts[:12], parts[12:]))
        assert second <= 1.25 * first, (name, parts)
    assert parts[-1].resident <= parts[11].resident + (32 << 20), parts
