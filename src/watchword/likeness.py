"""Which language does a refused text look like? Whoever forgot to name a language is told, behind the reason.

>>> likely("ferry AND harbour"), likely("value > 20"), likely("//a[@b]"), likely('{"source": ["x"]}'), likely("10* 1")
('keywords', 'predicates', 'paths', 'JSON', None)
>>> hinted(SubscriptionSyntaxError("expected a name", text="ferry AND harbour", position=6), "paths").reason
'expected a name; this looks like keywords, which the language keywords reads'

A guess changes no answer: it is made of a text that its own language has refused. A text with a sign of its own
language gets no hint, unless it begins as no text of that language does: as JSON, a rule of Sigma, or a path.
"""

from __future__ import annotations

import re

from watchword.errors import SubscriptionSyntaxError

_SIGNS = (
    ("JSON", re.compile(r'\s*\{\s*"')),
    (
        "Sigma",
        re.compile(r"(?m)^\s*(?:detection|logsource|condition)\s*:|\w\|(?:contains|startswith|endswith|re|all)\b"),
    ),
    ("paths", re.compile(r"\s*//?(?:\*|@?[^\W\d][\w.-]*)\s*(?:[/\[]|$)")),
    ("properties", re.compile(r"(?:[\s,]*[^\s,=]+\s*=\s*[01*](?![^\s,]))+\s*$|\s*(?=[01*]*[01])[01*]{2,}\s*$")),
    (
        "predicates",
        re.compile(
            r"""[\w")\]]\s*(?:<>|[<>!=]=|[<>=])\s*(?:['"\w-])"""
            r"|\b(?:MATCHES|I?LIKE|HAS|CONTAINS|WITH|PATTERN|PATH|OF|CIDR)\s+'"
            r"|\b(?:IS\s+(?:NULL|MISSING)|BETWEEN|EXISTS)\b|\bIN\s*\("
        ),
    ),
)
"""By language or form, the beginning of a text, or a part of it; the first that fits decides. If none does, two words
without a sign that keywords have not are keywords."""

_OWN = {
    "predicates": re.compile(
        r"[<>=']|\b(?:IS|IN|BETWEEN|STARTS|ENDS|KIND|ANY|AS|EXISTS|HAS|LIKE|ILIKE|MATCHES|CONTAINS)\b"
    ),
    "paths": re.compile(r"\A\s*/|\[|@"),
    "properties": re.compile(r"=\s*[01*]|[^\s<>!=]=[^\s'=]"),
}
"""What only a text of the language itself has: with it, there is no doubt which one is meant."""

_WORD, _LETTER = re.compile(r"\w"), re.compile(r"[^\W\d]")
_NO_KEYWORD = re.compile(r"""[^\w\s()"“”„«»'+*?~^$/.,:;!&|#@-]""")

MOST = 1000
"""Characters of a text that are looked at."""

_HINTS = {
    "JSON": "this looks like a rule in JSON, which the language predicates takes by its dialects",
    "Sigma": "this looks like a rule of Sigma, which the language predicates takes by the dialect sigma",
    "keywords": "this looks like keywords, which the language keywords reads",
    "paths": "this looks like a path, which the language paths reads",
    "predicates": "this looks like a predicate, which the language predicates reads",
    "properties": "this looks like properties, which the language properties reads",
}
_INSIDE = {"keywords": "body MATCHES '…'", "paths": "story MATCHES PATH '…'"}
"""How a predicate asks in other languages."""


def likely(text: str) -> str | None:
    """Return the language or form that a text looks like, None if it looks like nothing."""
    head = text[:MOST]
    for name, sign in _SIGNS:
        if sign.search(head) if name in _ANYWHERE else sign.match(head):
            return name
    words = [word for word in head.split() if _WORD.search(word)]
    return "keywords" if len(words) > 1 and not _NO_KEYWORD.search(head) and _LETTER.search(head) else None


_ANYWHERE = ("Sigma", "predicates")
_PLAIN = ("JSON", "Sigma", "paths")
"""Forms that leave no doubt."""


def hinted(error: SubscriptionSyntaxError, own: str) -> SubscriptionSyntaxError:
    """Return the error of a language, with a hint if its text looks like one of another."""
    found = likely(error.text)
    if found in (None, own) or (found not in _PLAIN and _OWN[own].search(error.text[:MOST])):
        return error
    hint = _HINTS[found]
    if own == "predicates" and found in _INSIDE:
        hint += f"; a predicate asks so by {_INSIDE[found]}"
    return SubscriptionSyntaxError(f"{error.reason}; {hint}", text=error.text, position=error.position, row=error.row)
