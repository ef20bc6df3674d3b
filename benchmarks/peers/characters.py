"""What every character is and becomes in a term (`watchword.text.folding`), as a file for analysers of others.

word 61 7a      the characters from a to z are parts of terms
mark 300 36f    these are where they follow such a character
fold df 73 73   ß is replaced by ss; nothing behind the first: it is left out
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from watchword.kernels.text.characters import MARK, SEPARATOR, WORD
from watchword.text.folding import Folding

# Every assigned character lies here, but for those of private use; surrogates are none.
_CODES = (*range(0xD800), *range(0xE000, 0x40000), *range(0xE0000, 0xE1000))
_NAMES = {WORD: "word", MARK: "mark"}


def write_characters(path: Path) -> None:
    """Write what differs from a separator that stays as it is."""
    path.write_text("".join(f"{line}\n" for line in character_lines()), encoding="ascii")


def character_lines() -> Iterator[str]:
    """Yield the lines of the file: stretches of word characters and marks, then what is replaced."""
    folding = Folding()
    kinds = [(code, folding.kind(chr(code))) for code in _CODES]
    # Neighbours of one kind have the same difference between code and place among their like.
    for (kind, _), stretch in groupby(enumerate(kinds), key=lambda at: (at[1][1], at[1][0] - at[0])):
        codes = [code for _, (code, _) in stretch]
        if kind != SEPARATOR:
            yield f"{_NAMES[kind]} {codes[0]:x} {codes[-1]:x}"
    for code in _CODES:
        folded = folding.char(chr(code))
        if folded != chr(code):
            yield " ".join(["fold", f"{code:x}", *(f"{ord(char):x}" for char in folded)])
