"""Every error as `application/problem+json` (RFC 9457), made in one place.

    HTTP/1.1 422 Unprocessable Content
    content-type: application/problem+json

    {"type": "urn:watchword:problem:subscription-refused", "title": "The subscription was refused", "status": 422,
     "detail": "this parenthesis is never closed; add the closing )", "instance": "/subscriptions/storms",
     "position": 7, "length": 1, "caret": "  ferry (storm\\n        ^", "remedy": "add the closing )"}

`_ERRORS` maps each `WatchwordError` to a status and a type, the nearest class first. Handlers raise `Problem`. An error
of no known kind is a 500 that tells its number in the log, and nothing else.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from watchword import errors
from watchword.visible import brief, visible

if TYPE_CHECKING:
    from watchword.errors import WatchwordError

MEDIA_TYPE = "application/problem+json"
TYPES = "urn:watchword:problem:"
"""The beginning of each problem's type."""
TITLES = {
    "bad-request": "The request is not as it should be",
    "not-signed-in": "Say who asks",
    "not-allowed": "The token does not allow this",
    "not-found": "There is no such thing",
    "method-not-allowed": "The address does not take this method",
    "not-acceptable": "The answer is not to be had in this form",
    "changed-meanwhile": "It was changed meanwhile",
    "body-too-large": "The body is too large",
    "wrong-media-type": "The body is of a type that is not read here",
    "wrong-host": "This server does not answer for that host",
    "subscription-refused": "The subscription was refused",
    "event-unreadable": "The event cannot be read",
    "wrong-value": "A value is not as it should be",
    "feed-refused": "The feed cannot be had or read",
    "too-many-requests": "Too many requests",
    "too-slow": "The request took too long",
    "limit-reached": "A limit is reached",
    "failed": "The server failed",
    "not-ready": "The server is not ready",
}
"""The title of each type."""
_STATUS_TYPES = {
    400: "bad-request",
    401: "not-signed-in",
    403: "not-allowed",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    408: "too-slow",
    412: "changed-meanwhile",
    413: "body-too-large",
    415: "wrong-media-type",
    421: "wrong-host",
    422: "wrong-value",
    429: "too-many-requests",
    503: "not-ready",
}
_ERRORS: list[tuple[str, int, str]] = [
    ("SubscriptionError", 422, "subscription-refused"),
    ("EventError", 422, "event-unreadable"),
    ("OptionError", 422, "wrong-value"),
    ("ConflictError", 412, "changed-meanwhile"),
    ("UnknownNameError", 404, "not-found"),
    ("StoreError", 503, "not-ready"),
    ("ArchiveError", 503, "not-ready"),
    ("FeedError", 422, "feed-refused"),
    ("SnapshotError", 503, "not-ready"),
    ("WatchwordError", 500, "failed"),
]
"""Classes of errors by name, with status and type; the first that an error is an instance of counts."""
ErrorPage = Callable[[Request, "Problem"], Awaitable[Response]]
_log = logging.getLogger("watchword.serve")


