"""The condition of a Sigma rule: ``1 of selection* and not (filter or 1 of other_*)``, as a tree of its selections.

    condition = conjunction { "or" conjunction }
    conjunction = factor { "and" factor }
    factor    = "not" factor | "(" condition ")" | ( "1" | "any" | "all" ) "of" ( "them" | pattern ) | name

A pattern is a name with ``*`` for any run of characters. It and `them` leave out names that begin with an underscore.
Words of the condition may be in any case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from watchword.predicates.dialects.aws import Tree, joined
from watchword.predicates.dialects.sigma.errors import SigmaError

DEEPEST = 32
"""How deep parentheses and `not` of a condition may be nested."""

_TOKEN = re.compile(r"[()]|\||[^\s()|]+")
_WORDS = ("and", "or", "not", "of")


class Condition:
    """Reads one condition."""

    def __init__(self, text: str, line: int, names: Collection[str], tree_of: Callable[[str], Tree]) -> None:
        self._tokens: list[str] = [*_TOKEN.findall(text), ""]
        self._at = 0
        self._line = line
        self._names = names
        self._tree_of = tree_of

    def read(self) -> Tree:
        """Return the tree of the whole condition."""
        if "|" in self._tokens:
            self._refuse_pipe()
        tree = self._either(0)
        if self._token:
            raise self._error(f"expected and, or, or the end before {self._token!r}")
        return tree

    def _refuse_pipe(self) -> None:
        after = self._tokens[self._tokens.index("|") + 1] or "nothing"
        message = (
            f"'| {after}' counts or joins several events, and a subscription is about one; "
            "leave it out, or count the matches behind it"
        )
        raise self._error(message)

    @property
    def _token(self) -> str:
        return self._tokens[self._at]

    def _takes(self, word: str) -> bool:
        """Step over a word, if it is the next one."""
        found = self._token.lower() == word
        self._at += found
        return found

    def _either(self, depth: int) -> Tree:
        parts = [self._both(depth)]
        while self._takes("or"):
            parts.append(self._both(depth))
        return joined("or", parts)

    def _both(self, depth: int) -> Tree:
        parts = [self._factor(depth)]
        while self._takes("and"):
            parts.append(self._factor(depth))
        return joined("and", parts)

    def _factor(self, depth: int) -> Tree:
        if depth > DEEPEST:
            raise self._error(f"nested deeper than {DEEPEST} levels")
        if self._takes("not"):
            return ("not", [self._factor(depth + 1)])
        if self._takes("("):
            tree = self._either(depth + 1)
            if not self._takes(")"):
                raise self._error("a parenthesis is never closed; add the closing )")
            return tree
        if self._token and self._tokens[self._at + 1].lower() == "of":
            return self._several()
        return self._one()

    def _one(self) -> Tree:
        name = self._token
        if name in self._names:
            self._at += 1
            return self._tree_of(name)
        if not name or name == ")" or name.lower() in _WORDS:
            raise self._error(f"expected the name of a selection before {name or 'the end'!r}")
        raise self._error(f"there is no selection {name!r}; there are {', '.join(self._names) or 'none'}")

    def _several(self) -> Tree:
        count, pattern = self._token.lower(), self._tokens[self._at + 2]
        if count not in ("1", "any", "all"):
            raise self._error(f"'{self._token} of' is not known; there are 1 of, any of and all of")
        names = self._matching(pattern)
        self._at += 3
        return joined("and" if count == "all" else "or", [self._tree_of(name) for name in names])

    def _matching(self, pattern: str) -> list[str]:
        """Return the names of selections that a pattern or `them` stands for."""
        if not pattern or pattern in "()":
            raise self._error("expected them, or the names of selections, after 'of'")
        form = "*" if pattern.lower() == "them" else pattern
        found = [name for name in self._names if not name.startswith("_") and fits(name, form)]
        if not found:
            raise self._error(f"no selection is named like {pattern!r}; there are {', '.join(self._names) or 'none'}")
        return found

    def _error(self, message: str) -> SigmaError:
        return SigmaError(f"condition: {message}", line=self._line)


def fits(name: str, pattern: str) -> bool:
    """Return whether a name has the form of a pattern with stars.

    >>> fits("selection_img", "sel*img"), fits("selection", "selection*"), fits("aba", "ab*ba")
    (True, True, False)
    """
    if "*" not in pattern:
        return name == pattern
    first, *middle, last = pattern.split("*")
    if len(name) < len(first) + len(last) or not name.startswith(first) or not name.endswith(last):
        return False
    rest = name[len(first) : len(name) - len(last)]
    for part in filter(None, middle):
        _, found, rest = rest.partition(part)
        if not found:
            return False
    return True
