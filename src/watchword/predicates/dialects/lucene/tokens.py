r"""Tokens of Lucene's classic query syntax, as its grammar has them: at each place the longest, of several the first.

>>> [token.kind for token in tokens_of('+title:ferr* "night boat"~2')]
['plus', 'term', 'colon', 'prefix', 'quoted', 'tilde', 'end']
>>> [token.text for token in tokens_of("[1 TO 3}^2")]
['[', '1', 'TO', '3', '}', '^', '2', '']

A backslash takes the next character as it is. Within a range, and behind a ``^``, there are other tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from watchword.errors import SubscriptionSyntaxError

MOST_CHARACTERS = 1 << 20
"""How many characters a query may have."""

_SPACE = " \t\n\r\u3000"
_FIRST = rf"(?:[^{_SPACE}+\-!():^\[\]\"{{}}~*?\\/]|\\.)"
_NEXT = rf"(?:[^{_SPACE}!():^\[\]\"{{}}~*?\\/]|\\.)"
_KINDS = {
    "and": r"AND|&&",
    "or": r"OR|\|\|",
    "not": r"NOT|!",
    "plus": r"\+",
    "minus": r"-",
    "sign": rf"[+\-!][{_SPACE}]",
    "open": r"\(",
    "close": r"\)",
    "colon": r":",
    "star": r"\*",
    "caret": r"\^",
    "quoted": r'"(?:[^"\\]|\\.)*+"',
    "term": rf"{_FIRST}{_NEXT}*+",
    "tilde": rf"~(?:[0-9]++(?:\.[0-9]++)?+)?{_NEXT}*+",
    "prefix": rf"{_FIRST}{_NEXT}*+\*",
    "wildcard": rf"(?:{_FIRST}|[*?])(?:{_NEXT}|[*?])*+",
    "regex": r"/(?:[^/\\]|\\.)*+/",
    "opens": r"[\[{]",
}
_TOKENS = {kind: re.compile(form, re.DOTALL) for kind, form in _KINDS.items()}
_IN_RANGE = {
    "to": re.compile("TO"),
    "closes": re.compile(r"[\]}]"),
    "quoted end": re.compile(r'"(?:[^"\\]|\\.)++"', re.DOTALL),
    "end of range": re.compile(r"[^\s\]}]++"),
}
_NUMBER = re.compile(r"[0-9]++(?:\.[0-9]++)?+", re.ASCII)
_REMEDIES = {
    '"': 'this quote is never closed; add the closing "',
    "/": "a / begins a regular expression, and none ends here; write \\/ for a slash",
    "\\": "a backslash takes the next character as it is, and there is none; write \\\\ for one",
    "]": "no range begins before this; write \\] for the sign",
    "}": "no range begins before this; write \\} for the sign",
}


class Token(NamedTuple):
    """A piece of a query."""

    kind: str
    text: str
    position: int


def tokens_of(query: str) -> Iterator[Token]:
    """Yield the tokens of a query, and an ``end``."""
    at, state = 0, _TOKENS
    while at < len(query):
        if query[at] in _SPACE:
            at += 1
            continue
        if state is not _IN_RANGE and query[at - 1 : at] == "^" and (number := _NUMBER.match(query, at)):
            yield Token("number", number[0], at)
            at = number.end()
            continue
        kind, text = _longest(query, at, state)
        yield Token(kind, text, at)
        at += len(text)
        state = _IN_RANGE if kind == "opens" else _TOKENS if kind == "closes" else state
    if state is _IN_RANGE:
        _fail("this range is never closed; write ] or } at its end", query, len(query))
    yield Token("end", "", len(query))


def _longest(query: str, at: int, forms: dict[str, re.Pattern[str]]) -> tuple[str, str]:
    best, length = "", 0
    for kind, form in forms.items():
        found = form.match(query, at)
        if found is not None and found.end() - at > length:
            best, length = kind, found.end() - at
    if not length:
        _fail(_REMEDIES.get(query[at], f"{query[at]!r} means nothing here; write a backslash before it"), query, at)
    return best, query[at : at + length]


def unescaped(text: str) -> str:
    r"""Return a text without its backslashes; ``\u0041`` is the character of that number.

    >>> unescaped(r"a\:b\\c\u0041")
    'a:b\\cA'
    """
    return re.sub(
        r"\\(?:u([0-9a-fA-F]{4})|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else found[2],
        text,
        flags=re.DOTALL,
    )


def _fail(reason: str, query: str, at: int) -> NoReturn:
    raise SubscriptionSyntaxError(reason, text=query, position=at)
