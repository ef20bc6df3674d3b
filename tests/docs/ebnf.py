"""The grammars of docs/grammar.md as something that can be asked: is this a sentence, and what would be one?

>>> grammar = Grammar('list = item { "," item }\\nitem = ? a letter ?', {"a letter": ("[a-z]", ("a", "b"))})
>>> grammar.recognises("a, b,c"), grammar.recognises("a b")
(True, False)
>>> [grammar.sentence(seed) for seed in range(2)]
['b , a', 'a , a , b']

White space may stand before every piece, unless `spaced` is False; `any_case` is about words in quotes. What is said
in words between question marks is given as a regular expression, to recognise it, and as some examples, to make
sentences of.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Said = Mapping[str, tuple[str, Sequence[str]]]

_TOKENS = re.compile(r"""\s+|"[^"]*"|'[^']*'|\?[^?]*\?|\w+|[{}\[\]()|=]""")
_DEEPEST = 7


class Node(NamedTuple):
    """A part of a rule: `kind` is text, said, rule, all, one, maybe or many."""

    kind: str
    text: str = ""
    parts: tuple[Node, ...] = ()


class Grammar:
    """Rules by name; the first is what a sentence is."""

    def __init__(self, text: str, said: Said, *, spaced: bool = True, any_case: bool = False) -> None:
        self._said, self._spaced = said, spaced
        self._flags = re.IGNORECASE if any_case else re.NOFLAG
        self._rules: dict[str, Node] = {}
        for rule in re.split(r"\n(?=\w+ *=)", text.strip()):
            name, _, body = rule.partition("=")
            self._rules[name.strip()] = _Reader(body).alternatives()
        self._first = next(iter(self._rules))
        self._depths = self._least_depths()

    def said(self) -> set[str]:
        """Return what is said in words."""
        return {node.text for rule in self._rules.values() for node in _walk(rule) if node.kind == "said"}

    def recognises(self, text: str) -> bool:
        """Say whether a text is a sentence."""
        known: dict[tuple[int, int], set[int]] = {}
        ends = self._ends(Node("rule", self._first), text, 0, known)
        return any(not text[end:].strip() if self._spaced else end == len(text) for end in ends)

    def sentence(self, seed: int) -> str:
        """Return some sentence."""
        pieces = self._drawn(Node("rule", self._first), random.Random(seed), 0)
        return (" " if self._spaced else "").join(pieces).replace("- ", "-")

    def _ends(self, node: Node, text: str, at: int, known: dict[tuple[int, int], set[int]]) -> set[int]:
        """Return where a part that begins at a place may end."""
        key = (id(node), at)
        if node.kind == "rule":
            node = self._rules[node.text]
            key = (id(node), at)
        if key not in known:
            known[key] = set()
            known[key] = self._new_ends(node, text, at, known)
        return known[key]

    def _new_ends(self, node: Node, text: str, at: int, known: dict[tuple[int, int], set[int]]) -> set[int]:
        if node.kind == "text" or node.kind == "said":
            pattern = _literal(node.text) if node.kind == "text" else self._said[node.text][0]
            found = re.compile((r"\s*" if self._spaced else "") + f"(?:{pattern})", self._flags).match(text, at)
            return set() if found is None else {found.end()}
        if node.kind == "one":
            return set().union(*(self._ends(part, text, at, known) for part in node.parts))
        if node.kind == "all":
            places = {at}
            for part in node.parts:
                places = set().union(*(self._ends(part, text, place, known) for place in places))
            return places
        reached, new = {at}, {at}
        while new:
            new = set().union(*(self._ends(node.parts[0], text, place, known) for place in new)) - reached
            reached |= new
            new = new if node.kind == "many" else set()
        return reached

    def _drawn(self, node: Node, chance: random.Random, depth: int) -> list[str]:
        if node.kind == "text":
            return [node.text]
        if node.kind == "said":
            return [chance.choice(self._said[node.text][1])]
        if node.kind == "rule":
            return self._drawn(self._rules[node.text], chance, depth + 1)
        if node.kind == "all":
            return [piece for part in node.parts for piece in self._drawn(part, chance, depth)]
        if node.kind == "one":
            shallow = min(map(self._depth, node.parts))
            open_parts = [part for part in node.parts if depth < _DEEPEST or self._depth(part) == shallow]
            return self._drawn(chance.choice(open_parts), chance, depth)
        most = 0 if depth >= _DEEPEST else (2 if node.kind == "many" else 1)
        return [piece for _ in range(chance.randint(0, most)) for piece in self._drawn(node.parts[0], chance, depth)]

    def _least_depths(self) -> dict[str, int]:
        self._depths = dict.fromkeys(self._rules, 1000)
        for _ in self._rules:
            self._depths = {name: 1 + self._depth(rule) for name, rule in self._rules.items()}
        return self._depths

    def _depth(self, node: Node) -> int:
        """Return how many rules a part needs below one another at least."""
        if node.kind == "rule":
            return self._depths[node.text]
        if node.kind in ("maybe", "many") or not node.parts:
            return 0
        return (min if node.kind == "one" else max)(map(self._depth, node.parts))


class _Reader:
    """Reads the right side of a rule."""

    def __init__(self, text: str) -> None:
        self._tokens = [token for token in _TOKENS.findall(text) if not token.isspace()]
        assert "".join(_TOKENS.findall(text)) == text, text

    def alternatives(self) -> Node:
        parts = [self._sequence()]
        while self._tokens and self._tokens[0] == "|":
            self._tokens.pop(0)
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Node("one", parts=tuple(parts))

    def _sequence(self) -> Node:
        parts = []
        while self._tokens and self._tokens[0] not in "|)]}":
            parts.append(self._part(self._tokens.pop(0)))
        return parts[0] if len(parts) == 1 else Node("all", parts=tuple(parts))

    def _part(self, token: str) -> Node:
        if token in "([{":
            inside = self.alternatives()
            closing = self._tokens.pop(0)
            assert token + closing in ("()", "[]", "{}"), token + closing
            return inside if token == "(" else Node("maybe" if token == "[" else "many", parts=(inside,))
        if token[0] in "\"'":
            return Node("text", token[1:-1])
        return Node("said", token.strip("? ")) if token[0] == "?" else Node("rule", token)


def _literal(text: str) -> str:
    return re.escape(text) + (r"(?!\w)" if text.isalpha() else "")


def _walk(node: Node) -> list[Node]:
    return [node, *(found for part in node.parts for found in _walk(part))]
