"""Predicates about the form of a text as sequences with gaps: HAS, LIKE, STARTS WITH, ENDS WITH, MATCHES PATTERN.

    HAS 'ab'               a b
    STARTS WITH 'ab'       start a b *
    LIKE 'a%b_'            start a * b ? end
    MATCHES PATTERN 'a?b'  a ? b

One implies another if every text of the first form has the second (`sequences.containment`). What ignores case is about
case-folded texts: a form is folded to be compared with one that does, and a form that does implies none that does not.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.index.covering import Steps
from watchword.patterns.covering import tokens
from watchword.patterns.language import PatternLanguage
from watchword.patterns.query import parse
from watchword.predicates.predicate import Predicate
from watchword.predicates.readers.patterns import Patterns
from watchword.predicates.readers.reader import Surroundings
from watchword.predicates.readers.substrings import FoldedSubstrings, Substrings, is_part
from watchword.predicates.values import View
from watchword.sequences.containment import ANY, END, RUN, START, Token, contains


class Form(NamedTuple):
    """The form of a text, and whether it is about the case-folded text."""

    tokens: list[Token]
    folds: bool

    @property
    def asks_nothing(self) -> bool:
        """Return whether every text has the form."""
        return all(token is RUN for token in self.tokens)

    def folded(self) -> Form:
        """Return the form that the case-folded texts have; a character folds to one or more."""
        if self.folds:
            return self
        made: list[Token] = []
        for token in self.tokens:
            made += [ANY, RUN] if token is ANY else list(token.casefold()) if isinstance(token, str) else [token]
        return Form(made, True)


def form_of(predicate: Predicate, surroundings: Surroundings) -> Form | None:
    """Return the form that a predicate asks for; None if it asks for something else.

    >>> from watchword.predicates.plain import plain_predicate
    >>> form_of(plain_predicate("a = 5"), Surroundings({}))
    """
    if predicate.reader is Patterns:
        options = surroundings.reading.options(PatternLanguage, predicate.attribute)
        pattern = parse(predicate.constants[0], options["max_length"])
        folds = bool(options["ignore_case"])
        return Form(tokens(pattern.folded() if folds else pattern), folds)
    if predicate.reader in (Substrings, FoldedSubstrings):
        (pieces,) = predicate.constants
        inside = [one for piece in pieces for one in ([RUN] if piece is None else list(piece) or [ANY])]
        whole = inside if is_part(pieces) else [START, *inside, END]
        return Form(whole, predicate.reader is FoldedSubstrings)
    if predicate.operator == "STARTS WITH":
        return Form([START, *predicate.constants[0][1], RUN, END], predicate.view is View.FOLDED)
    if predicate.operator == "ENDS WITH":
        text = predicate.constants[0][1][::-1]
        return Form([START, RUN, *text, END], predicate.view is View.FOLDED_BACKWARDS)
    return None


def form_implies(narrow: Form, wide: Form, steps: Steps) -> bool:
    """Return whether every text of one form is seen to have another."""
    if wide.asks_nothing:
        return True
    if narrow.folds and not wide.folds:
        return False
    return contains(wide.tokens, (narrow.folded() if wide.folds else narrow).tokens, steps)
