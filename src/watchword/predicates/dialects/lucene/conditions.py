"""What a clause of Lucene's syntax asks of the fields that it is about.

A clause without a field asks the default fields, and each word may stand in another of them, as with Lucene's parser of
several fields. ``_exists_:title`` and ``title:*`` ask for a value, ``*:*`` for every event, ``price:>=3`` for a range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from watchword.predicates.dialects.searches import leaves
from watchword.predicates.dialects.searches.dates import Dates
from watchword.predicates.dialects.searches.fields import Field, Fields
from watchword.predicates.dialects.searches.fuzzy import edits_of_similarity
from watchword.predicates.dialects.searches.ranges import End, between
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import ALL, Budget, Tree, some
from watchword.predicates.dialects.searches.words import Word, words_of
from watchword.predicates.dialects.sigma.values import Pieces, Wild, pieces_of, tidy

_ORDER = re.compile(r"(>=|<=|>|<)(.+)", re.DOTALL)


def check_dropped(drop: Collection[str]) -> None:
    """Refuse what cannot be dropped."""
    unknown = sorted(set([drop] if isinstance(drop, str) else drop) - {"boost"})
    if unknown:
        raise Refused(f"drop has {unknown[0]!r}; only 'boost' can be dropped, which is all that weighs")


class LuceneConditions:
    """Conditions as Lucene's classic parser makes them."""

    def __init__(
        self,
        fields: Fields,
        default: Callable[[], Sequence[Field]],
        dates: Dates,
        *,
        requires: bool,
        drop: Collection[str] = (),
    ) -> None:
        """`default` returns the fields that clauses without a field ask; it is called where there is one."""
        self._fields, self._default_fields, self._dates = fields, default, dates
        self.requires = requires
        self._drops = "boost" in drop
        self.budget = Budget()

    @property
    def _default(self) -> Sequence[Field]:
        return self._default_fields()

    def several(self, field: str | None, texts: list[str]) -> list[Tree]:
        """Return a clause for each word of terms that stand side by side, or of one term such as wi-fi."""
        return [tree for text in texts for tree in self._words(field, text)]

    def phrase(self, field: str | None, text: str, slop: int | None) -> Tree | None:
        """Return the words of a phrase, near each other if it has a slop."""
        if field == "_exists_":
            return self._exists(text)
        return self.any_of(field, lambda one: leaves.phrase(one, text, slop or 0, self._dates))

    def similar(self, field: str | None, text: str, edits: str) -> Tree | None:
        """Return words that are similar to a term."""
        words = words_of(text)
        if len(words) != 1 or len(words[0].runs) > 1 or not words[0].runs[0].isalnum():
            raise Refused(f"edits are of single words, and {text!r:.60} is none; write its words apart")
        [word] = words
        return self.any_of(field, lambda one: self.similar_in(one, word, edits))

    def similar_in(self, one: Field, word: Word, edits: str) -> Tree:
        """Return that a field has a similar word; `edits` is the text behind the tilde."""
        return leaves.similar(one, word, edits_of_similarity(edits, word.runs[0]))

    def wildcard(self, field: str | None, written: str) -> Tree | None:
        """Return words of a form."""
        if written == "*" and field in (None, "*"):
            return self.anything(field)
        pieces = wildcards_of(written)
        if field == "_exists_":
            raise Refused("_exists_ takes the name of one field; write each")
        return self.any_of(field, lambda one: leaves.wildcard(one, pieces, True, True, "a wildcard"))

    def anything(self, field: str | None) -> Tree:
        """Return what a lone star asks for: every event."""
        return ALL

    def between(self, field: str | None, low: End | None, high: End | None) -> Tree | None:
        """Return values in a range."""
        if field is None and not any(one.name for one in self._default):
            raise Refused("a range asks a field; write it before the range, as in price:[1 TO 3]")
        return self.any_of(field, lambda one: between(one, low, high, self._dates))

    def weigh(self) -> None:
        """Refuse a weight, unless weights are dropped."""
        if not self._drops:
            raise Refused(
                '^ weighs, and a match has no score; leave it out, or say drop=("boost",) to leave out all weights'
            )

    def asked(self, field: str | None) -> Sequence[Field]:
        """Return the fields that a clause asks."""
        if field is None or field == "*":
            return self._default
        return self._fields.matching(field) if "*" in field else [self._fields.field(field)]

    def any_of(self, field: str | None, condition: Callable[[Field], Tree | None]) -> Tree | None:
        """Return that a condition holds of one of the fields; None if it asks nothing of any."""
        found = [condition(one) for one in self.asked(field)]
        kept = [tree for tree in found if tree is not None]
        return some(kept) if kept else None

    def _words(self, field: str | None, text: str) -> list[Tree]:
        """Return a tree for each word of a term, in any of the fields."""
        if field == "_exists_":
            return [self._exists(text)]
        order = _ORDER.fullmatch(text) if field is not None else None
        if order is not None:
            end = End(order[2], len(order[1]) == 2)
            low, high = (end, None) if order[1][0] == ">" else (None, end)
            found = self.any_of(field, lambda one: between(one, low, high, self._dates))
            return [] if found is None else [found]
        asked = []
        for one in self.asked(field):
            asked.append(leaves.words(one, text, self._dates))
            self.budget.spend(len(asked[-1]))
        return [some(trees[at] for trees in asked if at < len(trees)) for at in range(max(map(len, asked), default=0))]

    def _exists(self, name: str) -> Tree:
        return some(leaves.exists(one) for one in self.asked(name))


def wildcards_of(written: str) -> Pieces:
    r"""Return the texts of a term between its wildcards; a backslash takes the next character as it is.

    >>> wildcards_of(r"fer\*r?*")
    ('fer*r', <Wild.ONE: '?'>, <Wild.ANY: '*'>)
    """
    signs = (found for found in re.findall(r"\\.|[*?]|[^\\*?]+|\\", written, re.DOTALL))
    return tidy(
        Wild(sign) if sign in ("*", "?") else sign[1:] if sign[0] == "\\" and sign[1:] else sign for sign in signs
    )


__all__ = ["LuceneConditions", "check_dropped", "pieces_of", "wildcards_of"]
