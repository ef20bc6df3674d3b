"""What the server offers: `/openapi.json`, and a page of it for people at `/docs`, made here in the console's style.

PUT /subscriptions/{id}          needs the scope write
Subscribe, or replace a subscription.
id        path                   …
text      body, needed           …
Answers 200, 201.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response

router = APIRouter(tags=["documentation"])

_CODE = re.compile(r"`([^`]+)`")
_FIRST = ("subscriptions", "matching", "previews", "events", "inbox", "personal feeds", "feeds")
"""The groups with which the page begins."""
_KINDS = {
    "string": "a text",
    "integer": "a number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}
_TOP = (
    '<a class="skip" href="#main">Skip to content</a>'
    '<header class="top"><a class="brand" href="./">Watchword</a></header>'
)


@router.get("/openapi.json", responses={200: {"content": {"application/json": {}}}}, response_class=Response)
async def openapi(request: Request) -> Response:
    """Return the OpenAPI 3.1 document."""
    return Response(orjson.dumps(request.app.openapi()), media_type="application/json")


@router.get("/docs", response_class=Response, responses={200: {"content": {"text/html": {}}}})
async def docs(request: Request) -> Response:
    """Show every operation on one page."""
    from watchword.serve.console.static import digest

    return Response(render(request.app.openapi(), digest()), media_type="text/html; charset=utf-8")


def render(schema: dict[str, Any], version: str) -> str:
    """Return an OpenAPI document as a page; `version` is that of the style sheet."""
    groups: dict[str, list[str]] = {tag: [] for tag in _FIRST}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            made = _operation(schema, path, method, operation)
            groups.setdefault(operation.get("tags", ["others"])[0], []).append(made)
    title, about = escape(schema["info"]["title"]), _prose(schema["info"].get("description", ""))
    links = " ".join(f'<a class="tag" href="#{_anchor(tag)}">{escape(tag)}</a>' for tag in groups)
    sections = "".join(
        f'<section><h2 id="{_anchor(tag)}">{escape(tag[:1].upper() + tag[1:])}</h2>{"".join(some)}</section>'
        for tag, some in groups.items()
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Operations · {title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="console/static/icon.svg?v={version}" type="image/svg+xml">'
        f'<link rel="stylesheet" href="console/static/console.css?v={version}"></head><body>{_TOP}'
        f'<main id="main" tabindex="-1"><div class="narrow operations"><h1>{title}: operations</h1><p>{about}</p>'
        '<p>For programs: <a href="openapi.json">openapi.json</a></p>'
        f'<nav class="tags" aria-label="Groups">{links}</nav>{sections}</div></main></body></html>'
    )


def _operation(schema: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> str:
    scope = operation.get("x-scope", "public")
    need = "needs no token" if scope == "public" else f"needs the scope <code>{escape(scope)}</code>"
    content = operation.get("requestBody", {}).get("content", {})
    bodies = ", ".join(f"<code>{escape(kind)}</code>" for kind in content)
    rows = "".join([*map(_parameter, operation.get("parameters", [])), *_members(schema, content)])
    head = '<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">What</th></tr></thead>'
    answers = ", ".join(status for status in operation["responses"] if status != "default")
    return (
        f"<h3><code>{escape(f'{method.upper()} {path}')}</code></h3>"
        f'<p>{_prose(operation.get("description", ""))} <span class="muted">({need})</span></p>'
        + (f"<p>Body: {bodies}</p>" if bodies else "")
        + (f'<div class="scroll"><table>{head}<tbody>{rows}</tbody></table></div>' if rows else "")
        + f'<p class="meta">Answers {answers}, or a problem.</p>'
    )


def _parameter(parameter: dict[str, Any]) -> str:
    inner = parameter.get("schema", {})
    about = parameter.get("description") or _kind(inner)
    return _row(parameter["name"], parameter["in"], about, parameter.get("required", False), inner.get("default"))


def _members(schema: dict[str, Any], content: dict[str, Any]) -> Iterator[str]:
    """Yield a row for each member of a body in JSON."""
    body = content.get("application/json", {}).get("schema", {})
    name = body.get("$ref", "").rpartition("/")[2]
    found = schema["components"]["schemas"].get(name, body)
    for member, inner in found.get("properties", {}).items():
        about = inner.get("description") or _kind(inner)
        yield _row(member, "body", about, member in found.get("required", ()), inner.get("default"))


def _kind(inner: dict[str, Any]) -> str:
    """Return what kind of value a schema describes.

    >>> _kind({"anyOf": [{"type": "array"}, {"type": "null"}]}), _kind({"type": ["boolean"]})
    ('a list', 'true or false')
    """
    first: dict[str, Any] = next((one for one in inner.get("anyOf", [inner]) if one.get("type") != "null"), {})
    if "enum" in first:
        return ", ".join(map(str, first["enum"]))
    kind = first.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    return "a time" if first.get("format") == "date-time" else _KINDS.get(kind, "an object")


def _row(name: str, place: str, about: str, is_needed: bool, default: Any) -> str:
    where = f"{place}, needed" if is_needed and place != "path" else place
    more = f' <span class="muted">({escape(str(orjson.dumps(default), "utf-8"))} if left out)</span>' if default else ""
    return f"<tr><td><code>{escape(name)}</code></td><td>{escape(where)}</td><td>{_prose(about)}{more}</td></tr>"


def _prose(text: str) -> str:
    """Return a description as HTML.

    >>> _prose("Send `{}` & wait")
    'Send <code>{}</code> &amp; wait'
    """
    return _CODE.sub(r"<code>\1</code>", escape(text.strip()).replace("\n\n", "</p><p>"))


def _anchor(tag: str) -> str:
    return escape(tag.replace(" ", "-"))
