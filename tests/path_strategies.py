"""Random documents and paths, for duels: few names, so that everything meets; deep and narrow as often as wide.

documents   b'<a x="1"><b>1<a/></b></a>'
paths       //a[@x='1']/*//n:b/@y
INVALID     what is no path, and a word of the reason
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

URIS = {"n": "urn:n"}
NAMES = ("a", "b", "c", "n:a", "n:b")
"""Names of elements; the prefix is declared at the root of every document."""

ATTRIBUTES = ("x", "y", "n:x")
VALUES = ("1", "2", "", "a b", "é", "]", "/a", "<&>")
"""Values of attributes and texts, with what could mislead a reader of paths or of documents."""

_ESCAPES = str.maketrans({"<": "&lt;", "&": "&amp;", ">": "&gt;", "'": "&#39;", '"': "&quot;"})

names = st.sampled_from(("a", "a", "b", "b", *NAMES))
values = st.sampled_from(("1", "1", "1", *VALUES))


def escaped(value: str) -> str:
    """Return a value as an attribute or a text has it."""
    return value.translate(_ESCAPES)


def _start(name: str, attributes: dict[str, str]) -> str:
    return name + "".join(f' {key}="{escaped(value)}"' for key, value in attributes.items())


def _text(value: str, form: str) -> str:
    """Write a text: as it is, as CDATA, as half of each, or cut in two by something that ends a text node."""
    half = len(value) // 2
    return {
        "plain": escaped(value),
        "cdata": f"<![CDATA[{value}]]>",
        "joined": f"<![CDATA[{value[:half]}]]>{escaped(value[half:])}",
        "references": "".join(f"&#{ord(letter)};" for letter in value),
        "comment": f"{escaped(value)}<!--<b>-->{escaped(value)}",
        "instruction": f"{escaped(value)}<?b c?>{escaped(value)}",
    }[form]


texts = st.builds(
    _text, values, st.sampled_from(("plain", "plain", "cdata", "joined", "references", "comment", "instruction"))
)
attributes = st.dictionaries(st.sampled_from(ATTRIBUTES), values, max_size=2)


def _wide(content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(_element, names, attributes, st.lists(st.one_of(content, texts), max_size=4))


def _element(name: str, given: dict[str, str], content: list[str]) -> str:
    return f"<{_start(name, given)}>{''.join(content)}</{name}>" if content else f"<{_start(name, given)}/>"


def _deep(levels: list[tuple[str, dict[str, str]]], inmost: str) -> str:
    """Nest elements in each other, the last level around what is inmost."""
    for name, given in reversed(levels):
        inmost = _element(name, given, [inmost])
    return inmost


elements = st.recursive(st.builds(_element, names, attributes, st.lists(texts, max_size=1)), _wide, max_leaves=12)
chains = st.builds(_deep, st.lists(st.tuples(names, attributes), min_size=1, max_size=25), elements)


def _document(element: str, prolog: str) -> bytes:
    """Declare the prefix in the root."""
    return (prolog + re.sub(r"^<[\w:]+", rf'\g<0> xmlns:n="{URIS["n"]}"', element)).encode()


PROLOGS = ("", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>\n<!-- <a> -->', "<?a b?>")
documents = st.builds(_document, st.one_of(elements, chains), st.sampled_from(PROLOGS))
"""Documents in UTF-8: a few names that nest in each other, up to about thirty levels, with texts between."""


def quoted(value: str) -> st.SearchStrategy[str]:
    """Return a value in either kind of quotes; none of `VALUES` has one in it."""
    return st.sampled_from((f"'{value}'", f'"{value}"'))


_equal = values.flatmap(quoted).map("={}".format)
predicates = st.one_of(
    st.sampled_from(ATTRIBUTES).map("[@{}]".format),
    st.builds("[@{}{}]".format, st.sampled_from(ATTRIBUTES), _equal),
    _equal.map("[text(){}]".format),
)

_plain_steps = st.one_of(names, names, st.just("*"))
_steps = st.builds(
    "{}{}".format, _plain_steps, st.one_of(st.just(""), st.just(""), st.lists(predicates, max_size=3).map("".join))
)


def _path(begin: str, steps: list[str], axes: list[str], end: str) -> str:
    return begin + steps[0] + "".join(axis + step for axis, step in zip(axes, steps[1:], strict=True)) + end


def _paths(step: st.SearchStrategy[str], ends: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(step, min_size=1, max_size=6).flatmap(
        lambda steps: st.builds(
            _path,
            st.sampled_from(("/", "//", "")),
            st.just(steps),
            st.lists(st.sampled_from(("/", "//")), min_size=len(steps) - 1, max_size=len(steps) - 1),
            ends,
        )
    )


plain_paths = _paths(_plain_steps, st.just(""))
"""Paths of names, `*`, `/` and `//`, as the papers have them."""

paths = st.one_of(
    plain_paths, _paths(_steps, st.one_of(st.just(""), st.just(""), st.sampled_from(ATTRIBUTES).map("/@{}".format)))
)
"""Paths with all that the language has: predicates on any step, several on one, an attribute at the end."""

INVALID = {
    "": "empty",
    "   ": "empty",
    "/": "no step",
    "//": "name",
    "a/": "name",
    "a//": "name",
    "///a": "three slashes",
    "a///b": "three slashes",
    "/[@x]": "name",
    "a b": "space",
    "1a": "name",
    "-a": "minus",
    "a:": "name",
    ":a": "name",
    "a:b:c": "name",
    "a*": "name",
    "*a": "name",
    "{urn:n": "brace",
    "/@x": "attribute of the document",
    "a//@x": "attribute behind //",
    "a/@x/b": "attribute not at the end",
    "a/@x[@y]": "attribute not at the end",
    "a/@*": "any attribute",
    "a[@*]": "any attribute",
    "a[": "never closed",
    "a[@x": "never closed",
    "a[@x='1'": "never closed",
    "a[@x='1]": "quote",
    "a[@x=\"1']": "quote",
    "a]": "never opened",
    "a[]": "empty predicate",
    "a[@]": "attribute without a name",
    "a[@x=]": "no value",
    "a[@x=1]": "number",
    "a[@x='1'][2]": "position",
    "a[1]": "position",
    "a[last()]": "function",
    "a[position()=1]": "function",
    "a[contains(@x,'1')]": "function",
    "a[not(@x)]": "function",
    "a[b]": "path in a predicate",
    "a[b='1']": "path in a predicate",
    "a[.='1']": "path in a predicate",
    "a[.//b]": "path in a predicate",
    "a[@x!='1']": "comparison",
    "a[@x<'1']": "comparison",
    "a[@x>'1']": "comparison",
    "a[@x='1' and @y]": "and",
    "a[@x or @y]": "or",
    "a[@x|@y]": "union",
    "a|b": "union",
    "(a)": "parenthesis",
    "a/..": "axis",
    "a/.": "axis",
    ".//a": "axis",
    "./a": "axis",
    "child::a": "axis",
    "a/following-sibling::b": "axis",
    "a/text()": "node test",
    "a/node()": "node test",
    "text()": "node test",
    "comment()": "node test",
    "$a": "variable",
    "a=1": "comparison",
    "'a'": "literal",
}
"""Texts that are refused, each with what is wrong in it."""

SYNTAX_XPATH = tuple(
    text for text, why in INVALID.items() if why in ("position", "function", "axis", "union", "and", "or", "node test")
)
"""Those that XPath has and this language has not."""

invalid_paths = st.sampled_from(tuple(INVALID))
