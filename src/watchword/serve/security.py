"""Who asks: bearer tokens, sessions of the console, and what each may do.

    @router.delete("/subscriptions/{id}")
    def unsubscribe(id: str, who: Annotated[Caller, Depends(caller("write"))]) -> Response: ...

`caller(scope)` is a dependency: it answers 401 without a valid token or session, 403 where the scope is missing, and
429 to whoever asks too often; the OpenAPI names the scope as ``x-scope``. `admin` may do everything.

A token is looked up in the store once a second at most, so a revoked one is refused within `REMEMBERED` seconds, and at
once in the process that revoked it (`Security.forget`). Tokens are kept as digests, here too: the time of a look-up
tells nothing about a token. A session, by a cookie, is looked up at every request; requests of it that change something
must come from a page of this server: `check_origin` looks at what the browser says about that, and a token of the form
must be there, as the field `form_token` or the header `X-Form-Token`.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request

from watchword.serve.limits import Buckets, address_key, too_many
from watchword.serve.problems import Problem

if TYPE_CHECKING:
    from watchword.serve.state import Service
    from watchword.store import Session, Token

Result = TypeVar("Result")
REMEMBERED = 1.0
"""Seconds for which a token that was looked up is not looked up again."""
MOST_REMEMBERED = 4096
"""Tokens that are remembered; all are forgotten when there are more."""
THREADS = 4
"""Threads that look tokens and sessions up."""
CALLER = "watchword.caller"
"""The member of a request's scope that has the key of its caller."""
COOKIE, SECURE_COOKIE = "watchword", "__Host-watchword"
"""The session's cookie; the second one where the browser came by TLS."""
FORM_FIELD, FORM_HEADER = "form_token", "x-form-token"
SESSION_SCOPES = frozenset({"read", "write", "match", "events", "feed"})
"""The scopes of a person who has signed in to the console: everything with the own things."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what they may; either `token_number` or `session` is set. `source` is their address."""

    subscriber: str
    scopes: frozenset[str]
    token_number: int | None
    session: Session | None
    source: str

    def may(self, scope: str) -> bool:
        """Return whether the caller may do what needs a scope."""
        return scope in self.scopes or "admin" in self.scopes

    def sees(self, subscriber: str) -> bool:
        """Return whether the caller may know of a subscriber's things."""
        return subscriber == self.subscriber or "admin" in self.scopes

    @property
    def key(self) -> tuple[str, str | int]:
        """The key by which limits are counted."""
        return ("session", self.subscriber) if self.token_number is None else ("token", self.token_number)


class caller:
    """The dependency that gives the `Caller`, who has a scope."""

    def __init__(self, scope: str) -> None:
        self.scope = scope

    async def __call__(self, request: Request) -> Caller:
        """Return who asks; a `Problem` if the caller is unknown, or lacks the scope."""
        service: Service = request.app.state.service
        return await service.security.admit(request, self.scope)


