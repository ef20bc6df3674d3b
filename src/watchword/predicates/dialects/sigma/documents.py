"""YAML into trees that know their lines, with bounds that hold whatever the text is.

>>> [rule] = read_documents("title: Odd shell\\ndetection:\\n  selection: {Image: [cmd.exe, 7]}\\n")
>>> rule["detection"]["selection"]["Image"].items[1]
Scalar(line=3, size=1, depth=0, text='7', plain=True)

The parser's events are put together here, so nothing that a tag names is ever made, and no call nests with the text. An
alias counts as often as it is used: ten anchors, each of ten of the one before, are ten thousand million nodes, and
refused at the hundred thousandth. What YAML 1.1 makes of a plain scalar (``7``, ``yes``, ``null``) is asked for by
`value_of`, only where a rule uses the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

from watchword.predicates.dialects.sigma.errors import SigmaError

MAX_CHARACTERS = 1 << 20
"""How many characters the YAML of a rule may have."""

MAX_NODES = 100_000
"""How many values, lists and maps a document may have, an alias counted like a copy."""

MAX_DEPTH = 32
"""How deep lists and maps may be nested."""


@dataclass(slots=True)
class Node:
    """A part of a document. `size` counts the nodes in it, `depth` the levels below it."""

    line: int
    size: int = 1
    depth: int = 0


@dataclass(slots=True)
class Scalar(Node):
    """A value as it is written; `plain` if no quotes or block marks stand around it."""

    text: str = ""
    plain: bool = False


@dataclass(slots=True)
class Sequence(Node):
    """A list."""

    items: list[Tree] = field(default_factory=list)


@dataclass(slots=True)
class Map(Node):
    """A map; `keys` has the node of each key, for its line."""

    pairs: dict[str, Tree] = field(default_factory=dict)
    keys: dict[str, Scalar] = field(default_factory=dict)
    waiting: Scalar | None = None

    def __getitem__(self, key: str) -> Any:
        return self.pairs[key]

    def get(self, key: str) -> Tree | None:
        """Return the value of a key, None if there is no such key."""
        return self.pairs.get(key)


Tree: TypeAlias = "Scalar | Sequence | Map"


def read_documents(text: str | bytes) -> list[Tree]:
    """Return the documents of a YAML text; an empty document is left out."""
    text = _decoded(text)
    if len(text) > MAX_CHARACTERS:
        raise SigmaError(f"{len(text):,} characters of YAML are too many; {MAX_CHARACTERS:,} are read", line=0)
    return [one for one in _documents(text) if not (isinstance(one, Scalar) and one.plain and not one.text)]


def import_yaml() -> Any:
    """Return the module PyYAML, which only Sigma needs."""
    try:
        import yaml
    except ImportError as error:
        raise ImportError("Sigma rules need PyYAML: pip install 'watchword[sigma]'") from error
    return yaml


def value_of(scalar: Scalar) -> str | int | float | bool | None:
    """Return the value of a scalar by the rules of YAML 1.1. A date, .inf or .nan is refused.

    >>> value_of(Scalar(1, text="0x10", plain=True)), value_of(Scalar(1, text="0x10")), value_of(Scalar(1, plain=True))
    (16, '0x10', None)
    """
    if not scalar.plain:
        return scalar.text
    yaml = import_yaml()
    tag = _resolver().resolve(yaml.ScalarNode, scalar.text, (True, False)).rpartition(":")[2]
    if tag == "null":
        return None
    if tag == "timestamp":
        raise SigmaError(f"YAML reads {scalar.text} as a date; put it into quotes", line=scalar.line)
    if tag not in ("bool", "int", "float"):
        return scalar.text
    made = getattr(yaml.constructor.SafeConstructor(), f"construct_yaml_{tag}")
    try:
        value: int | float | bool = made(yaml.ScalarNode(tag, scalar.text))
        finite = math.isfinite(value)
    except (ValueError, OverflowError):  # thousands of digits, 0b2, or a sexagesimal beyond a float
        finite = False
    if not finite:
        message = f"{scalar.text[:40]} is no number to compare with; put it into quotes"
        raise SigmaError(message, line=scalar.line)
    return value


@cache
def _resolver() -> Any:
    return import_yaml().resolver.Resolver()


def _decoded(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    if not isinstance(text, bytes):
        raise SigmaError(f"a rule is YAML, as text or bytes, not {type(text).__name__}", line=0)
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise SigmaError(f"not UTF-8 at byte {error.start}; convert the rule to UTF-8", line=line) from error


def _documents(text: str) -> Iterator[Tree]:
    """Yield the documents of a text."""
    yaml = import_yaml()
    try:
        loader, builder = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text), _Builder()
        while (event := loader.get_event()) is not None:
            kind = type(event)
            if kind is yaml.ScalarEvent:
                builder.take_scalar(event)
            elif kind in builder.steps:
                builder.take(event, kind)
            elif kind is yaml.DocumentEndEvent:
                yield builder.root
                builder = _Builder()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "it cannot be read"
        raise SigmaError(f"no YAML: {problem}", line=mark.line + 1 if mark else 0) from error
    except yaml.YAMLError as error:
        raise SigmaError(f"no YAML: {str(error).splitlines()[0]}", line=0) from error
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise SigmaError("half of a surrogate pair is no character; take it out", line=line) from error


class _Builder:
    """Puts the events of one document together; `root` is the document at its end."""

    root: Tree

    def __init__(self) -> None:
        yaml = import_yaml()
        self.steps: dict[type, Callable[[Any, int], Tree | None]] = {
            yaml.MappingStartEvent: self._begin_map,
            yaml.SequenceStartEvent: self._begin_sequence,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._aliased,
        }
        self._open: list[Map | Sequence] = []
        self._anchors: dict[str, Tree] = {}
        self._size = 0

    def take(self, event: Any, kind: type) -> None:
        """Take the next event that is no scalar."""
        line = event.start_mark.line + 1
        node = self.steps[kind](event, line)
        if node is not None:
            self._put(node, line)

    def take_scalar(self, event: Any) -> None:
        """Take a scalar."""
        line = event.start_mark.line + 1
        node = Scalar(line, 1, 0, event.value, event.implicit[0])
        self._note(event, node)
        self._put(node, line)

    def _begin_map(self, event: Any, line: int) -> None:
        self._begin(event, Map(line))

    def _begin_sequence(self, event: Any, line: int) -> None:
        self._begin(event, Sequence(line))

    def _begin(self, event: Any, node: Map | Sequence) -> None:
        self._note(event, node)
        if len(self._open) >= MAX_DEPTH:
            raise SigmaError(f"nested deeper than {MAX_DEPTH} levels", line=node.line)
        self._open.append(node)

    def _end(self, event: Any, line: int) -> Tree:
        return self._open.pop()

    def _note(self, event: Any, node: Tree) -> None:
        """Count a node, refuse its tag, and keep its anchor."""
        self._size += 1
        if self._size > MAX_NODES:
            self._count(0, node.line)
        if event.tag is not None:
            message = f"the tag {event.tag} is not read; leave it out, or put a text into quotes"
            raise SigmaError(message, line=node.line)
        if event.anchor is not None:
            self._anchors[event.anchor] = node

    def _aliased(self, event: Any, line: int) -> Tree:
        anchor = event.anchor
        node = self._anchors.get(anchor)
        if node is None:
            raise SigmaError(f"*{anchor} refers to no anchor before it", line=line)
        if any(node is one for one in self._open):
            raise SigmaError(f"*{anchor} refers to a list or map that it stands in", line=line)
        if len(self._open) + node.depth > MAX_DEPTH:
            raise SigmaError(f"nested deeper than {MAX_DEPTH} levels", line=line)
        self._count(node.size, line)
        return node

    def _count(self, nodes: int, line: int) -> None:
        self._size += nodes
        if self._size > MAX_NODES:
            raise SigmaError(f"more than {MAX_NODES:,} values, lists and maps, aliases counted as copies", line=line)

    def _put(self, node: Tree, line: int) -> None:
        """Add a node to the list or map that it stands in; of a map, as the next key or value."""
        if not self._open:
            self.root = node
            return
        owner = self._open[-1]
        owner.size += node.size
        if node.depth >= owner.depth:
            owner.depth = node.depth + 1
        if isinstance(owner, Sequence):
            owner.items.append(node)
        elif owner.waiting is not None:
            owner.pairs[owner.waiting.text], owner.waiting = node, None
        else:
            owner.waiting = _checked_key(owner, node, line)
            owner.keys[owner.waiting.text] = owner.waiting


def _checked_key(owner: Map, node: Tree, line: int) -> Scalar:
    if not isinstance(node, Scalar):
        raise SigmaError("a key is a text, not a list or map", line=line)
    if node.text == "<<" and node.plain:
        raise SigmaError("merge keys (<<) are not read; write the keys out", line=line)
    if node.text in owner.pairs:
        first = owner.keys[node.text].line
        message = f"the key {node.text!r} stands twice, first in line {first}; YAML keeps one: join them"
        raise SigmaError(message, line=line)
    return node