class Problem(HTTPException):
    """An error that is answered as a problem: `kind` is the end of its type, `extra` are further members.

    >>> Problem(404, "not-found", "there is nothing at /storm").content("/storm")["type"]
    'urn:watchword:problem:not-found'
    """

    def __init__(
        self, status: int, kind: str, detail: str, *, headers: Mapping[str, str] | None = None, **extra: Any
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.status, self.kind, self.extra = status, kind, extra

    def content(self, instance: str) -> dict[str, Any]:
        """Return the problem as a JSON object, for the address `instance`."""
        title = TITLES.get(self.kind, self.kind)
        known = {"type": TYPES + self.kind, "title": title, "status": self.status, "detail": self.detail}
        extra = {name: value for name, value in self.extra.items() if value is not None}
        return known | {"instance": instance} | extra

    def response(self, instance: str) -> Response:
        """Return the answer."""
        body = orjson.dumps(self.content(_visible_path(instance)), default=str)
        return Response(body, self.status, self.headers, MEDIA_TYPE)


def problem_of(error: WatchwordError) -> Problem:
    """Return the problem that an error of the library is answered with."""
    names = [kind.__name__ for kind in type(error).__mro__]
    status, kind = next((status, kind) for name, status, kind in _ERRORS if name in names)
    reason = str(getattr(error, "reason", None) or error)
    headers = {"Retry-After": "1"} if status == 503 else {}
    if status == 500:
        return _unknown(error)
    if status == 503:
        _log.warning("%s", visible(str(error)))
    return Problem(status, kind, reason, headers=headers, **_places(error), remedy=_remedy(reason))


def install(app: FastAPI) -> None:
    """Let an application answer every error as a problem.

    People see a page instead if ``app.state.error_page`` is set, and their browser asks for HTML.
    """
    for kind, handle in _HANDLERS.items():
        app.add_exception_handler(kind, handle)
    app.add_exception_handler(Exception, _on_any)


async def answer(request: Request, error: Exception) -> Response:
    """Return the answer to an error of any kind."""
    for kind, handle in _HANDLERS.items():
        if isinstance(error, kind):
            return await handle(request, error)
    return await _on_any(request, error)


async def _answer(request: Request, problem: Problem) -> Response:
    page: ErrorPage | None = getattr(request.app.state, "error_page", None)
    if page is not None and "text/html" in request.headers.get("accept", ""):
        return await page(request, problem)
    return problem.response(request.url.path)


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return await _answer(request, error)


async def _on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.WatchwordError)
    return await _answer(request, problem_of(error))


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kind = _STATUS_TYPES.get(error.status_code, "failed" if error.status_code >= 500 else "bad-request")
    detail = str(error.detail)
    if error.status_code == 404:
        detail = f"there is nothing at {_visible_path(request.url.path)}"
    elif error.status_code == 405:
        detail = f"{_visible_path(request.url.path)} does not take {visible(brief(request.method, 20))}"
    return await _answer(request, Problem(error.status_code, kind, detail, headers=error.headers))


async def _on_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = [{"place": ".".join(map(str, one["loc"])), "reason": str(one["msg"])} for one in error.errors()[:20]]
    first = found[0] if found else {"place": "body", "reason": "it cannot be read"}
    detail = visible(brief(f"{first['place']}: {first['reason']}", 500))
    problem = Problem(422, "wrong-value", detail, errors=found, remedy="see /docs for what this address takes")
    return await _answer(request, problem)


async def _on_gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # the client has left: it gets nothing


async def _on_any(request: Request, error: Exception) -> Response:
    return await _answer(request, _unknown(error))


_HANDLERS: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    Problem: _on_problem,
    errors.WatchwordError: _on_error,
    HTTPException: _on_http,
    RequestValidationError: _on_validation,
    ClientDisconnect: _on_gone,
}


def _unknown(error: Exception) -> Problem:
    number = secrets.token_hex(4)
    _log.error("failure %s", number, exc_info=error)
    return Problem(
        500, "failed", f"the server failed; its log says more under {number}", remedy="try again, or tell the operator"
    )


def _places(error: WatchwordError) -> dict[str, Any]:
    """Return where an error is: position, length and caret of a refused text, the position of an event."""
    if isinstance(error, errors.SubscriptionSyntaxError):
        caret = str(error).partition("\n")[2]
        return {"position": error.position, "length": _token_length(error.text, error.position), "caret": caret}
    if isinstance(error, errors.EventError):
        return {"position": error.position}
    return {}


_TOKEN = re.compile(r"[\w'-]+|.", re.DOTALL)


def _token_length(text: str, position: int) -> int:
    """Return the characters of the word or sign at a position of a text; 0 at its end.

    >>> _token_length("ferry ANDD storm", 6), _token_length("ferry (", 6), _token_length("ferry", 5)
    (4, 1, 0)
    """
    found = _TOKEN.match(text, position)
    return len(found[0]) if found else 0


def _remedy(reason: str) -> str | None:
    """Return what a message advises: its part behind the last semicolon or colon; None if it has none.

    >>> _remedy("this parenthesis is never closed; add the closing )")
    'add the closing )'
    """
    for sign in ("; ", ": "):
        before, found, after = reason.rpartition(sign)
        if found and before and after:
            return after
    return None


def _visible_path(path: str) -> str:
    """Return a path for people; the secret of a personal feed, a login or a link in mail is left out."""
    for secret in ("/f/", "/login/", "/notify/verify/", "/notify/unsubscribe/", "/websub/"):
        if secret in path:
            return path[: path.index(secret) + len(secret)] + "…"
    return visible(brief(path, 300))


def status_phrase(status: int) -> str:
    """Return the phrase of a status, such as ``Not Found``."""
    return HTTPStatus(status).phrase
