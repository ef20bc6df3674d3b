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
from itertools import pairwise, product

import Stemmer

# White space, a parenthesis, a whole quotation, a minus sign in front of something, or a word.
QUOTES = '"“”„‟«»＂'
TOKEN = re.compile(
    rf"\s+|[()]|\^?[{QUOTES}][^{QUOTES}]*[{QUOTES}](?:~\d+)?\$?|(?P<minus>-(?=-*[^\s)-]))"
    rf"|\d{{1,6}}\s+OF(?=\s*\()|(?:NEAR|BEFORE)/\d+(?=[\s({QUOTES}]|$)|[^\s(){QUOTES}]+"
)

# What other tools read as syntax: in a word, between the sign that touches it on either side, or a space.
FOREIGN = (
    rf"^.!+[\w#@({QUOTES}]",
    r"[|]|&&",
    rf"[\w*?]~(?!\d+\$?.$)|(?<![\w*?])~\w|^[){QUOTES}]~",
    rf"\w\^\d|^[){QUOTES}]\^\d",
    rf"^.[+]?[^\W\d][\w.-]*:[\w(<>*{{\[{QUOTES}]",
    r"^.(?i:(near|onear|before)/\d+\w*|(pre|within|adj|w|n|p)/\d+)\W*$",
    r"^.\?+\w(?!.*~\d+\$?.$)",
    r"^.\^\($|^\)\$",
    r"^.(NEAR|ONEAR|XOR|ANDNOT|AROUND(?=[(])).$",
    r"^.(=|==|!=|<>|<|<=|>|>=).$",
    r"^.<(-|\d+)>.$",
    r"\w[|](all|cased|cidr|contains|endswith|exists|gt|gte|lt|lte|re|startswith|windash|base64|base64offset)[:|]",
    r"^.[^\W\d][\w.-]+:/[^/\s]+/",
    r"\.\*|\w\{\d+(,\d*)?\}|\\[bdwsBDWS](?![^\W_])",
    r"^.(\d+:)?/[^/\s]+/[LWVHgimsuxy8]{0,4}\W$",
    r"[^\W\d_]%'?\W$|^.'?%[^\W\d_]",
    rf"^.@?[^\W\d][\w.-]*(=|==|!=|<>|<|<=|>|>=)[\w'.+({QUOTES}-]",
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
    sequence = words_of(event, **analysis) if isinstance(event, str) else [(term, term) for term in event]
    return _holds(parse(query, literal_operators, **analysis), [sequence])


def matches_several(query: str, texts: Iterable[str], **analysis: object) -> bool:
    """Say whether an event of several texts satisfies `query`: nothing reaches from one into the next.

    >>> matches_several("^b NOT a NEAR/9 b", ["c a", "b"]), matches_several('"a b"', ["c a", "b"])
    (True, False)
    """
    return _holds(parse(query, **analysis), [words_of(text, **analysis) for text in texts])


def words_of(text: str, stemmer: str | None = None, **analysis: object) -> list[tuple[str, str]]:
    """Return the terms of a text, each with its word before it was stemmed.

    >>> words_of("the cats", stemmer="english", stop_words=("the",))
    [('cat', 'cats')]
    """
    words = terms(text, **analysis)
    found = [(word if stemmer is None else _stem(word, stemmer), word) for word in words]
    return [(term, word) for term, word in found if term]


@cache
def parse(query: str, literal_operators: bool = False, **analysis: object) -> tuple:
    """Return the query as a tree of ``("or", ...)``, ``("and", ...)``, ``("not", part)``, ``("some", k, ...)``, and
    what has places in a text: phrases, families, borders, slops and chains.

    >>> parse("a b OR NOT c-d")
    ('or', ('and', ('phrase', 'a'), ('phrase', 'b')), ('not', ('phrase', 'c', 'd')))
    >>> parse("rock & roll") == parse("rock roll")
    True
    >>> parse("a OR (NOT the)", stop_words=("the",))
    ('phrase', 'a')
    >>> parse("rock and roll", literal_operators=True)
    ('and', ('phrase', 'rock'), ('phrase', 'and'), ('phrase', 'roll'))
    >>> parse("2 OF (a, b*c, ^d)")
    ('some', 2, ('phrase', 'a'), ('family', 'b*c', 0), ('border', '^', ('phrase', 'd')))
    >>> parse('a NEAR/3 (b OR "c d") BEFORE/1 e')[1:]
    (('NEAR/3', 'BEFORE/1'), (('phrase', 'a'),), (('phrase', 'b'), ('phrase', 'c', 'd')), (('phrase', 'e'),))
    """
    tokens = _tokens(query)
    if not literal_operators:
        _refuse_lower_count(tokens)
        _refuse_lower_case(tokens, {"and"}.intersection(analysis.get("stop_words", ())))
    if any(number.isdecimal() and number.isascii() and word == "OF" for number, word in pairwise(tokens)):
        raise ValueError("a count of nothing")
    tree = _either(tokens, analysis)
    if tokens:
        raise ValueError(f"{tokens[0]} is unexpected")
    if tree is None:
        raise ValueError("nothing to look for")
    return tree


def _refuse_lower_count(tokens: list[str]) -> None:
    for number, word, opened in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if number.isdecimal() and number.isascii() and word == "of" and opened == "(":
            raise ValueError("of in lower case")


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
    counting: list[bool] = []
    while position < len(query):
        token = TOKEN.match(query, position)
        if token is None:
            raise ValueError("a quotation has no end")
        text, end = token[0], token.end()
        if counting and counting[-1] and "," in text and not re.match(rf"\^?[{QUOTES}]", text):
            text = text[: text.index(",") or 1]
            end = position + len(text)
        if text in "()":
            if text == "(":
                counting.append(bool(found) and found[-1].endswith(" OF"))
            elif counting:
                counting.pop()
        if text.strip() and not text.isspace():
            found.append("NOT" if token.lastgroup == "minus" else re.sub(r"\s+OF$", " OF", text))
            _refuse_foreign(query, position, end)
        position = end
    return found


def _refuse_foreign(query: str, start: int, end: int) -> None:
    """Refuse a word that other tools would read otherwise.

    >>> _refuse_foreign("a title:b", 2, 9)
    Traceback (most recent call last):
    ...
    ValueError: title:b is of another language
    """
    if query[start] in "()" + QUOTES or re.match(rf"\^[{QUOTES}]|\d+\s+OF$|(NEAR|BEFORE)/\d+$", query[start:end]):
        return
    before, after, word = query[:start][-1:], query[end:][:1], query[start:end]
    framed = (before if before and before in ")" + QUOTES else " ") + word
    framed += after if after and after in "(" + QUOTES else " "
    operator = re.fullmatch("LIKE|ILIKE|HAS|MATCHES|PATTERN|PATH|CONTAINS|WITH|CIDR", word)
    if (operator and re.match(r"\s+'", query[end:])) or (word == "IN" and re.match(r"\s*[(]\s*'", query[end:])):
        raise ValueError(f"{word} is of another language")
    framed = "".join("x" if unicodedata.category(letter).startswith("M") else letter for letter in framed)
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
    while tokens and tokens[0] not in ("OR", ")", ","):
        if tokens[0] == "AND":
            del tokens[0]
        parts.append(_one(tokens, analysis))
    return _joined("and", parts)


def _one(tokens: list[str], analysis: Mapping) -> tuple | None:
    if not tokens:
        raise ValueError("no operand at the end")
    if tokens[0] == "NOT":
        del tokens[0]
        part = _one(tokens, analysis)
        return None if part is None else ("not", part)
    parts, links = [_operand(tokens, analysis)], []
    while tokens and _is_link(tokens[0]):
        links.append(tokens.pop(0))
        if not 1 <= int(links[-1].split("/")[1]) <= 10_000:
            raise ValueError("a distance from 1 to 10,000")
        if not tokens or tokens[0] in ("NOT", "AND", "OR") or tokens[0].endswith(" OF"):
            raise ValueError(f"no operand behind {links[-1]}")
        parts.append(_operand(tokens, analysis))
    if not links:
        return parts[0]
    there = [number for number, part in enumerate(parts) if part is not None]
    choices = [_choices(parts[number]) for number in there]
    if len(there) < 2:
        return parts[there[0]] if there else None
    return ("chain", tuple(links[number - 1] for number in there[1:]), *choices)


def _is_link(token: str) -> bool:
    return re.fullmatch(r"(NEAR|BEFORE)/\d+", token) is not None


def _choices(part: tuple) -> tuple:
    if part[0] == "or":
        return tuple(dict.fromkeys(one for inner in part[1:] for one in _choices(inner)))
    if part[0] not in ("phrase", "family", "border", "row"):
        raise ValueError("a chain links words, phrases and OR of these")
    return (part,)


def _operand(tokens: list[str], analysis: Mapping) -> tuple | None:
    token = tokens.pop(0)
    if token in ("AND", "OR", ")", ",") or _is_link(token):
        raise ValueError(f"no operand before {token}")
    if token == "(":
        part = _either(tokens, analysis)
        if not tokens or tokens[0] != ")":
            raise ValueError("a parenthesis has no end")
        del tokens[0]
        return part
    if re.fullmatch(r"\d+ OF", token):
        return _some(int(token.split()[0]), tokens, analysis)
    return _leaf(token, **analysis)


def _some(count: int, tokens: list[str], analysis: Mapping) -> tuple | None:
    parts = []
    while not parts or tokens[0] == ",":
        del tokens[0]
        parts.append(_either(tokens, analysis))
        if not tokens:
            raise ValueError("a parenthesis has no end")
    if tokens.pop(0) != ")" or not 1 <= count <= len(parts):
        raise ValueError("a count that is no count of its parts")
    kept = [part for part in parts if part is not None]
    return ("some", min(count, len(kept)), *kept) if kept else None


def _leaf(token: str, **analysis: object) -> tuple | None:
    """Return what a word or quotation asks for.

    >>> _leaf("^ferr*"), _leaf('"a b"~2'), _leaf("Ferry~1"), _leaf("wi-fi*"), _leaf("us$"), _leaf("50$")
    (('border', '^', ('family', 'ferr*', 0)), ('slop', 2, 'a', 'b'), ('family', 'ferry', 1), \
('row', ('phrase', 'wi'), ('family', 'fi*', 0)), ('border', '$', ('phrase', 'us')), ('phrase', '50'))
    """
    stop_words, stemmer = analysis.pop("stop_words", ()), analysis.pop("stemmer", None)
    bare, borders, number = token, "", None
    quoted = re.fullmatch(rf"(\^?)[{QUOTES}](.*)[{QUOTES}](?:~(\d+))?(\$?)", token, re.DOTALL)
    if quoted:
        borders, bare, number = quoted[1] + quoted[4], quoted[2], quoted[3]
        words = terms(bare, stop_words, stemmer, **analysis)
        if number and int(number) and len(words) > 1:
            if borders or int(number) > 1000 or len(words) > 32:
                raise ValueError("a slop")
            return ("slop", int(number), *words)
        if number and int(number) and (borders or int(number) > 1000):
            raise ValueError("a slop")
        leaf = ("phrase", *words) if words else None
    elif re.match(PLAIN, token) or not re.search(r"\w", token):
        words = terms(token, stop_words, stemmer, **analysis)
        return ("phrase", *words) if words else None
    else:
        if re.match(r"\^([^\W_]|[*])", bare):
            borders, bare = "^", bare[1:]
        signs = re.fullmatch(r"(.*?)(?:~(\d{1,9}))?([$]?)", bare, re.DOTALL)
        if re.search(r"\w", signs[1]):
            bare, number, dollar = signs[1], signs[2], signs[3]
            if dollar and (number or re.search(r"[^\W\d]$|[*?]$|[^\x00-\x7f]$", bare)):
                borders += "$"
        leaf = _forms(bare, number, stop_words, stemmer, **analysis)
    for border in borders if leaf else "":
        leaf = ("border", border, leaf)
    return leaf


def _forms(
    bare: str, number: str | None, stop_words: Sequence[str], stemmer: str | None, **analysis: object
) -> tuple | None:
    """Return the row of terms and families of a word without its other signs."""
    if number and int(number):
        words = terms(bare, **analysis)
        if int(number) > 2 or re.search("[*?]", bare) or len(words) != 1 or not int(number) < len(words[0]) <= 64:
            raise ValueError("edits")
        return ("family", words[0], int(number))
    kept = list(bare)
    for run in re.finditer("[*?]+", bare):
        sides = bare[: run.start()][-1:], bare[run.end() :][:1]
        left, right = (terms("q" + side) != ["q"] and len(terms("q" + side)) == 1 for side in sides)
        for at in range(*run.span()):
            star_before = "*" in bare[run.start() : at + 1]
            star_behind = "*" in bare[at : run.end()]
            means = (
                (left and right) or (number and (left or right)) or (left and star_behind) or (right and star_before)
            )
            kept[at] = ("\ue000" if bare[at] == "*" else "\ue001") if means else " "
    row = re.split("([\ue000\ue001]+)", "".join(kept))
    parts, open_form = [], ""
    for at, piece in enumerate(row):
        if at % 2:
            open_form += "?" * piece.count("\ue001") + "*" * ("\ue000" in piece)
            continue
        folded = terms("q" + piece + "q", **{**analysis, "cjk": None})
        if analysis.get("cjk") and any(unicodedata.name(one, "").startswith(CJK) for one in piece) and len(row) > 1:
            raise ValueError("wildcards among pairs")
        if open_form and piece and _kind(unicodedata.normalize("NFKC", piece)[0]) == "m":
            raise ValueError("a wildcard before an accent")
        folded[0] = folded[0][1:]
        folded[-1] = folded[-1][:-1]
        open_form += folded[0]
        for more in folded[1:]:
            parts.append(open_form)
            open_form = more
    parts.append(open_form)
    leaves: list[tuple] = []
    for part in parts:
        if not part.strip("*?"):
            continue
        if re.search("[*?]", part):
            if len(re.sub("[*?]", "", part)) < 2:
                raise ValueError("too few plain characters")
            leaves.append(("family", part, 0))
        else:
            leaves += [("phrase", word) for word in terms(part, stop_words, stemmer, **analysis)]
    if all(leaf[0] == "phrase" for leaf in leaves):
        return ("phrase", *(leaf[1] for leaf in leaves)) if leaves else None
    return leaves[0] if len(leaves) == 1 else ("row", *leaves)


def _joined(operator: str, parts: list[tuple | None]) -> tuple | None:
    kept = [part for part in parts if part is not None]
    return (operator, *kept) if len(kept) > 1 else kept[0] if kept else None


Texts = list[list[tuple[str, str]]]
"""The terms of each text of an event, with their words."""


def _holds(tree: tuple, texts: Texts) -> bool:
    operator, *parts = tree
    if operator == "or":
        return any(_holds(part, texts) for part in parts)
    if operator == "and":
        return all(_holds(part, texts) for part in parts)
    if operator == "not":
        return not _holds(parts[0], texts)
    if operator == "some":
        return sum(_holds(part, texts) for part in parts[1:]) >= parts[0]
    if operator == "chain":
        choices = [{spot for leaf in leaves for spot in _spots(leaf, texts)} for leaves in parts[1:]]
        return any(all(map(_linked, parts[0], spots, spots[1:])) for spots in product(*choices))
    return bool(_spots(tree, texts))


def _linked(link: str, left: tuple[int, int, int], right: tuple[int, int, int]) -> bool:
    """Say whether two spots, text, start and end, are linked.

    >>> _linked("BEFORE/1", (0, 1, 2), (0, 2, 3)), _linked("NEAR/2", (0, 0, 2), (0, 1, 2))
    (True, False)
    """
    word, distance = link.split("/")
    steps = [right[1] - left[2] + 1] + ([left[1] - right[2] + 1] if word == "NEAR" else [])
    return left[0] == right[0] and any(1 <= step <= int(distance) for step in steps)


def _spots(leaf: tuple, texts: Texts) -> list[tuple[int, int, int]]:
    """Return where something stands: text, first position, and the position behind."""
    kind, *parts = leaf
    if kind == "slop":
        return [spot for number, text in enumerate(texts) for spot in _slop_spots(number, text, *parts)]
    if kind == "border":
        ends = {(number, len(text)) for number, text in enumerate(texts)}
        spots = _spots(parts[1], texts)
        return [spot for spot in spots if (spot[1] == 0 if parts[0] == "^" else (spot[0], spot[2]) in ends)]
    row = parts if kind == "row" else [leaf] if kind == "family" else [("phrase", word) for word in parts]
    return [
        (number, start, start + len(row))
        for number, text in enumerate(texts)
        for start in range(len(text) - len(row) + 1)
        if all(_fits(one, *text[start + at]) for at, one in enumerate(row))
    ]


def _fits(leaf: tuple, term: str, word: str) -> bool:
    if leaf[0] == "phrase":
        return leaf[1] == term
    if len(word.encode("utf-8", "surrogatepass")) > 1024:
        return False
    if leaf[2]:
        return _edits(leaf[1], word) <= leaf[2]
    return (
        re.fullmatch("".join({"*": ".*", "?": "."}.get(one, re.escape(one)) for one in leaf[1]), word, re.DOTALL)
        is not None
    )


@cache
def _edits(left: str, right: str) -> int:
    """Return how many characters are inserted, deleted, replaced or swapped with a neighbour, none of them twice.

    >>> _edits("ferry", "frery"), _edits("ca", "abc"), _edits("abc", "")
    (1, 3, 3)
    """
    if not left or not right:
        return len(left) + len(right)
    same = _edits(left[1:], right[1:]) + (left[0] != right[0])
    found = min(same, 1 + _edits(left[1:], right), 1 + _edits(left, right[1:]))
    if left[:2] == right[1::-1] and len(left) > 1 and len(right) > 1:
        found = min(found, 1 + _edits(left[2:], right[2:]))
    return found


def _slop_spots(number: int, text: list[tuple[str, str]], slop: int, *words: str) -> Iterable[tuple[int, int, int]]:
    places = [[at for at, (term, _) in enumerate(text) if term == word] for word in words]
    for chosen in product(*places):
        moves = [at - place for place, at in enumerate(chosen)]
        if len(set(chosen)) == len(chosen) and max(moves) - min(moves) <= slop:
            yield number, min(chosen), max(chosen) + 1


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
