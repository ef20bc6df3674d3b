"""Which elements of a document a path selects, by two judges that share no code with the package, nor with each other.

    occurrences("//b/*", b"<a><b><c/></b></a>")           [3], by lxml's XPath
    plain_occurrences("//b/*", b"<a><b><c/></b></a>")     [3], by a walk over the tree of `xml.dom.minidom`

Elements are numbered from 1 in document order. A path that does not begin with a slash means `//`. Names are compared
as they are written, prefix and all; with `namespaces`, a dict of prefix to URI, by URI and local name, and
``{uri}name`` may be written instead of ``prefix:name``. A text node, as XPath has it, ends at a tag, a comment or a
processing instruction; a CDATA section does not end it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from xml.dom import Node, minidom

from lxml import etree

URI_NAME = re.compile(r"\{([^{}]*)\}")


def occurrences(path: str, document: bytes, namespaces: Mapping[str, str] | None = None) -> list[int]:
    """Return the elements that a path selects, by lxml. Prefixes of a document mean one URI each, all over it."""
    parser = etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True)
    # libxml2 makes an empty text node of an empty section; in XPath a text node has a character at least (section 5.7).
    tree = etree.fromstring(document.replace(b"<![CDATA[]]>", b""), parser).getroottree()
    numbers = {element: number for number, element in enumerate(tree.iter("*"), 1)}
    if namespaces is None:
        known = {prefix: uri for element in numbers for prefix, uri in element.nsmap.items() if prefix}
    else:
        path, known = _with_prefixes(path, namespaces)
    found = tree.xpath(path if path.startswith("/") else f"//{path}", namespaces=known)
    # An attribute is found as a text that knows its element.
    elements = (each if etree.iselement(each) else each.getparent() for each in found)
    return sorted({numbers[element] for element in elements})


def _with_prefixes(path: str, namespaces: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Write URIs in braces as prefixes that are not in use; no namespace at all needs none."""
    known = dict(namespaces)

    def prefix(match: re.Match[str]) -> str:
        if not match[1]:
            return ""
        name = f"given{len(known)}"
        known[name] = match[1]
        return f"{name}:"

    return URI_NAME.sub(prefix, path), known


class Step(NamedTuple):
    """One step of a path: below the last element or anywhere in it, a name or `*`, and what is asked of it: pairs of an
    attribute, or None for a text, and a value, or None for any value of an attribute."""

    anywhere: bool
    name: str
    asked: list[tuple[str | None, str | None]]


NAME = r"(?:\{[^{}]*\})?[^\s/\[\]@={}'\"]+"
STEP = re.compile(
    rf"(?P<axis>//?|^)(?:(?P<name>{NAME})(?P<asked>(?:\[[^\]'\"]*(?:'[^']*'|\"[^\"]*\")?\])*)|@(?P<last>{NAME})$)"
)
ASKED = re.compile(rf"\[(?:@({NAME})|text\(\))(?:=(?:'([^']*)'|\"([^\"]*)\"))?\]")


def steps_of(path: str) -> list[Step]:
    """Take a path that is valid apart."""
    steps: list[Step] = []
    at = 0
    while at < len(path):
        found = STEP.match(path, at)
        assert found, f"not a path from {at} on: {path}"
        at = found.end()
        if found["last"]:
            steps[-1].asked.append((found["last"], None))
            continue
        asked = [(m[1], m[3] if m[2] is None else m[2]) for m in ASKED.finditer(found["asked"])]
        steps.append(Step(found["axis"] != "/", found["name"], asked))
    return steps


def plain_occurrences(path: str, document: bytes, namespaces: Mapping[str, str] | None = None) -> list[int]:
    """Return the elements that a path selects, by trying every element for every step."""
    elements = minidom.parseString(document).getElementsByTagName("*")
    found = _selected(steps_of(path), elements, namespaces)
    return [number for number, element in enumerate(elements, 1) if element in found]


def _selected(
    steps: list[Step], elements: list[minidom.Element], namespaces: Mapping[str, str] | None
) -> set[minidom.Element]:
    """Return the elements to which the steps lead from the document."""
    *before, last = steps
    fitting = {element for element in elements if _satisfies(element, last, namespaces)}
    if not before:
        return {element for element in fitting if last.anywhere or not _ancestors(element)}
    above = _selected(before, elements, namespaces)
    near = None if last.anywhere else 1
    return {element for element in fitting if above.intersection(_ancestors(element)[:near])}


def _ancestors(element: minidom.Element) -> list[minidom.Element]:
    """Return the elements that contain this one, the nearest first."""
    found = []
    while element.parentNode.nodeType == Node.ELEMENT_NODE:
        element = element.parentNode
        found.append(element)
    return found


def _satisfies(element: minidom.Element, step: Step, namespaces: Mapping[str, str] | None) -> bool:
    if step.name != "*" and not _is_called(element, step.name, namespaces):
        return False
    return all(_has(element, attribute, value, namespaces) for attribute, value in step.asked)


def _has(
    element: minidom.Element, attribute: str | None, value: str | None, namespaces: Mapping[str, str] | None
) -> bool:
    if attribute is None:
        return value in _texts(element)
    found = [each.value for each in element.attributes.values() if _is_called(each, attribute, namespaces)]
    return value in found or (value is None and bool(found))


def _is_called(node: minidom.Node, name: str, namespaces: Mapping[str, str] | None) -> bool:
    if namespaces is None:
        return bool(node.nodeName == name)
    uri, local = "", name
    if name.startswith("{"):
        uri, _, local = name[1:].partition("}")
    elif ":" in name:
        prefix, _, local = name.partition(":")
        uri = namespaces[prefix]
    return (node.namespaceURI or "", node.localName or node.nodeName) == (uri, local)


def _texts(element: minidom.Element) -> list[str]:
    """Return the text nodes of an element, sections of CDATA joined with what stands beside them."""
    runs: list[str] = []
    open_run = False
    for child in element.childNodes:
        is_text = child.nodeType in (Node.TEXT_NODE, Node.CDATA_SECTION_NODE)
        if is_text and open_run:
            runs[-1] += child.data
        elif is_text:
            runs.append(child.data)
        open_run = is_text
    return [run for run in runs if run]