class Security:
    """Finds out who asks, and counts how often."""

    def __init__(self, service: Service) -> None:
        limits = service.settings.limits
        self._service = service
        self._pool = ThreadPoolExecutor(THREADS, "watchword-tokens")
        self._tokens: dict[bytes, tuple[Token | None, float]] = {}
        self._requests = Buckets(limits.token_rate, max(1.0, 2 * limits.token_rate))
        self._writes = Buckets(limits.write_rate, max(1.0, 2 * limits.write_rate))
        self._answered_now: dict[Hashable, int] = {}
        self._failures = Buckets(1.0, limits.failures)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def forget(self) -> None:
        """Look every token up again: call it when one was revoked."""
        self._tokens.clear()

    async def admit(self, request: Request, scope: str) -> Caller:
        """Return who asks, if they have a scope; otherwise raise a `Problem`."""
        found = await self.find(request)
        if found is None:
            raise _nobody(request, scope)
        if not found.may(scope):
            raise Problem(
                403,
                "not-allowed",
                f"this needs the scope {scope!r}, which the token does not have",
                remedy=f"watchword tokens add {found.subscriber} --scope {scope}",
            )
        self._count(found, request.method)
        self._begin(request, found)
        if found.session is not None and request.method not in _SAFE:
            check_origin(request)
            await _check_form_token(request, found.session)
        return found

    def end(self, key: Hashable) -> None:
        """Note that a request of a caller has been answered."""
        left = self._answered_now.get(key, 0) - 1
        if left > 0:
            self._answered_now[key] = left
        else:
            self._answered_now.pop(key, None)

    def _begin(self, request: Request, found: Caller) -> None:
        """Count a request that is being answered; the guard calls `end`."""
        if CALLER in request.scope:
            return  # a page may ask twice who it is for
        now = self._answered_now.get(found.key, 0)
        if now >= self._service.limits.at_once:
            self._service.metrics.refused.labels("at once").inc()
            raise too_many("too many requests of this token at once", 1.0)
        self._answered_now[found.key] = now + 1
        request.scope[CALLER] = found.key

    async def find(self, request: Request) -> Caller | None:
        """Return who asks; None if the request has neither a token nor a session, or none that is valid.

        A wrong token is counted for its address: a `Problem` 429 after too many.
        """
        source = client_of(request)
        header = request.headers.get("authorization")
        if header is not None:
            kind, _, secret = header.partition(" ")
            token = await self._token(secret.strip()) if kind.lower() == "bearer" else None
            if token is None:
                self.note_failure(source)
                return None
            return Caller(token.subscriber, token.scopes, token.number, None, source)
        cookie = session_secret(request)
        session = None if cookie is None else await self.run(self._find_session, cookie)
        return None if session is None else Caller(session.subscriber, SESSION_SCOPES, None, session, source)

    def note_failure(self, source: str) -> None:
        """Count a wrong token or login link; a `Problem` 429 where an address has had too many."""
        wait = self._failures.take(address_key(source))
        if wait:
            self._service.metrics.refused.labels("failures").inc()
            raise too_many("too many wrong tokens from this address", wait)

    async def run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Do a short piece of work that waits for the store, in a thread of its own pool."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    async def _token(self, secret: str) -> Token | None:
        digest = hashlib.sha256(secret.encode("utf-8", "replace")).digest()
        known = self._tokens.get(digest)
        now = time.monotonic()
        if known is not None and now - known[1] < REMEMBERED:
            return known[0]
        token = await self.run(self._find_token, secret)
        if len(self._tokens) >= MOST_REMEMBERED:
            self._tokens.clear()
        if token is not None:  # wrong ones would push right ones out
            self._tokens[digest] = (token, now)
        else:
            self._tokens.pop(digest, None)
        return token

    def _find_token(self, secret: str) -> Token | None:
        return self._service.store().find_token(secret)

    def _find_session(self, secret: str) -> Session | None:
        return self._service.store().find_session(secret)

    def _count(self, found: Caller, method: str) -> None:
        wait = self._requests.take(found.key)
        if not wait and method not in _SAFE and method != "POST":
            wait = self._writes.take(found.key)
        if wait:
            self._service.metrics.refused.labels("rate").inc()
            raise too_many("too many requests with this token", wait)

    def count_write(self, found: Caller, count: int = 1) -> None:
        """Count changes that a POST makes."""
        wait = self._writes.take(found.key, min(count, self._service.limits.write_rate))
        if wait:
            self._service.metrics.refused.labels("rate").inc()
            raise too_many("too many changes with this token", wait)


def client_of(request: Request) -> str:
    """Return the address of whoever asks, which a listed proxy may have named."""
    return request.client.host if request.client is not None else "unknown"


def session_secret(request: Request) -> str | None:
    """Return the secret in the session's cookie; None without one."""
    return request.cookies.get(cookie_name(request))


def cookie_name(request: Request) -> str:
    """Return the name of the session's cookie: one that only this host can set, where the browser came by TLS."""
    return SECURE_COOKIE if request.url.scheme == "https" else COOKIE


def check_origin(request: Request) -> None:
    """Raise a `Problem` 403 unless the browser says that a page of this server sends the request.

    `Sec-Fetch-Site` is what browsers say; an older one says `Origin`. A request with neither is refused.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    if origin is not None and not _same_origin(origin, own):
        raise _foreign()
    if site is None and origin is None:
        raise _foreign()
    if site is not None and site not in ("same-origin", "none"):
        raise _foreign()


def _same_origin(origin: str, own: str) -> bool:
    try:
        one, other = urlsplit(origin), urlsplit(own)
        return (one.scheme, one.hostname, one.port) == (other.scheme, other.hostname, other.port)
    except ValueError:
        return False


def _foreign() -> Problem:
    return Problem(
        403,
        "not-allowed",
        "this change was asked for by a page of another site",
        remedy="open the page of this server, and do it there",
    )


async def _check_form_token(request: Request, session: Session) -> None:
    given = request.headers.get(FORM_HEADER)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given is None and kind == "application/x-www-form-urlencoded":
        with suppress(ValueError):
            given = next(iter(parse_qs((await request.body()).decode("ascii")).get(FORM_FIELD, ())), None)
    if given is None or not hmac.compare_digest(given.encode("utf-8", "replace"), session.form_token.encode()):
        raise Problem(
            403,
            "not-allowed",
            "the form was made for another session, or lies open since before it",
            remedy="load the page again, and send the form again",
        )


def _nobody(request: Request, scope: str) -> Problem:
    given = "authorization" in request.headers or session_secret(request) is not None
    detail = "the token or session is unknown, revoked or expired" if given else "this needs a token"
    challenge = 'Bearer realm="watchword"' + (', error="invalid_token"' if given else "")
    return Problem(
        401,
        "not-signed-in",
        detail,
        headers={"WWW-Authenticate": challenge},
        remedy=f"send Authorization: Bearer TOKEN; watchword tokens add NAME --scope {scope} makes one",
    )
