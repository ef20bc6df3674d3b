"""Where in an event the words and phrases of a subscription stand.

An event is a text, several texts by names, or a list of terms, as for matching (`reader`). It is read once, by the
analyser in plain Python, and may then be asked for any number of subscriptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from watchword.index.events import decoded
from watchword.index.places import Place, Placing
from watchword.index.texts import texts_of_one
from watchword.keywords.query import Grammar, plain_words, show
from watchword.keywords.reader import Reader
from watchword.sets.boolean import And, Tree
from watchword.sets.held import held
from watchword.text.places import TermPlace, TermsOfText, term_places


def placing(event: Any, reader: Reader, grammar: Grammar) -> Placing:
    """Return an event as it is asked where the words of a subscription stand in it."""
    texts = _texts(event, reader, grammar)
    names, terms = list(texts), TermsOfText(list(texts.values()))

    def places(text: str) -> Iterator[Place]:
        for atom in dict.fromkeys(held(_tree(text, grammar), terms.has) or ()):
            for number, start, end in terms.find(atom):
                yield Place(start, end, names[number], None, show(atom))

    return Placing(places, names.index)


def event_terms(event: Any, reader: Reader, grammar: Grammar) -> TermsOfText:
    """Return the terms of an event, ready to be asked where they stand."""
    return TermsOfText(list(_texts(event, reader, grammar).values()))


def _tree(text: str, grammar: Grammar) -> Tree:
    """Return a subscription as a tree; words of ASCII without the parser."""
    words = plain_words(text, grammar.literal_operators) if grammar.analyzer.is_plain else None
    return And([(word,) for word in words]) if words else grammar.tree(text)


def _texts(event: Any, reader: Reader, grammar: Grammar) -> dict[str | None, list[TermPlace]]:
    """Return the terms of each text of an event by the text's name; a single text has none."""
    event = decoded(event, 0)
    if isinstance(event, str):
        return {None: term_places(event, grammar.analyzer)}
    if isinstance(event, Mapping):
        texts_of_one(event, 0)  # which raises
        there = {str(name): decoded(text, 0) for name, text in event.items() if text is not None}
        return {name: term_places(text, grammar.analyzer) for name, text in there.items()}
    terms = reader.terms(event)
    return {None: [TermPlace(term, position, position + 1) for position, term in enumerate(terms)]}
