"""Documents that are valid by a DTD, with a say in how deep they nest.

>>> document = DocumentWorkload(RECURSIVE, elements=6, depth=4, words=0, seed=2).documents(1)[0].as_py()
>>> document.decode()
'<a><a><c><b/></c><b/></a></a>'

A content model is followed from left to right: an optional part is there or not with equal chances, a part that may be
repeated stands 1 to `repeats` times, of a choice any part is drawn. Three limits then decide which parts may be added
to the required ones:

- `depth`: no element is put where it, with all it requires, would go deeper than this.
- `nesting`: no element is put into `nesting` others of its own name. 1 forbids recursion, None allows all.
- `elements`: about as many elements as a document has. Each element shares its rest of them among its children, by
  random proportions, so that some branches go deep and others end early.

Required elements are there whatever the limits say. Required attributes are there, others without a default half of
the time, names of unparsed entities never. An ``IDREF`` is the document's first ``ID``. A run of text has at most
`words` words. Document `i` depends on the seed and on `i` only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

import pyarrow as pa

from watchword.errors import OptionError
from watchword.papers.workloads.dtd import NEWS, RECURSIVE, Attribute, Dtd, Model

__all__ = ["NEWS", "RECURSIVE", "DocumentWorkload"]

WORDS = ("market", "shares", "minister", "election", "harbour", "storm", "final", "goal", "museum", "grain")
_UNPARSED = ("ENTITY", "ENTITIES", "NOTATION")
_TEXT = ""
"""What stands for a run of text among the names of children."""


@dataclass(frozen=True)
class DocumentWorkload:
    """Documents of a DTD: how large they are, how deep, how often a name nests in itself, how often parts repeat."""

    dtd: Dtd = NEWS
    elements: int = 200
    depth: int = 10
    nesting: int | None = None
    repeats: int = 4
    words: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.elements, self.depth, self.repeats) < 1 or self.words < 0:
            raise OptionError("a document has an element, a level and one of what repeats at least")
        if self.nesting is not None and self.nesting < 1:
            raise OptionError(f"an element stands in itself 1 time or more often, or None for any, not {self.nesting}")
        if self.dtd.root not in self.heights:
            raise OptionError(f"no document can end: {self.dtd.root!r} always has another element in it")

    def documents(self, count: int) -> pa.LargeBinaryArray:
        """Return `count` documents, UTF-8 without a prolog."""
        return pa.array((b"".join(self._document(number)) for number in range(count)), pa.large_binary())

    @cached_property
    def heights(self) -> dict[str, int]:
        """How many levels an element needs at least, itself included; elements that never end are left out."""
        heights: dict[str, int] = {name: 1 for name in self.dtd.names if name not in self.dtd.models}
        grown = True
        while grown:
            grown = False
            for name, model in self.dtd.models.items():
                inner = _height(model, heights)
                if inner is not None and heights.get(name) != inner + 1:
                    heights[name], grown = inner + 1, True
        return heights

    @cached_property
    def inner(self) -> frozenset[str]:
        """The elements that may have children."""
        return frozenset(name for name in self.dtd.models if self.dtd.children(name))

    def _document(self, number: int) -> Iterator[bytes]:
        """Yield a document's tags and texts: elements are opened from a stack, on which their end tags wait."""
        drawing = _Drawing(self, Random(f"{self.seed} {number}"))
        waiting: list[tuple[str, int, int]] = [(self.dtd.root, 1, self.elements)]
        while waiting:
            name, level, left = waiting.pop()
            if name == _TEXT:
                yield drawing.text()
            elif left < 0:
                drawing.open[name] -= 1
                yield f"</{name}>".encode()
            else:
                children = drawing.children(name, level, left)
                yield f"<{name}{drawing.attributes(name)}{'>' if children else '/>'}".encode()
                if children:
                    drawing.open[name] += 1
                    waiting.append((name, level, -1))
                    shares = drawing.shares(children, left - 1)
                    pairs = zip(reversed(children), shares, strict=True)
                    waiting.extend((child, level + 1, share) for child, share in pairs)


