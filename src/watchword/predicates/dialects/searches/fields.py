"""What kind of thing each field of a query is: from the mapping of an index, or told by name.

>>> fields = Fields({"properties": {"title": {"type": "text", "fields": {"raw": {"type": "keyword"}}}}})
>>> fields.field("title").kind, fields.field("title.raw").kind, fields.field("title.raw").attributes
('text', 'keyword', ('title',))
>>> fields.field("price").kind, fields.field("price.keyword").attributes
('any', ('price',))

A field that no mapping names is of the kind ``any``: its words are looked for in texts, a whole value is compared as
it is, and the ends of a range say whether numbers, dates or texts are meant. A name that ends with ``.keyword`` is then
the whole text of the field before it, as Elasticsearch maps texts unless it is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from watchword.errors import OptionError
from watchword.predicates.dialects import aws
from watchword.predicates.dialects.searches.analyzers import Analysis, analysis_of, is_folding
from watchword.predicates.dialects.searches.refused import Refused

PLAIN = Analysis()

MOST_FIELDS = 10_000
"""How many fields a mapping may have."""

_DEEPEST = 30

KINDS = {
    **dict.fromkeys(("text", "match_only_text", "search_as_you_type", "annotated_text"), "text"),
    **dict.fromkeys(("keyword", "constant_keyword", "wildcard", "flattened", "icu_collation_keyword"), "keyword"),
    **dict.fromkeys(("long", "integer", "short", "byte", "unsigned_long"), "number"),
    **dict.fromkeys(("double", "float", "half_float", "scaled_float", "number"), "number"),
    **dict.fromkeys(("date", "date_nanos"), "date"),
    **{name: name for name in ("boolean", "ip", "nested", "object", "percolator", "any")},
}
"""Types of a mapping, by what they are here; others are refused where a query asks for them."""

FORMATS = ("strict_date_optional_time", "epoch_millis")
"""The formats of a date that names none."""


@dataclass(frozen=True)
class Field:
    """A field as queries name it. `paths` are the keys that lead to its value, those of several for a field into which
    others are copied; `nested` is the list of objects that it lies in, and `inside` the one from which it is asked."""

    name: str
    kind: str
    paths: tuple[tuple[str, ...], ...]
    analysis: Analysis = PLAIN
    folded: bool = False
    formats: tuple[str, ...] = FORMATS[:1]
    nested: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """Return the attributes as predicates name them; "" stands for those of the option `text`."""
        return tuple(aws.attribute(path[len(self.inside) :]) for path in self.paths)


class Fields:
    """The fields of a mapping, which is JSON or a mapping: that of an index, or names and types."""

    def __init__(self, mapping: str | bytes | Mapping[str, Any] | None = None) -> None:
        properties, self._settings = _properties(_read(mapping))
        self._written: dict[str, Mapping[str, Any]] = {}
        self._nested: dict[str, tuple[str, ...]] = {}
        self._copied: dict[str, list[str]] = {}
        self._known: dict[str, Field] = {}
        self._collect(properties, "", (), 0)

    def _collect(self, properties: Mapping[str, Any], before: str, nested: tuple[str, ...], depth: int) -> None:
        if depth > _DEEPEST:
            raise OptionError(f"the mapping is nested deeper than {_DEEPEST} levels at {before[:60]}")
        for name, given in properties.items():
            definition = {"type": given} if isinstance(given, str) else given
            whole = f"{before}{name}"
            if not isinstance(definition, Mapping):
                raise OptionError(f"the mapping of {whole} is no object with a type, but {given!r:.60}")
            if len(self._written) >= MOST_FIELDS:
                raise OptionError(f"the mapping has more than {MOST_FIELDS:,} fields")
            self._written[whole] = definition
            self._nested[whole] = nested
            for target in _names(definition.get("copy_to", ())):
                self._copied.setdefault(target, []).append(whole)
            inner = (*whole.split("."),) if definition.get("type") == "nested" else nested
            for members in ("properties", "fields"):
                self._collect(_mapping_in(definition, members, whole), f"{whole}.", inner, depth + 1)

    @property
    def names(self) -> list[str]:
        """Return all names, but for those of the parts of texts."""
        return list(self._written)

    def field(self, name: str) -> Field:
        """Return a field by its name; a `Refused` if nothing can be asked of it."""
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = self._made(name)
        return found

    def analysis(self, name: str) -> Analysis:
        """Return what an analyser does, by its name."""
        return analysis_of(name, self._settings)

    def percolators(self) -> list[str]:
        """Return the fields of type percolator, whose values are queries."""
        return [name for name, one in self._written.items() if one.get("type") == "percolator"]

    def matching(self, pattern: str) -> list[Field]:
        """Return the fields whose names have a form with stars, as far as words can be looked for in them."""
        if not self._written:
            raise Refused(f"{pattern}: which fields have such a name is not known without a mapping; name the fields")
        form = pattern.replace("[", "[[]")
        names = [name for name in self._written if fnmatchcase(name, form) and not self._nested[name]]
        return [self.field(name) for name in names if self._type(name) in ("text", "keyword")]

    def texts(self) -> list[Field]:
        """Return the fields of type text."""
        return [one for one in self.searched() if one.kind == "text"]

    def texts_written(self) -> list[str]:
        """Return the names of the texts, but for other readings of them, whether they can be asked or not."""
        return [name for name in self._written if self._type(name) == "text" and not self._parent(name)]

    def searched(self) -> list[Field]:
        """Return the texts and keywords that are asked where no field is named. A keyword that is another reading of a
        text is left out: whatever is found in it is found in the text."""
        names = [name for name in self._written if not self._nested[name] and not self._parent(name)]
        return [self.field(name) for name in names if self._type(name) in ("text", "keyword")]

    def _type(self, name: str) -> str | None:
        return KINDS.get(self._written[name].get("type", "object"))

    def _parent(self, name: str) -> str:
        """Return the field that this one reads in another way, as title.raw reads title; "" for none."""
        parent = name.rpartition(".")[0]
        own = name[len(parent) + 1 :]
        return parent if own in _mapping_in(self._written.get(parent, {}), "fields", parent) else ""

    def _made(self, name: str) -> Field:
        definition = self._written.get(name)
        if definition is None:
            return self._unknown(name)
        kind = definition.get("type", "object")
        if kind == "alias":
            target = self._written.get(str(definition.get("path")), {})
            if target.get("type") in ("alias", None):
                raise Refused(f"{name} is an alias of no field; correct its path in the mapping")
            return replace(self.field(str(definition["path"])), name=name)
        if kind not in KINDS or kind == "percolator":
            raise Refused(f"{name} is of type {kind}, of which nothing can be asked; ask for another field")
        if definition.get("null_value") is not None:
            raise Refused(f"{name} has a null_value, and null is a missing value; write must_not exists for it")
        parent = self._parent(name)
        paths = [parent or name, *self._copied.get(name, ())]
        made = Field(
            name,
            KINDS[kind],
            tuple(_keys(path) for path in paths),
            nested=self._nested[name],
            formats=tuple(str(definition["format"]).split("||")) if "format" in definition else FORMATS,
        )
        return self._read_so(made, definition, parent)

    def _read_so(self, made: Field, definition: Mapping[str, Any], parent: str) -> Field:
        """Return a field of texts with what it is read with."""
        try:
            if made.kind == "keyword":
                return replace(made, folded=is_folding(definition.get("normalizer"), self._settings))
            if made.kind != "text":
                return made
            analysis = self._analysis(definition)
        except Refused as reason:
            raise Refused(f"{made.name}: {reason}") from None
        if analysis.whole:
            return replace(made, kind="keyword")
        others = [parent, *self._copied.get(made.name, ())] if parent else self._copied.get(made.name, ())
        for other in others:
            if self.field(other).kind != "text" or self.field(other).analysis != analysis:
                message = f"{made.name} reads {other} in another way than {other} itself, and a text is read in one way"
                raise Refused(f"{message}; give events a copy of it under another name")
        return replace(made, analysis=analysis)

    def _analysis(self, definition: Mapping[str, Any]) -> Analysis:
        name = str(definition.get("analyzer", "default"))
        made = analysis_of(name, self._settings)
        for other in ("search_analyzer", "search_quote_analyzer"):
            if other in definition and analysis_of(str(definition[other]), self._settings) != made:
                raise Refused(f"its {other} is another than its analyzer, and both are one here; name one")
        return made

    def _unknown(self, name: str) -> Field:
        """Return a field that no mapping names."""
        owner = name.rpartition(".")[0]
        while owner:
            if self._written.get(owner, {}).get("type") == "flattened":
                return Field(name, "keyword", (_keys(name),), nested=self._nested[owner])
            if self._written.get(owner, {}).get("type") == "nested":
                return Field(name, "any", (_keys(name),), nested=tuple(owner.split(".")))
            owner = owner.rpartition(".")[0]
        if name.endswith(".keyword"):
            return Field(name, "keyword", (_keys(name.removesuffix(".keyword")),))
        return Field(name, "keyword" if name == "_id" else "any", (_keys(name),))


ANYWHERE = Field("", "text", ((),))
"""What a MATCHES without an attribute reads."""


def _read(mapping: str | bytes | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if isinstance(mapping, str | bytes):
        try:
            mapping = json.loads(mapping)
        except (ValueError, RecursionError) as error:
            raise OptionError(f"the mapping is no JSON: {error}") from None
    if mapping is None:
        return {}
    if not isinstance(mapping, Mapping):
        raise OptionError(f"a mapping is JSON, or names and types of fields, not {type(mapping).__name__}")
    return mapping


def _properties(given: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the properties in whatever a mapping came in, and the settings of its analysis."""
    indexes = [one for one in given.values() if isinstance(one, Mapping) and "mappings" in one]
    if indexes and "mappings" not in given:
        if len(indexes) > 1:
            raise OptionError(f"the mapping is that of several indexes: {', '.join(given)[:200]}; give one of them")
        given = indexes[0]
    settings = given.get("settings", {}) if "mappings" in given else {}
    settings = settings.get("index", settings)
    analysis = settings.get("analysis", {}) if isinstance(settings, Mapping) else {}
    found = given.get("mappings", given)
    if not isinstance(found, Mapping):
        raise OptionError("mappings is no object with properties")
    if "mappings" in given and len(found) == 1 and "properties" not in found:  # of a type, as old versions had them
        found = next((one for one in found.values() if isinstance(one, Mapping) and "properties" in one), found)
    properties = found.get("properties", {} if "mappings" in given else found)
    if not isinstance(properties, Mapping):
        raise OptionError("properties is no object of fields")
    return properties, analysis if isinstance(analysis, Mapping) else {}


def _mapping_in(definition: Mapping[str, Any], name: str, owner: str) -> Mapping[str, Any]:
    found = definition.get(name, {})
    if not isinstance(found, Mapping):
        raise OptionError(f"the mapping of {owner}: {name} is no object of fields")
    return found


def _names(given: Any) -> list[str]:
    return [str(one) for one in given] if isinstance(given, list | tuple) else [str(given)]


def _keys(name: str) -> tuple[str, ...]:
    """Return the keys that lead to a field; dots lead into objects, unless nothing stands between them.

    >>> _keys("user.name"), _keys("a..b")
    (('user', 'name'), ('a..b',))
    """
    keys = tuple(name.split("."))
    return keys if all(keys) else (name,)
