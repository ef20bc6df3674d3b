"""The members of a JSON object as they are written: a rule of another system keeps its digits and its repeated keys.

>>> list(members('{"a": {"price": [{"numeric": [">", 0.10]}]}, "b": "tea"}'))
[('a', '{"price": [{"numeric": [">", 0.10]}]}'), ('b', '"tea"')]
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def members(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and the texts of the values of a JSON object, which must be valid."""
    at = _after_space(text, _after_space(text, 0) + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        start = _after_space(text, _after_space(text, at) + 1)
        _, at = _DECODER.raw_decode(text, start)
        yield name, text[start:at]
        at = _after_space(text, at)
        at = _after_space(text, at + 1) if text[at] == "," else at


def rule_text(written: str) -> str | None:
    """Return a rule from its JSON: an object as it is written, or the text of a string; None for anything else."""
    if written.startswith("{"):
        return written
    return str(json.loads(written)) if written.startswith('"') else None


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
