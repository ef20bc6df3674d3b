"""The application: the routes of `api/`, every error as a problem, the OpenAPI of both.

    app = make_app(Service(Home("desk")))

A route without a scope of its own is public; the OpenAPI says so by ``"x-scope": "public"``, so that a list of all
routes and of who may ask them can be made from it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from watchword import __version__
from watchword.serve import console, problems
from watchword.serve.api import ROUTERS, matching
from watchword.serve.guard import Guard, own_path
from watchword.serve.security import caller
from watchword.serve.state import Service

DESCRIPTION = """\
Standing subscriptions, matched against streams of events: over HTTP.

Send `Authorization: Bearer TOKEN`; `watchword tokens add NAME --scope read,write,match` makes a token. Each operation
names the scope that it needs. Every error is `application/problem+json`.
"""


class Application(FastAPI):
    """The application inside its guard; `service` is in ``app.state``."""

    def __init__(self, service: Service, **named: Any) -> None:
        super().__init__(**named)
        self.state.service = service

    def build_middleware_stack(self) -> ASGIApp:
        return Guard(self._past_the_router(super().build_middleware_stack()), self.state.service)

    def _past_the_router(self, app: ASGIApp) -> ASGIApp:
        """Return the application with a way for `POST /match` that leaves router and middleware out.

        They take a third of the time of a match. The endpoint, its errors and its answers are the same.
        """
        route = next(route for route in matching.router.routes if isinstance(route, APIRoute))

        async def choose(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or scope["method"] != "POST" or own_path(scope) != route.path:
                await app(scope, receive, send)
                return
            scope["app"], scope["route"] = self, route
            request = Request(scope, receive, send)
            try:
                response = await matching.match(request)
            except Exception as error:
                response = await problems.answer(request, error)
            await response(scope, receive, send)

        return choose

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI 3.1 document: made once."""
        if self.openapi_schema is None:
            schema = get_openapi(
                title=self.title, version=self.version, description=self.description, routes=self.routes
            )
            self.openapi_schema = _with_scopes(schema)
        return self.openapi_schema


def make_app(service: Service) -> Application:
    """Return the application over a service, which it opens and closes unless it is open."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with nullcontext() if service.is_open else service:
            yield

    app = Application(
        service,
        title="Watchword",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
        telemetry={"tracing": False},
        redirect_slashes=False,
    )
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router)
    console.install(app)
    return app


def _with_scopes(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an OpenAPI document in which each operation names its scope, its security and the problems."""
    scopes = {
        (route.path_format, method.lower()): _scope_of(route)
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    schema.setdefault("components", {})["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    schema["components"].setdefault("schemas", {})["Problem"] = PROBLEM
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            scope = operation.setdefault("x-scope", scopes.get((path, method), "public"))
            if scope != "public":
                operation["security"] = [{"token": []}]
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = _PROBLEM_ANSWER
    for unused in ("HTTPValidationError", "ValidationError"):
        schema["components"]["schemas"].pop(unused, None)
    return schema


def _scope_of(route: APIRoute) -> str:
    for dependant in _dependants(route.dependant):
        if isinstance(dependant.call, caller):
            return dependant.call.scope
    return "public"


def _dependants(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for inner in dependant.dependencies:
        yield from _dependants(inner)


PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "instance"],
    "properties": {
        "type": {"type": "string", "description": "What kind of problem: urn:watchword:problem:…"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong, and where."},
        "instance": {"type": "string", "description": "The path that was asked."},
        "position": {"type": "integer", "description": "Where reading stopped, in characters of the text."},
        "length": {"type": "integer", "description": "The characters at fault there."},
        "caret": {"type": "string", "description": "The line of the text, and a caret under the place."},
        "remedy": {"type": "string", "description": "What to do about it."},
    },
}
_PROBLEM_ANSWER = {
    "description": "A problem (RFC 9457).",
    "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
