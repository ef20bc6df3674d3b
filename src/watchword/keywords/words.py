"""One word or quotation of a subscription: its signs, and the atom that it asks for.

| written | signs | atom |
| --- | --- | --- |
| ``greece`` | | the term ``("greece",)`` |
| ``rock-n-roll``, ``"debt crisis"`` | | a phrase, ``("debt", "crisis")`` |
| ``ferr*``, ``f?rry``, ``ferr?~0`` | wildcards | a family, ``(MARK + "ferr*",)`` (`text.families`) |
| ``ferry~1`` | edits | a family |
| ``"debt crisis"~3`` | slop | `Sloppy` |
| ``^ferry``, ``"night boat"$`` | borders | a `Chain` of one part |

A star is a wildcard where it touches a word; a question mark within a word, and with ``~0`` also at its ends. In quotes
there are none. ``^`` stands before a word, ``$`` behind one that ends with no digit: ``100$`` is an amount. Addresses,
such as ``www.example.com/a*b``, have no signs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from watchword.errors import SubscriptionSyntaxError
from watchword.kernels.text.characters import CJK, SEPARATOR
from watchword.kernels.text.characters import MARK as COMBINING
from watchword.keywords.foreign import QUOTES, is_address
from watchword.keywords.proximity import MOST_SLOP, MOST_SLOPPY, Chain, Sloppy, Words
from watchword.text.analyzer import Analyzer
from watchword.text.families import LONGEST, MARK, MOST_EDITS, is_family
from watchword.text.folding import Folding, kind_of

Atom = tuple[str, ...] | Chain | Sloppy

_SIGNS = re.compile(
    rf"(?P<begins>\^(?=[^\W_]|[*{QUOTES}]))?(?P<quoted>[{QUOTES}])?(?P<inside>.*?)(?(quoted)[{QUOTES}])"
    r"(?:~(?P<edits>[0-9]{1,9}))?(?P<ends>\$)?",
    re.DOTALL,
)
_WILDCARDS = re.compile(r"[*?]+")
_WORD = re.compile(r"\w")
_BEFORE_END = re.compile(r"[^\W\d]|[*?]|[^\x00-\x7f]")


class Signed(NamedTuple):
    """A word or quotation without its signs."""

    inside: str
    quoted: bool
    begins: bool
    ends: bool
    edits: int | None


def signed(text: str) -> Signed:
    """Return a word or quotation and its signs.

    >>> signed('^"night boat"'), signed("ferry~1").edits, signed("100$").ends, signed("us$").ends
    (Signed(inside='night boat', quoted=True, begins=True, ends=False, edits=None), 1, False, True)
    """
    found = _SIGNS.fullmatch(text)
    if found is None:
        return Signed(text, False, False, False, None)
    begins, quoted, inside, edits, ends = found.group("begins", "quoted", "inside", "edits", "ends")
    if quoted is None and (not _WORD.search(inside) or is_address(text)):
        return Signed(text, False, False, False, None)
    if ends and edits is None and quoted is None and not _BEFORE_END.match(inside[-1:]):
        ends = None
    return Signed(inside, quoted is not None, bool(begins), bool(ends), None if edits is None else int(edits))


class Refusal(Exception):
    """Why a word is refused, and at which of its characters."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.at = at

    def error(self, text: str, position: int) -> SubscriptionSyntaxError:
        """Return the error for a word that stands at a position of a text."""
        return SubscriptionSyntaxError(str(self), text=text, position=position + self.at)


def read_word(text: str, analyzer: Analyzer, min_plain: int) -> Atom | None:
    """Return the atom of a word or quotation; None if it asks nothing. Raises `Refusal`.

    >>> read_word("Ferr*", Analyzer(), 2) == (MARK + "ferr*",), str(read_word('"debt crisis"~3', Analyzer(), 2))
    (True, '"debt crisis"~3')
    """
    word = signed(text)
    if word.quoted:
        names = tuple(analyzer.terms(word.inside))
        if word.edits:
            return _sloppy(names, word)
    else:
        names = _names(word, analyzer, min_plain)
    if not names:
        return None
    if word.begins or word.ends or (len(names) > 1 and any(map(is_family, names))):
        return Chain(((Words(names, word.begins, word.ends),),))
    return names


