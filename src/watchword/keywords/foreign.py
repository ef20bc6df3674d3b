"""Syntax of other tools, which is refused with the remedy: read as punctuation it would mean something else, and an
alert that silently never fires is the worst that can happen.

| written | elsewhere | here |
| --- | --- | --- |
| ``!word`` | NOT word | refused |
| ``a | b``, ``a || b``, ``a && b`` | OR, AND | refused |
| ``word~``, ``~word``, ``"a b"~`` | similar, near, synonyms | refused where it touches one and no number follows |
| ``word^2`` | weighs more | refused |
| ``field:word``, ``field:"a b"`` | only in this field | refused, see below |
| ``near/3``, ``w/3``, ``NEAR``, ``AROUND(3)`` | at most three words between | refused; ``NEAR/3`` is one here |
| ``XOR``, ``ANDNOT`` | | refused |
| ``2 of (a, b)``, ``2 OF a, b`` | two of these | refused; ``2 OF (a, b)`` counts |
| ``?erry`` | any letter first | refused; ``?erry~0`` is one here |
| ``^(a OR b)``, ``(a OR b)$`` | one of these at the beginning, at the end | refused; ``^a OR ^b`` |
| ``value > 20``, ``price>=3``, ``sports=1`` | a comparison, as predicates and properties have it | refused, see below |
| ``//media[@type='image']`` | a path | refused where a word begins so; ``//www.example.com`` is an address |
| ``{"source": ["aws.ec2"]}`` | a rule in JSON | refused where a brace opens before a quote, or stands alone |
| ``Image|endswith: 'x'`` | a Sigma rule | refused before the modifiers of Sigma |
| ``name LIKE 'x%'``, ``a IN ('x')`` | a predicate | refused where such a word stands before a single quote |
| ``ferr%``, ``%erry`` | any letters | refused where it touches a letter, at either end of a word |
| ``a <-> b``, ``a <3> b`` | side by side, three places apart | refused between spaces |
| ``ferry.*``, ``ferr{2}y``, ``\\d``, ``/ferry/i`` | regular expressions | refused, see below |

A *field* is a name (a letter, then letters, digits, ``_ . -``), a colon and, without a space, a value. So ``10:30`` and
``3:1`` are none (no name), nor are ``title: word`` (a space), ``std::vector`` (two colons), ``:D``, and
``news.example.com:8080`` (a host and a port). A *comparison* is ``=``, ``==``, ``!=``, ``<>``, ``<``, ``<=``, ``>`` or
``>=``, alone between spaces, or between a name and a value; ``=>``, ``<3`` and ``<b>x</b>`` are none. A word that
begins with ``www.`` or ``scheme://`` is a URL, in which all of this is plain. ``rock & roll``, ``at&t``, ``c++``,
``+word``, ``covid-19``, ``why?``, ``wow!`` and ``a * b`` are plain too, and so is everything in quotes. A *regular
expression* is told by ``.*``, by ``\\d``, ``\\w``, ``\\s``, ``\\b`` without a letter behind it, by ``{2}`` behind one,
and by slashes around a word, flags behind the second; ``C:\\data`` and ``/etc/passwd`` are none.
"""

from __future__ import annotations

import re
import unicodedata

from watchword.visible import brief

QUOTES = '"“”„‟«»＂'
"""The characters that open a quotation; any of them closes it."""

LOWER = frozenset({"and", "or", "not"})
"""Words that look like an operator in lower case."""

RESERVED = frozenset({"NEAR", "ONEAR", "XOR", "ANDNOT", "OF"})
"""Operators of other tools, and OF, which is refused behind a number where no parenthesis follows."""

_SUSPECT = re.compile(r"[!|&*~^$:/?<>={%\\]")
_URL = re.compile(r"[^\W\d_][\w+.-]*://|www\.", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"[\w-]+(?:\.[\w-]+)+:\d+(?:[/?#]|$)")
_IN_QUOTES = "or put it in quotes if you mean the words"
_COMPARISON = (
    f"{{}} compares nothing here; this looks like a predicate, which the language predicates reads, {_IN_QUOTES}"
)
_EXPRESSION = f"{{}} is of a regular expression, which nothing here reads; write the words, {_IN_QUOTES}"
_BEFORE_TEXT = re.compile(r"(?:LIKE|ILIKE|HAS|MATCHES|PATTERN|PATH|CONTAINS|WITH|CIDR)(?=\s+')|IN(?=\s*\(\s*')")
"""The last words of predicates' operators, where a text in single quotes follows."""

