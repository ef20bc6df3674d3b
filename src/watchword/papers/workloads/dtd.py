"""Document type definitions: which elements may stand in which, as expat reads them.

>>> dtd = read_dtd("<!ENTITY % list '(item | list)+'> <!ELEMENT list %list;> <!ELEMENT item (#PCDATA)>")
>>> dtd.root, dtd.children("list"), dtd.children("item")
('list', ('item', 'list'), ())
>>> dtd.models["list"]
Model(kind='choice', least=1, many=True, name='', parts=(item, list))

A DTD comes as the text of a file of declarations, parameter entities included, or as a document whose prolog has them.
It is parsed by expat, which calls back for every declaration; nothing is fetched from anywhere.

Two definitions are here, so that examples need no files: `RECURSIVE`, five names that all nest in each other, and
`NEWS`, stories with a head, a body and text in which little nests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple
from xml.parsers import expat

from watchword.errors import OptionError

Kind = Literal["empty", "any", "mixed", "name", "choice", "sequence"]

_KINDS: dict[int, Kind] = {
    expat.model.XML_CTYPE_EMPTY: "empty",
    expat.model.XML_CTYPE_ANY: "any",
    expat.model.XML_CTYPE_MIXED: "mixed",
    expat.model.XML_CTYPE_NAME: "name",
    expat.model.XML_CTYPE_CHOICE: "choice",
    expat.model.XML_CTYPE_SEQ: "sequence",
}
_OPTIONAL = (expat.model.XML_CQUANT_OPT, expat.model.XML_CQUANT_REP)
_MANY = (expat.model.XML_CQUANT_REP, expat.model.XML_CQUANT_PLUS)


class Model(NamedTuple):
    """A content model, or a part of one: how often it stands (`least` is 0 or 1; once at most, or `many` times), and
    its parts. A `name` is one element; `mixed` is text, and elements if it has parts; `any` is all there are."""

    kind: Kind
    least: int
    many: bool
    name: str
    parts: tuple[Model, ...]

    def __repr__(self) -> str:
        """Return a single element as its name, and all else in full."""
        if self.kind == "name":
            return self.name + {(1, False): "", (0, False): "?", (0, True): "*", (1, True): "+"}[self.least, self.many]
        return (
            f"Model(kind={self.kind!r}, least={self.least}, many={self.many}, name={self.name!r}, parts={self.parts})"
        )


class Attribute(NamedTuple):
    """A declared attribute: its type as expat writes it (``CDATA``, ``(yes|no)``), its default, whether it must be."""

    name: str
    type: str
    default: str | None
    required: bool


@dataclass(frozen=True)
class Dtd:
    """Declarations in the order of the text. An element that is only named in models has no content."""

    root: str
    models: dict[str, Model]
    attributes: dict[str, tuple[Attribute, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """All elements: those declared, then those only named."""
        named = (child for name in self.models for child in self.children(name))
        return tuple(dict.fromkeys([*self.models, *named]))

    def children(self, name: str) -> tuple[str, ...]:
        """Return the distinct children that an element may have, in the order of its model."""
        model = self.models.get(name)
        if model is None:
            return ()
        return tuple(self.models) if model.kind == "any" else tuple(dict.fromkeys(_named(model)))


def read_dtd(text: str | bytes, root: str | None = None) -> Dtd:
    """Read declarations, or the prolog of a document. The root is, unless given, the one that a prolog names, or the
    first element declared."""
    data = text.encode() if isinstance(text, str) else text
    declared = _Declarations()
    try:
        declared.read_document(data)
        if not declared.doctype:
            declared.read_declarations(data)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise OptionError(f"not a DTD: {reason} in line {error.lineno}, column {error.offset}") from None
    if not declared.models:
        raise OptionError("this DTD declares no element")
    root = root or declared.doctype or next(iter(declared.models))
    if root not in declared.models:
        raise OptionError(f"the root {root!r} is not declared; declared are {', '.join(declared.models)}")
    attributes = {name: tuple(known.values()) for name, known in declared.attributes.items()}
    return Dtd(root, declared.models, attributes)


class _Declarations:
    """What expat calls back with."""

    def __init__(self) -> None:
        self.doctype = ""
        self.models: dict[str, Model] = {}
        self.attributes: dict[str, dict[str, Attribute]] = {}

    def read_document(self, data: bytes) -> None:
        """Read the declarations of a prolog; without a DOCTYPE there are none, and `doctype` stays empty."""
        parser = self._parser()
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            no_document = expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
            if self.doctype and error.code != no_document:
                raise

    def read_declarations(self, data: bytes) -> None:
        """Read the text of a file of declarations, as the external subset of an empty document."""
        parser = self._parser()
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.UseForeignDTD(True)

        def external(context: str, base: str | None, system: str | None, public: str | None) -> int:
            if system is not None:
                raise OptionError(f"this DTD refers to {system!r}, and nothing is fetched: put its text in")
            parser.ExternalEntityParserCreate(context).Parse(data, True)
            return 1

        parser.ExternalEntityRefHandler = external
        parser.Parse(b"<x/>", True)

    def _parser(self) -> Any:
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._doctype
        parser.ElementDeclHandler = self._element
        parser.AttlistDeclHandler = self._attribute
        return parser

    def _doctype(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        self.doctype = name

    def _element(self, name: str, model: Any) -> None:
        self.models.setdefault(name, _model(model))

    def _attribute(self, element: str, name: str, kind: str, default: str | None, required: int) -> None:
        known = self.attributes.setdefault(element, {})
        known.setdefault(name, Attribute(name, kind, default, bool(required) and default is None))


def _model(model: Any) -> Model:
    kind, quantifier, name, parts = model
    least, many = int(quantifier not in _OPTIONAL), quantifier in _MANY
    return Model(_KINDS[kind], least, many, name or "", tuple(map(_model, parts)))


def _named(model: Model) -> list[str]:
    """Return the names of a model from left to right."""
    return [model.name] if model.kind == "name" else [name for part in model.parts for name in _named(part)]


RECURSIVE_TEXT = """
<!ENTITY % all "(a | b | c | d | e)*">
<!ELEMENT a %all;> <!ELEMENT b %all;> <!ELEMENT c %all;> <!ELEMENT d %all;> <!ELEMENT e %all;>
"""
RECURSIVE = read_dtd(RECURSIVE_TEXT)
"""Five names that all nest in each other."""

NEWS_TEXT = """
<!ENTITY % text "#PCDATA | person | place | company | link | strong">
<!ENTITY % blocks "para | quote | list | table | picture">
<!ELEMENT story (head, body, notes?)>
<!ATTLIST story id ID #REQUIRED  lang NMTOKEN "en">
<!ELEMENT head (title, byline*, date, section+, keyword*, rights?)>
<!ELEMENT title (#PCDATA | strong)*>
<!ELEMENT byline (person, role?)>
<!ELEMENT role (#PCDATA)>
<!ELEMENT date EMPTY>
<!ATTLIST date issued CDATA #REQUIRED  expires CDATA #IMPLIED>
<!ELEMENT section (#PCDATA)>
<!ATTLIST section level (top | sub) "top">
<!ELEMENT keyword EMPTY>
<!ATTLIST keyword key CDATA #REQUIRED>
<!ELEMENT rights (holder, year?)>
<!ELEMENT holder (#PCDATA)>
<!ELEMENT year (#PCDATA)>
<!ELEMENT body (lead?, (%blocks;)+)>
<!ELEMENT lead (%text;)*>
<!ELEMENT para (%text;)*>
<!ATTLIST para class CDATA #IMPLIED>
<!ELEMENT quote (para+, source?)>
<!ELEMENT source (person | company)>
<!ELEMENT list (item+)>
<!ELEMENT item (para | list)*>
<!ELEMENT table (caption?, row+)>
<!ELEMENT caption (%text;)*>
<!ELEMENT row (cell+)>
<!ELEMENT cell (%text;)*>
<!ELEMENT picture (caption?, file)>
<!ELEMENT file EMPTY>
<!ATTLIST file href CDATA #REQUIRED>
<!ELEMENT notes (para | list)+>
<!ELEMENT person (#PCDATA | title)*>
<!ELEMENT place (#PCDATA | region | country)*>
<!ELEMENT region (#PCDATA)>
<!ELEMENT country (#PCDATA)>
<!ELEMENT company (#PCDATA)>
<!ATTLIST company ticker NMTOKEN #IMPLIED>
<!ELEMENT link (%text;)*>
<!ATTLIST link href CDATA #REQUIRED>
<!ELEMENT strong (%text;)*>
"""
NEWS = read_dtd(NEWS_TEXT)
"""Stories with a head and a body, in the manner of news agencies' formats."""
