"""What `stats` says of the atoms in use, against literal numbers, however subscriptions came in."""

from __future__ import annotations

import pytest

from watchword import Index, KeywordIndex, PredicateIndex

KEYWORDS = {"a": "x OR y z", "b": '"x y" NOT w', "c": "q"}
RULES = {"a": "x = 1 OR y = 2 AND z = 3", "b": "NOT w = 1", "c": "q = 1"}


@pytest.mark.parametrize("bulk", [True, False])
@pytest.mark.parametrize(("kind", "texts", "left"), [(KeywordIndex, KEYWORDS, 4), (PredicateIndex, RULES, 2)])
def test_atoms_in_use_are_counted(kind: type[Index[str]], texts: dict[str, str], left: int, bulk: bool) -> None:
    """Five atoms; without the first subscription those of the other two are left."""
    index = kind(texts) if bulk else kind()
    for key, text in texts.items():
        index[key] = text
    assert index.stats().atoms == 5
    del index["a"]
    assert index.stats().atoms == left
    index.clear()
    assert index.stats().atoms == 0