# Rules are about a word with the character before it, if that closes something, and the one behind it, if that opens
# something; a space otherwise.
_RULES = (
    (
        re.compile(r"^.((?:o?near|before)/\d+\w*|(?:pre|within|adj|w|n|p)/\d+)\W*$", re.IGNORECASE),
        f"there is no {{}} here; write NEAR/3 for at most three places apart, BEFORE/3 for that in order, {_IN_QUOTES}",
    ),
    (
        re.compile(r"^.(NEAR|ONEAR|AROUND(?=\())\W$"),
        f"there is no {{}} here; write NEAR/3 for at most three places apart, BEFORE/3 for that in order, {_IN_QUOTES}",
    ),
    (re.compile(r"^.(XOR|ANDNOT)\W$"), f"there is no {{}} here; leave it out, {_IN_QUOTES}"),
    (re.compile(rf"^.(!)!*[\w#@({QUOTES}]"), f"{{}} is no NOT here; write NOT, {_IN_QUOTES}"),
    (
        re.compile(
            r"\w(\|)(?:contains|(?:starts|ends)with|all|re|cidr|base64(?:offset)?|windash|cased|exists|[lg]te?)[|:]"
        ),
        f"{{}} is no OR here; this looks like a rule of Sigma, which the language predicates takes by the dialect "
        f"sigma, {_IN_QUOTES}",
    ),
    (re.compile(r"(\|\|?)"), f"{{}} is no OR here; write OR, {_IN_QUOTES}"),
    (re.compile(r"(&&)"), f"{{}} is no AND here; write AND or a space, {_IN_QUOTES}"),
    (
        re.compile(rf"(?<=[\w*?])(~)(?![0-9]+\$?\W$)|(~)(?=\w)(?<![\w*?]~)|(?<=^[){QUOTES}])(~)"),
        f"{{}} finds nothing similar without a number; write ~1 or ~2 behind a word, ~3 behind a phrase, {_IN_QUOTES}",
    ),
    (
        re.compile(r"^.(\?+)(?=\w)(?!.*~[0-9]+\$?\W$)"),
        f"{{}} stands for a first letter only where ~0 follows the word; write ?erry~0, {_IN_QUOTES}",
    ),
    (
        re.compile(r"(\^)(?=\($)|(?<=^\))(\$)"),
        f"{{}} is about one word or quotation; write it before or behind each in the parenthesis, {_IN_QUOTES}",
    ),
    (re.compile(rf"(?:(?<=\w)|(?<=^[){QUOTES}]))(\^)(?=\d)"), f"{{}} weighs nothing here; leave it out, {_IN_QUOTES}"),
    (
        re.compile(rf"^.\+?[^\W\d][\w.-]*(:)[\w\[{{<>*({QUOTES}]|^.[^\W\d][\w.-]+(:)/[^/\s]+/"),
        f"there are no fields here; leave the field out, or put a space behind the {{}}, {_IN_QUOTES}",
    ),
    (
        re.compile(r"^.(<(?:-|[0-9]+)>).$"),
        f"{{}} is no distance here; write BEFORE/1 for side by side in that order, BEFORE/3 for at most three places, "
        f"{_IN_QUOTES}",
    ),
    (re.compile(r"^.(<>|[<>!=]=|[<>=]).$"), _COMPARISON),
    (re.compile(rf"^.@?[^\W\d][\w.-]*(<>|[<>!=]=|[<>=])[\w'.+({QUOTES}-]"), _COMPARISON),
    (
        re.compile(r"^.(//)(?:[*@]|\w[\w-]*[^\w.-])"),
        f"{{}} begins no path here; the language paths reads paths, {_IN_QUOTES}",
    ),
    (
        re.compile(rf"^.(\{{)[ {QUOTES}]$"),
        f"{{}} opens nothing here; this looks like a rule in JSON, which the language predicates takes by its dialects "
        f"(eventbridge, hypermatch, sns); leave it out, {_IN_QUOTES}",
    ),
    (re.compile(r"(\.\*)"), _EXPRESSION),
    (re.compile(r"(\\[bBdDwWsS])(?![^\W_])"), _EXPRESSION),
    (re.compile(r"\w(\{[0-9]+(?:,[0-9]*)?\})"), _EXPRESSION),
    (re.compile(r"^.(?:[0-9]+:)?(/)[^/\s]+/[imsxugyHVWL8]{0,4}\W$"), _EXPRESSION),
    (
        re.compile(r"[^\W\d_](%)'?\W$|^.'?(%)(?=[^\W\d_])"),
        f"{{}} stands for no letters here; write *, {_IN_QUOTES}",
    ),
)


def is_address(word: str) -> bool:
    """Return whether a word is an address, in which no sign means anything.

    >>> is_address("www.example.com/a*b"), is_address("news.example.com:8080"), is_address("a*b")
    (True, True, False)
    """
    return _URL.match(word) is not None or _HOST_AND_PORT.match(word) is not None


def fault(text: str, begin: int, end: int) -> tuple[int, str] | None:
    """Return the place and the reason for which the word ``text[begin:end]`` is refused, or None.

    >>> fault("debt crisis^2", 5, 13)[0], fault("at 10:30", 3, 8)
    (11, None)
    """
    word = text[begin:end]
    if word.isalpha() and not word.isupper():
        return None
    if word.isupper() and _BEFORE_TEXT.match(text, begin):
        return begin, _COMPARISON.format(word)
    if is_address(word) or not (_SUSPECT.search(word) or word.isupper()):
        return None
    before, after = text[begin - 1 : begin], text[end : end + 1]
    framed = (before if before and before in QUOTES + ")" else " ") + word
    framed += after if after and after in QUOTES + "(" else " "
    if not framed.isascii():  # a mark ends a word as a letter does, which regular expressions do not know
        framed = "".join("a" if unicodedata.category(char)[0] == "M" else char for char in framed)
    for rule, reason in _RULES:
        found = rule.search(framed)
        if found is not None:
            sign = found.lastindex or 0
            return begin + found.start(sign) - 1, reason.format(brief(found.group(sign)))
    return None


NO_PARTS = (
    'OF counts the parts of a parenthesis; write 2 OF (a, b, c), or "of" in quotes if you mean the word; '
    "a word in small letters is one, too"
)
LOWER_COUNT = (
    '"of" in lower case would be a word to search for; write OF if some of the parts in the parenthesis are enough, '
    '"of" in quotes if you mean the word; literal_operators=True reads all of them as words'
)


def lower_case(word: str) -> str:
    """Return the message for `and`, `or` or `not` between words."""
    remedy = {"and": "write AND, or leave it out", "or": "write OR", "not": "write NOT"}[word]
    return (
        f'"{word}" in lower case would be a word to search for; {remedy} if you mean the operator, "{word}" in quotes '
        "if you mean the word; literal_operators=True reads all of them as words"
    )
