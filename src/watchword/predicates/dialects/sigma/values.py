r"""Texts of Sigma rules: literal pieces and wildcards, their encodings, and what they are in the predicate language.

>>> pieces_of(r"C:\Users\*\a?.exe")
('C:\\Users*\\a', <Wild.ONE: '?'>, '.exe')
>>> spelled("Image", pieces_of(r"C:\\*\\a?.exe"), cased=False)
"Image LIKE 'C:\\%\\a_.exe' IGNORING CASE"

``\*`` is a star, ``\?`` a question mark, ``\\`` a backslash, and any other backslash is itself.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import product
from typing import TypeAlias

from watchword.predicates.dialects.aws import quoted


class Wild(Enum):
    """A wildcard: any run of characters, also none, or one character."""

    ANY = "*"
    ONE = "?"


Pieces: TypeAlias = tuple[str | Wild, ...]
"""A text between its wildcards; no piece is empty, and no two texts or two ``*`` stand side by side."""

DASHES = "-/\u2013\u2014\u2015"
"""What `windash` takes for one another: hyphen, slash, en dash, em dash, horizontal bar."""

_SWITCH = re.compile(r"\B[-/]\b")


def pieces_of(text: str) -> Pieces:
    r"""Cut a text at its wildcards.

    >>> pieces_of(r"a\*b*\\?\c")
    ('a*b', <Wild.ANY: '*'>, '\\', <Wild.ONE: '?'>, '\\c')
    """
    if "*" not in text and "?" not in text and "\\\\" not in text:
        return (text,) if text else ()
    return tidy(_signs(text))


def _signs(text: str) -> Iterable[str | Wild]:
    signs = iter(re.findall(r"\\[*?\\]|[*?]|[^*?\\]+|\\", text))
    return (Wild(sign) if sign in "*?" else sign[-1] if sign[0] == "\\" else sign for sign in signs)


def tidy(pieces: Iterable[str | Wild]) -> Pieces:
    """Return pieces with texts joined and repeated ``*`` left out."""
    made: list[str | Wild] = []
    for piece in pieces:
        if isinstance(piece, str) and made and isinstance(made[-1], str):
            made[-1] += piece
        elif piece and not (piece is Wild.ANY and made and made[-1] is Wild.ANY):
            made.append(piece)
    return tuple(made)


def plain_text(pieces: Pieces) -> str | None:
    """Return the text of pieces without wildcards, else None."""
    if len(pieces) == 1 and isinstance(pieces[0], str):
        return pieces[0]
    return "" if not pieces else None


def accepts(pieces: Pieces, text: str) -> bool:
    """Return whether a text is of the form of pieces, case included.

    >>> accepts(("tr", Wild.ANY), "true"), accepts((Wild.ONE,), "")
    (True, False)
    """
    signs = {Wild.ANY: ".*", Wild.ONE: "."}
    form = "".join(re.escape(piece) if isinstance(piece, str) else signs[piece] for piece in pieces)
    return re.fullmatch(form, text, re.DOTALL) is not None


def switches(pieces: Pieces) -> int:
    """Return how many dashes `with_dashes` varies."""
    return sum(len(_SWITCH.findall(piece)) for piece in pieces if isinstance(piece, str))


def with_dashes(pieces: Pieces) -> list[Pieces]:
    """Return a text with every choice of dash where a switch begins: at ``-`` or ``/`` before a word, behind none.

    >>> [one[0] for one in with_dashes(("a -x-y",))]
    ['a -x-y', 'a /x-y', 'a –x-y', 'a —x-y', 'a ―x-y']
    """
    choices: list[Sequence[str | Wild]] = []
    for piece in pieces:
        if isinstance(piece, Wild):
            choices.append([piece])
            continue
        at = 0
        for found in _SWITCH.finditer(piece):
            choices += [[piece[at : found.start()]], DASHES]
            at = found.end()
        choices.append([piece[at:]])
    return [tidy(chosen) for chosen in product(*choices)]


def base64(data: bytes) -> str:
    """Return bytes in Base64."""
    return b64encode(data).decode("ascii")


def base64_parts(data: bytes) -> list[str]:
    """Return the constant characters of bytes in Base64, for data that begins at byte 0, 1 or 2 of three.

    A character of Base64 has six bits; the first and last ones, which neighbours also decide, are left out.

    >>> base64_parts(b"foo")
    ['Zm9v', 'Zvb', 'mb2']
    """
    found = []
    for before in range(3):
        first, last = -(-8 * before // 6), 8 * (before + len(data)) // 6
        found.append(base64(b"\0" * before + data)[first:last])
    return found


def spelled(attribute: str, pieces: Pieces, *, cased: bool) -> str:
    """Return the predicate that an attribute is such a text; with no attribute, that the texts of the index are.

    >>> spelled("a", (Wild.ANY, "50%", Wild.ONE), cased=True), spelled("a", (Wild.ANY, "x"), cased=False)
    ("a LIKE '%50!%_' ESCAPE '!'", "a ENDS WITH 'x' IGNORING CASE")
    """
    operator, operand = _form(pieces)
    words = [attribute, operator, operand, "" if cased else "IGNORING CASE"]
    return " ".join(word for word in words if word)


def _form(pieces: Pieces) -> tuple[str, str]:
    """Return the operator for pieces, and its operand."""
    match pieces:
        case [Wild.ANY, str() as text, Wild.ANY]:
            return "HAS", quoted(text)
        case [str() as text, Wild.ANY]:
            return "STARTS WITH", quoted(text)
        case [Wild.ANY, str() as text]:
            return "ENDS WITH", quoted(text)
    return "LIKE", _like(pieces)


def _like(pieces: Pieces) -> str:
    texts = "".join(piece for piece in pieces if isinstance(piece, str))
    signs = {Wild.ANY: "%", Wild.ONE: "_"}
    if not {"%", "_"} & set(texts):
        return quoted("".join(piece if isinstance(piece, str) else signs[piece] for piece in pieces))
    escaped = (re.sub("[%_!]", r"!\g<0>", one) if isinstance(one, str) else signs[one] for one in pieces)
    return f"{quoted(''.join(escaped))} ESCAPE '!'"
