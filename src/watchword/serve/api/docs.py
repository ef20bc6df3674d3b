"""What the server offers: `/openapi.json`, and a page of it for people at `/docs`, made here: it loads nothing."""

from __future__ import annotations

from html import escape
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response

router = APIRouter(tags=["documentation"])


@router.get("/openapi.json", responses={200: {"content": {"application/json": {}}}}, response_class=Response)
async def openapi(request: Request) -> Response:
    """Return the OpenAPI 3.1 document."""
    return Response(orjson.dumps(request.app.openapi()), media_type="application/json")


@router.get("/docs", response_class=Response, responses={200: {"content": {"text/html": {}}}})
async def docs(request: Request) -> Response:
    """Show every operation on one page."""
    return Response(render(request.app.openapi()), media_type="text/html; charset=utf-8")


def render(schema: dict[str, Any]) -> str:
    """Return an OpenAPI document as a page without scripts and styles."""
    rows = [
        _operation(path, method, operation)
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]
    title, about = escape(schema["info"]["title"]), escape(schema["info"].get("description", ""))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: operations</title></head>'
        f'<body><h1>{title}</h1><p>{about}</p><p><a href="openapi.json">openapi.json</a></p>{"".join(rows)}'
        "</body></html>"
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    name = f"{method.upper()} {path}"
    scope = operation.get("x-scope", "public")
    need = "needs no token" if scope == "public" else f"needs the scope <code>{escape(scope)}</code>"
    parameters = "".join(_parameter(one) for one in operation.get("parameters", []))
    bodies = ", ".join(escape(kind) for kind in operation.get("requestBody", {}).get("content", {}))
    return (
        f"<section><h2><code>{escape(name)}</code></h2><p>{escape(operation.get('description', ''))} ({need})</p>"
        + (f"<p>Body: {bodies}</p>" if bodies else "")
        + (f"<dl>{parameters}</dl>" if parameters else "")
        + "</section>"
    )


def _parameter(parameter: dict[str, Any]) -> str:
    about = escape(parameter.get("description") or parameter.get("schema", {}).get("title", ""))
    return f"<dt><code>{escape(parameter['name'])}</code> ({escape(parameter['in'])})</dt><dd>{about}</dd>"
