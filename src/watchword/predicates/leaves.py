r"""Texts with AND, OR, NOT and parentheses without the parser, as far as one regular expression finds their predicates.

``Image ENDS WITH '\cmd.exe' AND (line HAS 'a' OR NOT line HAS 'b')`` has three *leaves*: pieces of text that the parser
would read as one predicate each, whatever stands around them. A leaf that was seen before is not read again. The result
is the tree that the parser makes; where anything is unusual (an ANY, a name that begins an operator, a limit that is
exceeded, an error) there is none, and the parser reads the whole text, whose errors have their places.

>>> leaves = Leaves(Limits(256, 64, 1024, 65536), BUILT_IN, Reading(), lambda predicate: predicate.written)
>>> leaves.tree("a = 1 AND NOT (b HAS 'x' OR c IN (7, 8))")
And(parts=['= 1', Not(part=Or(parts=["HAS 'x'", 'IN (7, 8)']))])
>>> leaves.tree("a = 1 AND b"), leaves.tree("ANY a (b = 1)")
(None, None)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from watchword.errors import SubscriptionSyntaxError
from watchword.predicates import making
from watchword.predicates.literals import Instant, Limits
from watchword.predicates.plain import plain_number
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.query import PredicateParser, attribute_of
from watchword.predicates.readers.doors import BUILT_IN, Doors
from watchword.predicates.readers.reading import Reading
from watchword.predicates.readers.substrings import reader_of_parts
from watchword.predicates.values import INSTANT, TEXT, Key, instant_of_text
from watchword.sets.boolean import And, Not, Or, Tree
from watchword.sets.factoring import every_atom, replaced

__all__ = ["BUILT_IN", "Leaves", "Limits", "Reading"]

FEW, MANY = 1 << 18, 1 << 23
"""How many characters of leaves are remembered while single texts come, and while many come at once; beyond that it
begins again with none."""

_OVERHEAD = 64
"""How many characters a leaf counts for in addition to its own."""

_LONG = 256
"""Attributes of more characters are read each time."""

_NAME = r'(?:[^\W\d]\w*+|"(?:[^"]++|"")*+")'
_TEXT = r"'(?:[^']++|'')*+'"
_NUMBER = r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?(?![\w.])"
_LITERAL = rf"(?:{_TEXT}|{_NUMBER}|TRUE\b|FALSE\b)"
_PIECES = re.compile(
    rf"""\s*+(?:  # the groups: mark, leaf, path, sign, value, word, text, members, exists, other, folded
        ([()]|(?ai:AND|OR|NOT)\b)
      | (
          (?:({_NAME}(?:\.{_NAME})*+)\s*+)?
          (?: (<>|!=|<=|>=|[=<>]) \s* ({_LITERAL})
            | \b(STARTS\s+WITH|ENDS\s+WITH|HAS) \s* ({_TEXT})
            | \bIN \s* \( \s* ({_LITERAL}(?:\s*,\s*{_LITERAL})*+) \s* \)
            | \b(EXISTS)\b
            | \b(IS\s+MISSING\b | BETWEEN \s* {_LITERAL} \s* AND \s* {_LITERAL}
                | (?:LIKE|ILIKE|MATCHES(?:\s+(?:PATTERN|PATH))?|KIND\s+OF|IN\s+CIDR) \s* {_TEXT}
                  (?: \s* ESCAPE \s* {_TEXT} )?)
          )
          (\s*IGNORING\s+CASE\b)?
        )
    )""",
    re.VERBOSE,
)
_MEMBER = re.compile(_LITERAL)

Found = tuple[Tree, int]
"""The tree of a leaf, and its cost towards the limit of predicates."""


class Leaves:
    """Reads texts into trees, for one set of limits and readers; `atom` makes the atoms of trees from predicates."""

    def __init__(
        self,
        limits: Limits,
        doors: Doors,
        reading: Reading,
        atom: Callable[[Predicate], Any],
        remembered: int = FEW,
    ) -> None:
        self._limits, self._doors, self._reading, self._atom = limits, doors, reading, atom
        self._known: dict[str, Found | None] = {}
        self._remembered, self._size = remembered, 0

    def tree(self, text: str) -> Tree | None:
        """Return the tree that the parser makes of a text; None if only the parser can tell."""
        drawn, known = _Drawing(self._limits.depth), self._known
        text = text.rstrip()
        at = count = 0
        while at < len(text):
            found = _PIECES.match(text, at)
            if found is None:
                return None
            at = found.end()
            mark, source = found.group(1, 2)
            if source is None:
                if not drawn.take(mark.upper()):
                    return None
                continue
            leaf = known[source] if source in known else self._read(source, found)
            if leaf is None or not drawn.put(leaf[0]):
                return None
            count += leaf[1]
        return drawn.whole() if count <= self._limits.predicates else None

    def _read(self, source: str, found: re.Match[str]) -> Found | None:
        """Read a new leaf, and remember it; None if only the parser can tell."""
        made = self._made(source, found)
        self._size += len(source) + _OVERHEAD
        if self._size > self._remembered:
            self._known.clear()
            self._size = len(source) + _OVERHEAD
        self._known[source] = made
        return made

    def _made(self, source: str, found: re.Match[str]) -> Found | None:
        path = self._path(found[3])
        if path is None or len(source) > self._limits.literal:
            return None
        made = _predicate(path, found)
        if made is not None:
            return self._atom(made), making.cost(made)
        parser = PredicateParser(source, self._limits, None, self._doors, self._reading)
        try:
            tree = parser.tree()
        except SubscriptionSyntaxError:
            return None
        return replaced(tree, self._atom), sum(map(making.cost, every_atom(tree)))

    def _path(self, written: str | None) -> Path | None:
        """Return an attribute; () where none is written. None for names that may be more than a name."""
        if written is None:
            return () if self._reading.text else None
        path = _path(written) if len(written) <= _LONG else _path.__wrapped__(written)
        if path is not None and len(path) == 1 and written[0] != '"' and written.upper() in self._doors.behind:
            return None
        return path


class _Drawing:
    """A tree that is being drawn, piece by piece. `put` and `take` return whether the piece may stand here."""

    def __init__(self, depth: int) -> None:
        self._most = depth
        self._level = self._depth = 0
        """How deep the group lies, and the next part of it."""
        self._alternatives: list[Tree] = []
        self._parts: list[Tree] = []
        self._negated = False
        self._waits = True
        """Whether the next piece begins a part."""
        self._around: list[tuple[int, list[Tree], list[Tree], bool]] = []

    def put(self, part: Tree) -> bool:
        """Take a leaf."""
        if not self._waits:
            return False
        self._end_part(part)
        return True

    def take(self, mark: str) -> bool:
        """Take AND, OR, NOT or a parenthesis."""
        if self._waits:
            return self._deepen(mark) if mark in ("NOT", "(") else False
        if mark == ")":
            return self._close()
        if mark == "OR":
            self._alternatives.append(_joined(And, self._parts))
            self._parts = []
        self._waits = True
        return mark in ("AND", "OR")

    def whole(self) -> Tree | None:
        """Return the tree; None if it is not at its end."""
        return None if self._waits or self._around else self._group()

    def _end_part(self, part: Tree) -> None:
        self._parts.append(Not(part) if self._negated else part)
        self._negated, self._waits, self._depth = False, False, self._level

    def _deepen(self, mark: str) -> bool:
        if self._depth == self._most:
            return False
        self._depth += 1
        if mark == "NOT":
            self._negated = not self._negated
        else:
            self._around.append((self._level, self._alternatives, self._parts, self._negated))
            self._level, self._alternatives, self._parts, self._negated = self._depth, [], [], False
        return True

    def _close(self) -> bool:
        if not self._around:
            return False
        group = self._group()
        self._level, self._alternatives, self._parts, self._negated = self._around.pop()
        self._end_part(group)
        return True

    def _group(self) -> Tree:
        return _joined(Or, [*self._alternatives, _joined(And, self._parts)])


def _joined(operator: type[And] | type[Or], parts: list[Tree]) -> Tree:
    return operator(parts) if len(parts) > 1 else parts[0]


@lru_cache(1024)
def _path(written: str) -> Path | None:
    """Return the names of an attribute as it is written, None if one of them is reserved."""
    try:
        return attribute_of(written)
    except SubscriptionSyntaxError:
        return None


def _predicate(path: Path, found: re.Match[str]) -> Predicate | None:
    """Return the predicate of a leaf that compares values or asks for a part of a text; None for any other."""
    sign, value, word, text, members, exists, other, folded = found.group(*range(4, 12))
    ignores_case = folded is not None
    if word == "HAS":
        return reader_of_parts(ignores_case).part(path, _text(text)) if text != "''" else None
    if not path or other is not None:
        return None
    if word is not None:
        return making.edge(path, word.split()[0], _text(text), ignores_case)
    if exists is not None:
        return None if ignores_case else making.existing(path)
    keys = [_key(one) for one in ([value] if members is None else _MEMBER.findall(members))]
    known = [key for key in keys if key is not None]
    sign = "IN" if sign is None else "!=" if sign == "<>" else sign
    return _comparison(path, sign, known, ignores_case) if len(known) == len(keys) else None


def _comparison(path: Path, sign: str, keys: list[Key], ignores_case: bool) -> Predicate | None:
    if ignores_case:
        return making.folded(path, sign, keys) if all(key[0] in (TEXT, INSTANT) for key in keys) else None
    made = making.members(path, keys) if sign == "IN" else [making.compared(path, sign, keys)]
    return made[0] if len(made) == 1 else None


def _key(literal: str) -> Key | None:
    """Return the key of a number or a text; None for TRUE and FALSE."""
    if literal[0] != "'":
        return None if literal[0] in "TF" else plain_number(literal)
    text = _text(literal)
    instant = instant_of_text(text) if text[:1].isdigit() else None
    return (TEXT, text) if instant is None else Instant((INSTANT, instant), text)


def _text(literal: str) -> str:
    return literal[1:-1].replace("''", "'")
