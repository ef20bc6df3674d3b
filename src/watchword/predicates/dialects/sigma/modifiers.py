"""Modifiers of Sigma fields, ``CommandLine|windash|contains|all``: which there are, and what each does to a text.

>>> modified(pieces_of("-x"), ["windash", "contains"], Budget(), 1)[1]
(<Wild.ANY: '*'>, '/x', <Wild.ANY: '*'>)

A text goes through the modifiers in their order, and may become several texts; an event must have one of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from watchword.predicates.dialects.sigma.errors import SigmaError
from watchword.predicates.dialects.sigma.values import (
    Pieces,
    Wild,
    base64,
    base64_parts,
    pieces_of,
    plain_text,
    switches,
    tidy,
    with_dashes,
)

__all__ = ["Budget", "check_modifiers", "modified", "pieces_of"]

MAX_WRITTEN = 1 << 22
"""How many characters the texts of one rule may have, after windash, Base64 and repeated selections."""

ORDERS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
ENCODINGS = {"wide": "utf-16-le", "utf16le": "utf-16-le", "utf16be": "utf-16-be", "utf16": "utf-16-le"}
WHOLE = ("all", "neq", "cased")
"""Modifiers about all values of a field together."""

TEXTS = ("contains", "startswith", "endswith", "windash", "base64", "base64offset", *ENCODINGS)
ALONE = ("cidr", "exists", *ORDERS)
"""Modifiers that take no other beside them but `all` and `neq`."""

_DATES = "parts of dates are not asked for; compare a field that holds the part"
REFUSED = {
    "re": "regular expressions are not there yet; say it with wildcards, contains, startswith and endswith",
    "i": "it is a flag of re, and regular expressions are not there yet",
    "m": "it is a flag of re, and regular expressions are not there yet",
    "s": "it is a flag of re, and regular expressions are not there yet",
    "expand": "a placeholder has no value here; write the values in its place",
    "fieldref": "two fields of an event are not compared with each other; compare each with a value",
    **dict.fromkeys(("minute", "hour", "day", "week", "month", "year"), _DATES),
}


@dataclass
class Budget:
    """Counts the characters that a rule's texts come to."""

    written: int = 0

    def spend(self, characters: int, line: int) -> None:
        """Count characters, and refuse the rule when they are too many."""
        self.written += characters
        if self.written > MAX_WRITTEN:
            message = f"the rule's texts come to more than {MAX_WRITTEN:,} characters; split the rule"
            raise SigmaError(message, line=line)


def check_modifiers(names: list[str], line: int) -> None:
    """Raise a `SigmaError` if a modifier is unknown, cannot be said, or does not go with the others."""
    for name in names:
        if name in REFUSED:
            raise SigmaError(f"|{name}: {REFUSED[name]}", line=line)
        if name not in (*WHOLE, *TEXTS, *ALONE):
            known = ", ".join(sorted((*WHOLE, *TEXTS, *ALONE)))
            raise SigmaError(f"|{name}: there is no such modifier; there are {known}", line=line)
    alone = next((name for name in names if name in ALONE), None)
    others = [name for name in names if name not in ("all", "neq", alone)]
    if alone is not None and others:
        raise SigmaError(f"|{alone} does not go together with |{others[0]}; leave one out", line=line)


def modified(pieces: Pieces, names: list[str], budget: Budget, line: int) -> list[Pieces]:
    """Return the texts that a text becomes."""
    texts: list[Pieces | bytes] = [pieces]
    for name in names:
        if name in TEXTS:
            texts = [made for text in texts for made in _step(name, text, budget, line)]
    made = []
    for text in texts:
        if isinstance(text, bytes):
            raise SigmaError("UTF-16 is compared in Base64 only; add |base64offset|contains", line=line)
        budget.spend(sum([len(piece) for piece in text if isinstance(piece, str)]), line)
        made.append(text)
    return made


def _step(name: str, text: Pieces | bytes, budget: Budget, line: int) -> list[Pieces | bytes]:
    """Return the texts or bytes that one modifier makes of one text or of the bytes of an encoding before it."""
    if name in ("base64", "base64offset"):
        return list(_in_base64(name, text, line))
    if isinstance(text, bytes):
        raise SigmaError(f"|{name} does not follow an encoding; base64 and base64offset do", line=line)
    if name in ENCODINGS:
        mark = b"\xff\xfe" if name == "utf16" else b""
        return [mark + _without_wildcards(name, text, line).encode(ENCODINGS[name])]
    if name == "windash":
        budget.spend(len(text) * 5 ** min(switches(text), 20), line)
        return list(with_dashes(text))
    if name != "startswith" and text[:1] != (Wild.ANY,):
        text = (Wild.ANY, *text)
    if name != "endswith" and text[-1:] != (Wild.ANY,):
        text = (*text, Wild.ANY)
    return [text]


def _in_base64(name: str, text: Pieces | bytes, line: int) -> list[Pieces]:
    data = text if isinstance(text, bytes) else _without_wildcards(name, text, line).encode("utf-8")
    if name == "base64":
        return [tidy([base64(data)])]
    if len(data) < 2:
        raise SigmaError("|base64offset: one byte leaves nothing to look for; give a longer text", line=line)
    return [(part,) for part in base64_parts(data)]


def _without_wildcards(name: str, text: Pieces, line: int) -> str:
    plain = plain_text(text)
    if plain is None:
        message = f"|{name} encodes a text without wildcards; write |contains after it, or \\* for a star"
        raise SigmaError(message, line=line)
    return plain
