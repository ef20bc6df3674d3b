"""Bytes into text, as leniently as feeds need it.

In order of trust: a byte order mark; UTF-8 if bytes past ASCII are valid UTF-8, which hardly happens by accident, while
declarations often lie; the server's header; the document's declaration; Windows-1252, which reads everything. Only
codecs for text in linear time are used: a document cannot ask for ``punycode``.
"""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = ((b"<\0\0\0", "utf-32-le"), (b"\0\0\0<", "utf-32-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_REFUSED = frozenset(["idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7", "mbcs", "oem"])
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,512}\?>")
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,256}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")


def decode(document: bytes, charset: str | None = None) -> str:
    """Return the document's text, without byte order mark and XML declaration."""
    return _XML_DECLARATION.sub("", _decode(document, charset), count=1)


def _decode(document: bytes, charset: str | None) -> str:
    for mark, name in _MARKS:
        if document.startswith(mark):
            return document[len(mark) :].decode(name, "replace")
    for start, name in _UNMARKED:
        if document.startswith(start):
            return document.decode(name, "replace")
    declared = _DECLARED.match(document[:512])
    said = declared[1].decode() if declared else ""
    for name in ("" if document.isascii() else "utf-8", charset or "", said):
        if name and _is_linear_codec(name):
            try:
                return document.decode(name)
            except UnicodeDecodeError:
                continue
    # A declared UTF-8 with a few bad bytes is still UTF-8.
    if said.lower() in ("utf-8", "utf8"):
        return document.decode("utf-8", "replace")
    return document.decode("windows-1252", "replace")


def _is_linear_codec(name: str) -> bool:
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return codec._is_text_encoding and codec.name.replace("_", "-") not in _REFUSED
