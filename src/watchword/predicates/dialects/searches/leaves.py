"""One condition on one field as a tree: words, phrases, whole values, existence, wildcards, edits.

>>> title, tag = Field("title", "text", (("title",),)), Field("tag", "keyword", (("tag",),))
>>> print(write(some(words(title, "Night boat"))), write(phrase(title, "Night boat", 2)), sep="; ")
title MATCHES 'night OR boat'; title MATCHES '"night boat"~2'
>>> form = pieces_of("f?rr*")
>>> print(write(wildcard(title, form, False, True)), write(wildcard(tag, form, False, False)), sep="; ")
title MATCHES 'f?rr*'; tag LIKE 'f_rr%'

A field of texts is asked for words, any other for its whole value. One that no mapping names is asked for words by full
texts, and for its whole value by single terms; a word that is a number, or true or false, also finds the value itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from watchword.keywords.proximity import MOST_SLOP, MOST_SLOPPY
from watchword.predicates.dialects.searches import fuzzy, values
from watchword.predicates.dialects.searches.dates import Dates
from watchword.predicates.dialects.searches.fields import Field
from watchword.predicates.dialects.searches.ranges import End, between
from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.trees import NONE, Leaf, Tree, Words, some, write
from watchword.predicates.dialects.searches.words import Word, family, folded_run, only_word, words_of
from watchword.predicates.dialects.searches.words import phrase as phrase_text
from watchword.predicates.dialects.sigma.selections import is_number
from watchword.predicates.dialects.sigma.values import Pieces, Wild, pieces_of, plain_text, spelled, tidy

__all__ = ["Field", "pieces_of", "some", "write"]


def reads_words(field: Field) -> bool:
    """Return whether full texts look for words in a field."""
    return field.kind in ("text", "any")


def _as_it_is(word: Word) -> list[str]:
    return [str(word)]


def words(
    field: Field, text: str, dates: Dates | None = None, forms: Callable[[Word], list[str]] = _as_it_is
) -> list[Tree]:
    """Return a tree for each word of a text; of a field of whole values one for the text. `forms` writes a word."""
    if not reads_words(field):
        return [whole(field, [text], dates)]
    found: list[Tree] = []
    own = _own_value(field, text)
    if own is not None:
        return [some([_asked(field, [phrase_text(words_of(text))]), own])]
    for one in words_of(text, field.analysis.stop_words):
        value = _own_value(field, " ".join(one.runs))
        tree = _asked(field, forms(one))
        found.append(tree if value is None else some([tree, value]))
    return found


def _own_value(field: Field, text: str) -> Tree | None:
    """Return that a field that no mapping names is the number or boolean that a text is."""
    if field.kind != "any" or not (is_number(text) or text in ("true", "false")):
        return None
    return some(Leaf(f"{attribute} = {text.upper()}") for attribute in field.attributes)


def _asked(field: Field, texts: Sequence[str], weight: int = 1) -> Tree:
    """Return that texts of a field have one of some words or phrases."""
    return some(Words(attribute, text, 2, weight) for attribute in field.attributes for text in texts)


def phrase(field: Field, text: str, slop: int = 0, dates: Dates | None = None) -> Tree | None:
    """Return that the words of a text stand side by side, or with a slop; None if it has no word."""
    if not reads_words(field):
        return whole(field, [text], dates)
    found = words_of(text, field.analysis.stop_words)
    if not found:
        return None
    runs = sum(len(word.runs) for word in found)
    if slop > MOST_SLOP or (slop and runs > MOST_SLOPPY):
        raise Refused(
            f"a phrase with a slop has at most {MOST_SLOPPY} words, and a slop of at most {MOST_SLOP:,}; leave the "
            "slop out, or ask for the words"
        )
    own = _own_value(field, text)
    tree = _asked(field, [phrase_text(found, slop)], runs)
    return tree if own is None else some([tree, own])


def phrase_prefix(field: Field, text: str) -> Tree | None:
    """Return that the words of a text stand side by side; the last may go on."""
    if field.kind == "keyword":
        return wildcard(field, tidy([text, Wild.ANY]), False, False)
    if not reads_words(field):
        raise Refused(f"the beginning of a word is looked for in texts, and {field.name} is of the type {field.kind}")
    found = words_of(text, field.analysis.stop_words)
    if not found:
        return None
    *before, last = [run for word in found for run in word.runs]
    beginning = family([last, "*"])
    if not before:
        return _asked(field, [beginning])
    return _asked(field, [f"{phrase_text([Word(tuple(before))])} BEFORE/1 {beginning}"], len(before) + 1)


def last_as_prefix(field: Field, text: str) -> Tree:
    """Return that a field has a word that begins with the last word of a text."""
    last = words_of(text, field.analysis.stop_words)[-1]
    if len(last.runs) == 1:
        return _asked(field, [family([last.runs[0], "*"])])
    return _asked(
        field, [f"{phrase_text([Word(last.runs[:-1])])} BEFORE/1 {family([last.runs[-1], '*'])}"], len(last.runs)
    )


def whole(field: Field, given: Sequence[Any], dates: Dates | None = None) -> Tree:
    """Return that a field is one of some values."""
    return some(_whole(field, attribute, given, dates) for attribute in field.attributes)


def _whole(field: Field, attribute: str, given: Sequence[Any], dates: Dates | None) -> Tree:
    if field.kind == "number":
        return values.equal_number(attribute, given, field.name)
    if field.kind == "boolean":
        return values.equal_boolean(attribute, given, field.name)
    if field.kind == "ip":
        return values.in_networks(attribute, given, field.name)
    if field.kind == "date" and dates is not None:
        own = Field(field.name, "date", field.paths, formats=field.formats, inside=field.inside)
        return some(between(own, End(value, True), End(value, True), dates) for value in given)
    if field.kind not in ("keyword", "any"):
        raise Refused(f"{field.name} is of the type {field.kind}, which is no value to compare; ask for a field in it")
    return values.equal(attribute, [values.text_of(value) for value in given], field.folded)


def terms(field: Field, given: Sequence[Any], dates: Dates, of: str, folded: bool = False) -> list[Tree]:
    """Return a tree for each of some terms, which are not analysed; `of` is the query that has them."""
    if field.kind == "text":
        return [
            _asked(field, [str(only_word(text.lower() if folded else text, of))]) for text in map(values.text_of, given)
        ]
    own = field if not folded else _folding(field, of)
    return [whole(own, [value], dates) for value in given]


def _folding(field: Field, of: str) -> Field:
    """Return a field that is compared case aside."""
    if field.kind not in ("keyword", "any"):
        raise Refused(f"{of} ignores case in texts, and {field.name} is of the type {field.kind}")
    return Field(field.name, "keyword", field.paths, folded=True, inside=field.inside)


def exists(field: Field) -> Tree:
    """Return that a field has a value."""
    return some(Leaf(f"{attribute} EXISTS") for attribute in field.attributes if attribute)


def wildcard(field: Field, pieces: Pieces, folded: bool, analysed: bool, of: str = "wildcard") -> Tree:
    """Return that a field has a word, or is a text, of some form.

    `analysed`: the texts are folded as words of the field are, and a field that no mapping names is asked for words;
    if not, they have to be folded already.
    """
    if pieces == (Wild.ANY,):
        return exists(field)
    if field.kind == "text" or (field.kind == "any" and analysed):
        parts = [part.value if isinstance(part, Wild) else folded_run(part) for part in pieces]
        if not (folded or analysed):
            _check_folded(pieces, parts, of)
        if not "".join(parts):
            return NONE
        made = family(parts) if Wild.ANY in pieces or Wild.ONE in pieces else str(Word(tuple(parts)))
        return _asked(field, [made])
    if field.kind not in ("keyword", "any"):
        raise Refused(f"{of} looks for a form of texts, and {field.name} is of the type {field.kind}")
    text = plain_text(pieces)
    if text is not None:
        return whole(_folding(field, of) if folded else field, [text])
    cased = not (folded or field.folded)
    return some(Leaf(spelled(attribute, pieces, cased=cased)) for attribute in field.attributes)


def _check_folded(pieces: Pieces, parts: list[str], of: str) -> None:
    for piece, part in zip(pieces, parts, strict=True):
        if isinstance(piece, str) and piece != part:
            raise Refused(
                f"{of} compares with words as they are indexed, in lower case, and {piece!r:.60} is not, so it would "
                f"never match; write {part!r:.60}, or case_insensitive"
            )


def similar(field: Field, word: Word, edits: int, beginning: int = 0, swaps: bool = True) -> Tree:
    """Return that texts of a field have a word within some edits of this one."""
    if not reads_words(field):
        raise Refused(
            f"edits are of words of texts, and {field.name} is of the type {field.kind}; ask for a field of type text"
        )
    if len(word.runs) > 1:
        raise Refused(f"edits are of single words, and {' '.join(word.runs)!r:.60} is several; write them apart")
    forms = fuzzy.similar(word.runs[0], edits, beginning, swaps)
    return _asked(field, forms) if forms else NONE