def _sloppy(names: tuple[str, ...], word: Signed) -> Atom | None:
    slop = word.edits or 0
    if slop > MOST_SLOP:
        raise Refusal(f"a slop of more than {MOST_SLOP}; AND finds words anywhere", len(word.inside) + 3)
    if len(names) > MOST_SLOPPY:
        raise Refusal(f"a phrase with a slop has at most {MOST_SLOPPY} words, this one {len(names)}")
    if word.begins or word.ends:
        raise Refusal("a phrase with a slop stands anywhere; leave out the ^ or $, or the slop")
    return Sloppy(names, slop) if len(names) > 1 else names or None


def _names(word: Signed, analyzer: Analyzer, min_plain: int) -> tuple[str, ...]:
    """Return the names of the terms and families of a word without quotes."""
    if word.edits:
        return (_near_family(word, analyzer),)
    wildcards = [] if is_address(word.inside) else _wildcards(word, analyzer.folding)
    if not wildcards:
        return tuple(analyzer.terms(word.inside))
    names: list[str] = []
    for form in _forms(word.inside, wildcards, analyzer.folding):
        if not any(sign in form for sign in "*?"):
            names += analyzer.refine([form])
            continue
        plain = len(form) - form.count("*") - form.count("?")
        if plain < min_plain:
            characters = "1 plain character" if plain == 1 else f"{plain} plain characters"
            raise Refusal(f"{form} has {characters}; write at least min_plain={min_plain}", wildcards[0][0])
        names.append(MARK + form)
    return tuple(names)


def _wildcards(word: Signed, folding: Folding) -> list[tuple[int, int]]:
    """Return where the wildcards of a word stand.

    >>> _wildcards(signed("*f?rr*y?"), Folding()), _wildcards(signed("ferr?~0"), Folding())
    ([(0, 1), (2, 3), (5, 6)], [(4, 5)])
    """
    text, places = word.inside, []
    for found in _WILDCARDS.finditer(text):
        start, end = found.span()
        left = start > 0 and _is_in_word(text[start - 1], folding)
        right = end < len(text) and _is_in_word(text[end], folding)
        if word.edits is None and not (left and right):
            signs = found.group()
            start, end = (start, start + signs.rfind("*") + 1) if left else (end - len(signs.lstrip("?")), end)
        if start < end and (left or right):
            places.append((start, end))
    return places


def _is_in_word(char: str, folding: Folding) -> bool:
    return any(kind_of(one) != SEPARATOR for one in folding.char(char))


def _forms(text: str, wildcards: list[tuple[int, int]], folding: Folding) -> list[str]:
    """Return the folded words of a word with wildcards.

    >>> _forms("Wi-F?-5*", [(4, 5), (7, 8)], Folding())
    ['wi', 'f?', '5*']
    """
    forms, form, at = [], "", 0
    for start, end in [*wildcards, (len(text), len(text))]:
        folded = folding.text(text[at:start])
        if any(folding.kind(char) == CJK for char in folded):
            raise Refusal('with cjk="bigrams" characters are found anywhere in a word; leave out the wildcard', start)
        if form and folded and kind_of(folded[0]) == COMBINING:
            raise Refusal("a wildcard stands for whole characters, and an accent alone follows this one", at)
        spans = folding.spans(folded)
        for first, last in spans:
            if first > 0:
                forms.append(form)
                form = ""
            form += folded[first:last]
        if folded and (not spans or spans[-1][1] < len(folded)):
            forms.append(form)
            form = ""
        signs = text[start:end]
        form += "?" * signs.count("?") + "*" * ("*" in signs)  # in one order: *?* and ?* are the same
        at = end
    return [one for one in [*forms, form] if one.strip("*?")]


def _near_family(word: Signed, analyzer: Analyzer) -> str:
    edits, at = word.edits or 0, len(word.inside)
    if edits > MOST_EDITS:
        raise Refusal(f"a word is found within at most {MOST_EDITS} edits; write ~{MOST_EDITS}", at)
    if "*" in word.inside or "?" in word.inside:
        raise Refusal("a word has wildcards or edits, not both; leave one out", at)
    runs = analyzer.folding.runs(word.inside)
    if len(runs) != 1:
        raise Refusal("edits are for one word; write each word with its own ~1, or ~2", at)
    if not edits < len(runs[0]) <= LONGEST:
        reason = (
            f"a word with ~{edits} has {edits + 1} to {LONGEST} characters, and {runs[0][:40]!r} has {len(runs[0])}"
        )
        raise Refusal(reason, at)
    return f"{MARK}{runs[0]}~{edits}"
