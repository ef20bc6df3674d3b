"""Signing in and out: `/login?once=SECRET`, as `watchword login NAME` prints it, and `/logout`.

Opening the link changes nothing, because mail programs and chats open links to look at them; the button of the page
redeems it, once, and sets the session's cookie: HttpOnly, SameSite=Lax, and `__Host-` where the browser came by TLS.
"""

from __future__ import annotations

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.serve.console.pages import Viewer, change, first, go, read_form, render
from watchword.serve.problems import Problem
from watchword.serve.security import check_origin, client_of, cookie_name, session_secret
from watchword.serve.state import Service
from watchword.store.access import SESSION_DAYS

router = APIRouter()


@router.get("/login")
async def ask(request: Request, once: str = Query("", max_length=200)) -> Response:
    """Show the button that signs in."""
    if not once:
        raise Problem(401, "not-signed-in", "signing in takes a link, which is good once")
    return render(Viewer(request, None), "login.html", once=once)


@router.post("/login")
async def login(request: Request) -> Response:
    """Redeem a link, and set the cookie of a new session."""
    check_origin(request)
    service: Service = request.app.state.service
    once, old = first(await read_form(request), "once"), session_secret(request)
    secret = await run_in_threadpool(_redeem, service, once, old)
    if secret is None:
        service.security.note_failure(client_of(request))
        raise Problem(401, "not-signed-in", "the link is unknown, was used already, or is too old")
    answer = go(Viewer(request, None), "/")
    _set_cookie(request, answer, secret, SESSION_DAYS * 86_400)
    return answer


@router.post("/logout")
async def logout(request: Request) -> Response:
    """End the session, and take the cookie back."""
    viewer = await change(request)
    secret = session_secret(request)
    if secret is not None:
        await run_in_threadpool(lambda: viewer.store.end_session(secret))
    answer = render(Viewer(request, None), "sign-in.html", problem=None, phrase="Signed out")
    _set_cookie(request, answer, "", 0)
    return answer


def _redeem(service: Service, once: str, old: str | None) -> str | None:
    store = service.store()
    secret = store.redeem_login(once)
    if secret is not None and old is not None:
        store.end_session(old)
    return secret


def _set_cookie(request: Request, answer: Response, value: str, seconds: float) -> None:
    secure = request.url.scheme == "https"
    answer.set_cookie(
        cookie_name(request), value, max_age=int(seconds), path="/", httponly=True, samesite="lax", secure=secure
    )