@dataclass
class _Drawing:
    """One document as it grows: how often each name is open now, and the first identifier."""

    wanted: DocumentWorkload
    random: Random
    open: Counter[str] = field(default_factory=Counter)
    identifiers: int = 0

    def children(self, name: str, level: int, left: int) -> list[str]:
        """Draw the children of an element, texts among them; `left` elements may be put from here on."""
        model = self.wanted.dtd.models.get(name)
        if model is None or model.kind == "empty":
            return []
        if model.kind == "any":
            model = Model("mixed", 0, True, "", tuple(Model("name", 1, False, n, ()) for n in self.wanted.dtd.models))
        self.open[name] += 1
        drawn = self._part(model, level, left - 1)
        self.open[name] -= 1
        return drawn

    def _part(self, model: Model, level: int, left: int) -> list[str]:
        """Draw what stands for a part of a content model, below an element of this level."""
        drawn: list[str] = []
        for turn in range(self._times(model)):
            if turn >= model.least and not (left > len(drawn) and self._fits(model, level)):
                break
            drawn += self._once(model, level, left - len(drawn))
        return drawn

    def _times(self, model: Model) -> int:
        return self.random.randint(1, self.wanted.repeats) if model.many else self.random.randint(model.least, 1)

    def _once(self, model: Model, level: int, left: int) -> list[str]:
        if model.kind == "name":
            return [model.name]
        if model.kind == "sequence":
            drawn: list[str] = []
            for part in model.parts:
                drawn += self._part(part, level, left - len(drawn))
            return drawn
        fitting = [part for part in model.parts if self._fits(part, level)]
        if model.kind == "choice":
            return self._part(self.random.choice(fitting or [self._lowest(model)]), level, left)
        text = [_TEXT] if self.wanted.words else []
        return [self.random.choice(fitting).name, *text] if fitting and left > 0 else text

    def _fits(self, model: Model, level: int) -> bool:
        """Return whether a part can stand below this level with all that it requires, and nests no name too often."""
        if model.kind == "name":
            height = self.wanted.heights.get(model.name)
            most = self.wanted.nesting
            shallow = height is not None and level + height <= self.wanted.depth
            return shallow and (most is None or self.open[model.name] < most)
        parts = (not part.least or self._fits(part, level) for part in model.parts)
        return model.kind == "mixed" or (all(parts) if model.kind == "sequence" else any(parts))

    def _lowest(self, model: Model) -> Model:
        """Return the part of a choice that needs the fewest levels."""
        heights = [(_height(part, self.wanted.heights), part) for part in model.parts]
        return min(((height, part) for height, part in heights if height is not None), key=lambda pair: pair[0])[1]

    def shares(self, children: list[str], left: int) -> list[int]:
        """Share `left` elements out among children, by random proportions."""
        weights = [self.random.random() if child in self.wanted.inner else 0.0 for child in children]
        free = max(0, left - sum(child != _TEXT for child in children))
        total = sum(weights) or 1.0
        return [1 + int(free * weight / total) for weight in weights]

    def attributes(self, name: str) -> str:
        """Return the attributes of a start tag, each behind a space."""
        known = [each for each in self.wanted.dtd.attributes.get(name, ()) if not each.type.startswith(_UNPARSED)]
        chosen = [each for each in known if each.required or (each.default is None and self.random.random() < 0.5)]
        return "".join(f' {each.name}="{self._value(each)}"' for each in chosen)

    def _value(self, attribute: Attribute) -> str:
        if attribute.type == "ID":
            self.identifiers += 1
            return f"x{self.identifiers}"
        if attribute.type.startswith("IDREF"):
            return "x1"
        if "(" in attribute.type:
            listed = attribute.type[attribute.type.index("(") :]
            return self.random.choice(listed.strip("()").split("|"))
        return self.random.choice(WORDS)

    def text(self) -> bytes:
        """Return a run of words."""
        return " ".join(self.random.choices(WORDS, k=self.random.randint(1, self.wanted.words))).encode()


def _height(model: Model, heights: dict[str, int]) -> int | None:
    """Return how many levels a part of a model needs at least, None if `heights` lacks a required element."""
    if not model.least or model.kind in ("empty", "any", "mixed"):
        return 0
    if model.kind == "name":
        return heights.get(model.name)
    known = [_height(part, heights) for part in model.parts]
    found = [height for height in known if height is not None]
    if model.kind == "choice":
        return min(found, default=None)
    return max(found, default=0) if len(found) == len(known) else None
