r"""Text of strangers, made safe to look at: what would act on a terminal or turn text around is shown instead.

>>> print(visible("Sale\x1b[2J \u202etxt.exe"))
Sale\x1b[2J \u202etxt.exe
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["brief", "counted", "json_visible", "shown", "visible"]

# Control characters (C0, DEL, C1), marks, embeddings, overrides and isolates of the bidirectional algorithm, separators
# of lines and paragraphs, and lone surrogates, which no terminal can be sent.
_ACTING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_LINES = re.compile(f"[{_ACTING}]")
_ANYWHERE = re.compile(f"[\t\n{_ACTING}]")


def visible(text: str, *, lines: bool = False) -> str:
    """Return `text` with such characters as Python would write them, as ``\\x1b`` or ``\\u202e``.

    With `lines`, ends of lines and tabs stay: for a text that the program has laid out itself.
    """
    return _shown(text, _IN_LINES if lines else _ANYWHERE, _escaped)


def json_visible(text: str) -> str:
    """Return JSON with such characters as JSON writes them, so that it reads back as the same value."""
    return _shown(text, _IN_LINES, lambda found: f"\\u{ord(found[0]):04x}")


def brief(text: str, most: int = 60) -> str:
    """Return the beginning of a text that may be long, for an error that names it.

    >>> brief("greece"), brief("x" * 100, 5)
    ('greece', 'xxxxx…')
    """
    return text if len(text) <= most else text[:most] + "…"


def shown(value: object) -> str:
    """Return any value for an error that names it: as Python writes it, if it can, and not at length.

    >>> shown("s1"), shown(10**5000), shown(["x" * 100])[:9]
    ("'s1'", '<int>', "['xxxxxxx")
    """
    try:
        return brief(repr(value))
    except Exception:  # a whole number of more digits than Python writes; whatever a stranger's class does
        return f"<{type(value).__name__}>"


def counted(count: int, noun: str, nouns: str | None = None) -> str:
    """Return how many there are of something, `nouns` being the plural where that is not the noun with an s.

    >>> counted(1, "subscription"), counted(1200, "subscription"), counted(0, "property", "properties")
    ('1 subscription', '1,200 subscriptions', '0 properties')
    """
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def _shown(text: str, acting: re.Pattern[str], escape: Callable[[re.Match[str]], str]) -> str:
    return text if text.isprintable() else acting.sub(escape, text)
