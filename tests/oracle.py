"""The independent judge: does this subscription match this event? Plain Python, no index, no cleverness.

Nothing here is shared with the package, and nothing is fast: a query becomes a tree, and the tree is asked of
the event's terms directly, so that no normal form, numbering or index stands between a question and its
answer. A query that must be refused is a `ValueError`.

Keywords:

>>> matches("greece AND (crisis OR bailout) NOT imf", "The Greece bailout")
True
>>> matches("greece AND (crisis OR bailout) NOT imf", "The Greece bailout, says the IMF")
False
>>> matches("greece (", "Greece")
Traceback (most recent call last):
...
ValueError: no operand at the end

Patterns, as regular expressions:

>>> matches_pattern("b*b", "aabcbaaabc"), matches_pattern("bb", "aabcbaaabc"), occurrence("b*b", "aabcbaaabc")
(True, False, (2, 5))

Properties, asked one by one:

>>> matches_properties("sports=1, arts=0", {"sports"}, ["sports", "politics", "arts"])
True
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise

import Stemmer

# White space, a parenthesis, a whole quotation, a minus sign in front of something, or a word.
QUOTES = '"“”„‟«»＂'
TOKEN = re.compile(rf"\s+|[()]|[{QUOTES}][^{QUOTES}]*[{QUOTES}]|(?P<minus>-(?=-*[^\s)-]))|[^\s(){QUOTES}]+")

# What other tools read as syntax: in a word, between the sign that touches it on either side, or a space.
FOREIGN = (
    rf"^.!+[\w#@({QUOTES}]",
    r"[|]|&&",
    r"\w[*]|[*]\w",
    rf"\w~|~\w|^[){QUOTES}]~",
    rf"\w\^\d|^[){QUOTES}]\^\d",
    rf"^.[+]?[^\W\d][\w.-]*:[\w(<>*{{\[{QUOTES}]",
    r"^.(?i:near|onear|pre|within|adj|w|n|p)/\d+\W*$",
    r"^.(NEAR|ONEAR|XOR|ANDNOT|AROUND(?=[(])).$",
    r"\w[?]\w",
    r"^.(=|==|!=|<>|<|<=|>|>=).$",
    rf"^.[^\W\d][\w.-]*(=|==|!=|<>|<|<=|>|>=)[\w'.+({QUOTES}-]",
    r"^.//([*@]|\w[\w-]*(?![\w.-]))",
    rf"^.{{[ {QUOTES}]$",
)
PLAIN = r"(?i:www\.)|[^\W\d_][\w+.-]*://|[\w-]+(\.[\w-]+)+:\d+($|[/?#])"


def terms(
    text: str,
    stop_words: Sequence[str] = (),
    stemmer: str | None = None,
    fold_accents: bool = False,
    cjk: str | None = None,
) -> list[str]:
    """Return the terms of `text`: toNFKC_Casefold, split, drop stop words, stem.

    >>> terms("Straße, ΣΊΣΥΦΟΣ & x_1: don't")
    ['strasse', 'σίσυφοσ', 'x_1', 'don', 't']
    >>> terms("The cats are running", stop_words=("the", "are"), stemmer="english")
    ['cat', 'run']
    >>> terms("one\\ud800two"), terms("ﬁ Ａ x² ①"), terms("co\\u00adoperate \\u203c\\ufe0fGO")
    (['one', 'two'], ['fi', 'a', 'x2', '1'], ['cooperate', 'go'])
    >>> terms("x s", stemmer="porter")  # nothing is left of "s"
    ['x']
    >>> terms("Łódź: Café", fold_accents=True), terms("ab東京都に1", cjk="bigrams")
    (['lodz', 'cafe'], ['ab', '東京', '京都', '都に', '1'])
    """
    folded = unicodedata.normalize("NFC", "".join(map(_nfkc_casefold, text)))
    if fold_accents:
        bare = "".join(part for part in unicodedata.normalize("NFD", folded) if not _is_accent(part))
        folded = unicodedata.normalize("NFC", bare.translate(dict(zip(map(ord, "øłđħŧı"), "oldhti", strict=True))))
    kinds = "".join(map(_kind, folded))
    words = [folded[slice(*found.span())] for found in re.finditer("w[wm]*", kinds)]
    if cjk is not None:
        words = [piece for word in words for piece in _pairs(word)]
    words = [word for word in words if word not in stop_words]
    if stemmer is not None:
        words = [_stem(word, stemmer) for word in words]
    return [word for word in words if word]


@cache
def _nfkc_casefold(character: str) -> str:
    """Return the property NFKC_CF: NFKC, case folding and no default-ignorables, again and again until it is stable."""
    text, before = character, None
    while text != before:
        before, text = text, unicodedata.normalize("NFKC", text).casefold()
        text = "".join(part for part in text if not _is_default_ignorable(part))
    return text


@cache
def _is_default_ignorable(character: str) -> bool:
    """Derive Default_Ignorable_Code_Point as DerivedCoreProperties.txt does.

    Format characters (Cf), variation selectors and the property Other_Default_Ignorable_Code_Point, without
    annotations, Egyptian hieroglyph controls and marks that precede numbers. There is no white space among them.
    """
    point = ord(character)
    variation_selectors = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
    others = (
        *(range(0x34F, 0x350), range(0x115F, 0x1161), range(0x17B4, 0x17B6), range(0x2065, 0x2066)),
        *(range(0x3164, 0x3165), range(0xFFA0, 0xFFA1), range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000)),
    )
    no_format = (
        *(range(0xFFF9, 0xFFFC), range(0x13430, 0x13441), range(0x600, 0x606), range(0x6DD, 0x6DE)),
        *(range(0x70F, 0x710), range(0x890, 0x892), range(0x8E2, 0x8E3), range(0x110BD, 0x110BE)),
        range(0x110CD, 0x110CE),
    )
    is_format = unicodedata.category(character) == "Cf" and not any(point in some for some in no_format)
    return is_format or any(point in some for some in variation_selectors + others)


@cache
def _is_accent(character: str) -> bool:
    """Say whether a character is a mark of a block of combining diacritical marks, or half marks."""
    blocks = (range(0x300, 0x370), range(0x1AB0, 0x1B00), range(0x1DC0, 0x1E00), range(0x20D0, 0x2100))
    return _kind(character) == "m" and any(ord(character) in block for block in (*blocks, range(0xFE20, 0xFE30)))


@cache
def _kind(character: str) -> str:
    category = unicodedata.category(character)[0]
    return "w" if category in "LN" or character == "_" else "m" if category == "M" else " "


CJK = (
    *("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "HANGZHOU", "HENTAIGANA", "MASU", "VERTICAL KANA"),
    *("IDEOGRAPHIC ITERATION", "IDEOGRAPHIC CLOSING", "IDEOGRAPHIC NUMBER", "VERTICAL IDEOGRAPHIC"),
)
"""How the names of Chinese, Japanese and Korean characters begin."""


def _pairs(word: str) -> list[str]:
    """Cut a word where its script changes, and what is Chinese, Japanese or Korean into all pairs of neighbours.

    >>> _pairs("x1東京都"), _pairs("京"), _pairs("東京x")
    (['x1', '東京', '京都'], ['京'], ['東京', 'x'])
    """
    kinds = ""
    for character in word:
        is_cjk = unicodedata.name(character, "").startswith(CJK)
        kinds += "m" if _kind(character) == "m" else "c" if is_cjk else "w"
    pieces = []
    for stretch in re.finditer("(?:cm*)+|(?:wm*)+", kinds):
        units = [word[slice(*unit.span())] for unit in re.compile("cm*").finditer(kinds, *stretch.span())]
        pairs = [left + right for left, right in pairwise(units)]
        pieces += pairs or [word[slice(*stretch.span())]]
    return pieces


def matches(
    query: str, event: str | bytes | Iterable[str], literal_operators: bool = False, **analysis: object
) -> bool:
    """Say whether `event` satisfies `query`. Terms in an iterable are taken as they are.

    >>> matches("new-york", "New York City"), matches("new-york", ["york", "new"])
    (True, False)
    >>> matches("NOT imf", ""), matches("imf OR NOT imf", b"caf\\xc3\\xa9"), matches("a -a", "a b")
    (True, True, False)
    """
    if isinstance(event, bytes):
        event = event.decode("utf-8")
    sequence = terms(event, **analysis) if isinstance(event, str) else list(event)
    return _holds(parse(query, literal_operators, **analysis), sequence)


@cache
def parse(query: str, literal_operators: bool = False, **analysis: object) -> tuple:
    """Return the query as a tree of ``("or", ...)``, ``("and", ...)``, ``("not", part)`` and phrases.

    >>> parse("a b OR NOT c-d")
    ('or', ('and', ('phrase', 'a'), ('phrase', 'b')), ('not', ('phrase', 'c', 'd')))
    >>> parse("rock & roll") == parse("rock roll")
    True
    >>> parse("a OR (NOT the)", stop_words=("the",))
    ('phrase', 'a')
    >>> parse("rock and roll", literal_operators=True)
    ('and', ('phrase', 'rock'), ('phrase', 'and'), ('phrase', 'roll'))
    """
    tokens = _tokens(query)
    if not literal_operators:
        _refuse_lower_case(tokens, {"and"}.intersection(analysis.get("stop_words", ())))
    tree = _either(tokens, analysis)
    if tokens:
        raise ValueError(f"{tokens[0]} is unexpected")
    if tree is None:
        raise ValueError("nothing to look for")
    return tree


def _refuse_lower_case(tokens: list[str], allowed: set[str]) -> None:
    """Refuse `and`, `or` and `not` between what they would join, were they in capitals.

    >>> _refuse_lower_case(["not", "a", "and"], set())
    >>> _refuse_lower_case(["a", "or", "NOT", "b"], set())
    Traceback (most recent call last):
    ...
    ValueError: or in lower case
    """
    for at, token in enumerate(tokens):
        if token not in {"and", "or", "not"} - allowed:
            continue
        before = [some for some in tokens[:at] if some in "()" or re.search(rf"[\w{QUOTES}]", some)]
        after = [some for some in tokens[at + 1 :] if some != "NOT"]
        joins = before and (token == "not" or before[-1] not in ("(", "AND", "OR", "NOT"))
        wanted = after and after[0] not in ("AND", "OR") and re.search(rf"[\w({QUOTES}]", after[0])
        if joins and wanted:
            raise ValueError(f"{token} in lower case")


@cache
def _stem(word: str, stemmer: str) -> str:
    return Stemmer.Stemmer(stemmer).stemWord(word)


def _tokens(query: str) -> list[str]:
    """Split `query`; a minus sign in front of something becomes ``NOT``.

    >>> _tokens('-(a-b OR "c d") - -e')
    ['NOT', '(', 'a-b', 'OR', '"c d"', ')', '-', 'NOT', 'e']
    """
    found, position = [], 0
    while position < len(query):
        token = TOKEN.match(query, position)
        if token is None:
            raise ValueError("a quotation has no end")
        if not token[0].isspace():
            found.append("NOT" if token.lastgroup == "minus" else token[0])
            _refuse_foreign(query, *token.span())
        position = token.end()
    return found


def _refuse_foreign(query: str, start: int, end: int) -> None:
    """Refuse a word that other tools would read otherwise.

    >>> _refuse_foreign("a title:b", 2, 9)
    Traceback (most recent call last):
    ...
    ValueError: title:b is of another language
    """
    if query[start] in "()" + QUOTES:
        return
    before, after, word = query[:start][-1:], query[end:][:1], query[start:end]
    framed = (before if before and before in ")" + QUOTES else " ") + word
    framed += after if after and after in "(" + QUOTES else " "
    if any(re.search(rule, framed) for rule in FOREIGN) and not re.match(PLAIN, word):
        raise ValueError(f"{word} is of another language")


# Each of the three takes its part of the tokens away from the front. A part in which everything was dropped
# is None.


def _either(tokens: list[str], analysis: Mapping) -> tuple | None:
    parts = [_both(tokens, analysis)]
    while tokens and tokens[0] == "OR":
        del tokens[0]
        parts.append(_both(tokens, analysis))
    return _joined("or", parts)


def _both(tokens: list[str], analysis: Mapping) -> tuple | None:
    parts = [_one(tokens, analysis)]
    while tokens and tokens[0] not in ("OR", ")"):
        if tokens[0] == "AND":
            del tokens[0]
        parts.append(_one(tokens, analysis))
    return _joined("and", parts)


def _one(tokens: list[str], analysis: Mapping) -> tuple | None:
    if not tokens:
        raise ValueError("no operand at the end")
    token = tokens.pop(0)
    if token in ("AND", "OR", ")"):
        raise ValueError(f"no operand before {token}")
    if token == "NOT":
        part = _one(tokens, analysis)
        return None if part is None else ("not", part)
    if token == "(":
        part = _either(tokens, analysis)
        if not tokens:
            raise ValueError("a parenthesis has no end")
        del tokens[0]
        return part
    words = terms(token, **analysis)
    return ("phrase", *words) if words else None


def _joined(operator: str, parts: list[tuple | None]) -> tuple | None:
    kept = [part for part in parts if part is not None]
    return (operator, *kept) if len(kept) > 1 else kept[0] if kept else None


def _holds(tree: tuple, sequence: list[str]) -> bool:
    operator, *parts = tree
    if operator == "or":
        return any(_holds(part, sequence) for part in parts)
    if operator == "and":
        return all(_holds(part, sequence) for part in parts)
    if operator == "not":
        return not _holds(parts[0], sequence)
    return any(sequence[start : start + len(parts)] == parts for start in range(len(sequence)))


def matches_pattern(pattern: str, event: str | bytes, ignore_case: bool = False) -> bool:
    """Say whether some part of `event` is an instance of `pattern`.

    >>> matches_pattern("?", ""), matches_pattern("*", ""), matches_pattern("a?c", b"a\\xc3\\xa9c")
    (False, True, True)
    >>> matches_pattern("STRASSE", "Straße"), matches_pattern("STRASSE", "Straße", ignore_case=True)
    (False, True)
    """
    text = event.decode("utf-8") if isinstance(event, bytes) else event
    if ignore_case:
        pattern, text = pattern.casefold(), text.casefold()
    return occurrence(pattern, text) is not None


def occurrence(pattern: str, text: str) -> tuple[int, int] | None:
    """Return start and end of the leftmost instance, and of those the shortest."""
    found = re.search(_expression(pattern), text, re.DOTALL)
    return found.span() if found is not None else None


@cache
def _expression(pattern: str) -> str:
    """Translate a pattern.

    >>> _expression("a.?*\\\\*")
    'a\\\\..(?:.*?)\\\\*'
    """
    if not pattern:
        raise ValueError("an empty pattern")
    parts, characters = [], iter(pattern)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            if not escaped:
                raise ValueError("an escape of nothing")
            parts.append(re.escape(escaped))
        else:
            parts.append({"?": ".", "*": "(?:.*?)"}.get(character) or re.escape(character))
    return "".join(parts)


def matches_properties(subscription: str, event: str | bytes | Mapping | Iterable[str], names: Sequence[str]) -> bool:
    """Say whether every property that `subscription` asks for is in `event` as it asks.

    >>> names = ["sports", "politics", "arts"]
    >>> [matches_properties("10*", event, names) for event in ("101", b"100", ["sports", "sports"], {"politics": True})]
    [True, True, True, False]
    >>> matches_properties("sports = 1 AND arts=*", {"arts": 1, "sports": 0}, names)
    False
    """
    holding = property_values(event, names)
    return all(wanted in ("*", holding[name]) for name, wanted in asked_properties(subscription, names))


def asked_properties(subscription: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return name and wanted value of each property that is named.

    >>> asked_properties("b=0,a=1", ["a", "b"]), asked_properties("1*", ["a", "b"])
    ([('b', '0'), ('a', '1')], [('a', '1'), ('b', '*')])
    """
    text = subscription.strip(" \t\n\r\v\f")
    if text and not set(text) - set("01*"):
        if len(text) != len(names):
            raise ValueError("a value is missing, or one too many")
        return list(zip(names, text, strict=True))
    spaced = re.sub(r"[ \t\n\r\v\f]*=[ \t\n\r\v\f]*", "=", text)
    pairs = re.split(r"[ \t\n\r\v\f]*,[ \t\n\r\v\f]*|[ \t\n\r\v\f]+AND[ \t\n\r\v\f]+|[ \t\n\r\v\f]+", spaced)
    asked: dict[str, str] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in names or value not in ("0", "1", "*") or asked.setdefault(name, value) != value:
            raise ValueError(f"{pair!r} asks for nothing that there is")
    return list(asked.items())


def property_values(event: str | bytes | Mapping | Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """Return "0" or "1" for every property.

    >>> property_values("01", ["a", "b"]) == property_values({"b": 1}, ["a", "b"]) == {"a": "0", "b": "1"}
    True
    """
    if isinstance(event, bytes):
        event = event.decode()
    if isinstance(event, str):
        return dict(zip(names, event, strict=True))
    if isinstance(event, Mapping):
        return {name: str(int(event.get(name, 0))) for name in names}
    given = set(event)
    return {name: str(int(name in given)) for name in names}
