"""Why a text matches a pattern, piece by piece, or at which piece it fails."""

from __future__ import annotations

from watchword.index import ClauseReport
from watchword.patterns.alignment import Alignment, Folding, align, span
from watchword.patterns.query import Pattern
from watchword.visible import counted

_WIDTH = 40
_PIECES = 12


def report(subscription: str, pattern: Pattern, text: Folding | str) -> ClauseReport:
    """Return the aligned pieces of a pattern, or the first that fails.

    >>> from watchword.patterns.query import parse
    >>> print(report("song?blue*", parse("song?blue*"), "my song blue"))
    'song' at 3, '?' = ' ', 'blue' at 8, '*' = ''
    >>> print(report("song*blue", parse("song*blue"), "my song is red"))
    missing 'blue' after 'song' at 3 in: song*blue
    """
    folding = text if isinstance(text, Folding) else None
    searched = text.folded if isinstance(text, Folding) else text
    found = align(pattern, searched)
    if found.held:
        pieces = _pieces(pattern, found, searched, folding)
        if len(pieces) > _PIECES:
            half = _PIECES // 2
            pieces = [*pieces[:half], f"… {len(pieces) - _PIECES} more …", *pieces[-half:]]
        return ClauseReport(", ".join(pieces))
    return ClauseReport(_short(subscription), missing=(_failure(pattern, found, len(searched), folding),))


def _pieces(pattern: Pattern, found: Alignment, searched: str, folding: Folding | None) -> list[str]:
    """Return the words and gaps of an instance, spelled as in the text."""
    start, end = span(pattern, found.places)
    pieces: list[str] = []
    ends = [place + len(word) for place, word in zip(found.places, pattern.words, strict=True)]
    for number, (gap, low, high) in enumerate(zip(pattern.gaps, [start, *ends], [*found.places, end], strict=True)):
        if gap.questions or gap.star:
            pieces.append(f"{_quoted(str(gap))} = {_quoted(_slice(searched, low, high, folding))}")
        if number < len(pattern.words):
            pieces.append(f"{_quoted(pattern.words[number])} at {_original(high, folding)}")
    return pieces


def _failure(pattern: Pattern, found: Alignment, length: int, folding: Folding | None) -> str:
    """Return the message for the first piece that was not found, with the piece before it."""
    done = len(found.places)
    gap = pattern.gaps[done]
    if not pattern.words:
        return f"{_quoted(str(gap))}, for the text has {counted(length, 'character')}"
    wildcards = str(gap) if gap.questions else ""
    piece = _quoted(wildcards + (pattern.words[done] if done < len(pattern.words) else ""))
    if not done:
        return piece
    return f"{piece} after {_quoted(pattern.words[done - 1])} at {_original(found.places[-1], folding)}"


def _slice(searched: str, low: int, high: int, folding: Folding | None) -> str:
    if folding is None:
        return searched[low:high]
    first, last = folding.original(low, high)
    return folding.text[first:last]


def _original(place: int, folding: Folding | None) -> int:
    return place if folding is None else folding.original(place, place + 1)[0]


def _short(text: str) -> str:
    half = _WIDTH // 2
    return text if len(text) <= _WIDTH else f"{text[:half]}…{text[-half:]}"


def _quoted(text: str) -> str:
    return repr(_short(text))
