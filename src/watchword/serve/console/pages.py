"""What all pages share: templates, forms, who looks at a page, errors as pages.

    viewer = await view(request)                  a `Viewer`, or the page that says how to sign in
    fields = await read_form(request)             {"text": ["ferry"], "do": ["save"]}
    return render(viewer, "inbox.html", rows=rows)

Templates escape everything that they are given, and a name that a template misses is an error. A request with the
header ``X-Part`` comes from the script, and gets the template of that part alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from watchword.languages import LANGUAGES
from watchword.serve.console.static import digest
from watchword.serve.problems import Problem, status_phrase
from watchword.serve.security import FORM_FIELD, Caller
from watchword.serve.state import Service
from watchword.store import Store
from watchword.visible import brief, counted

PART = "x-part"
"""The header by which the script asks for a part of a page."""
MOST_FIELDS = 20_000
"""The most fields of a form."""
HEADERS = {"Referrer-Policy": "same-origin", "Vary": "X-Part, Cookie"}
"""Headers of pages. With no-referrer, browsers would not say from where a form comes."""
NAMES = {
    "keywords": "Keywords",
    "predicates": "Fields and text",
    "patterns": "Patterns",
    "paths": "XML paths",
    "properties": "Properties",
}
"""The languages as people are shown them."""
EXAMPLES = {
    "keywords": 'ferry AND (storm OR "rough sea") NOT delayed',
    "predicates": "feed = 'Harbour news' AND MATCHES 'ferry AND storm'",
    "patterns": "ferry to*cancelled",
    "paths": "//title",
    "properties": "urgent=1 sports=0",
}
"""A subscription in each language."""


@dataclass(frozen=True)
class Viewer:
    """Who looks at a page: the request, and the caller that it comes from, None on the page for signing in."""

    request: Request
    caller: Caller | None

    @property
    def service(self) -> Service:
        """The server's service."""
        service: Service = self.request.app.state.service
        return service

    @property
    def who(self) -> Caller:
        """The caller."""
        assert self.caller is not None
        return self.caller

    @property
    def name(self) -> str:
        """The subscriber whose things are shown."""
        return self.who.subscriber

    @property
    def store(self) -> Store:
        """The open store."""
        return self.service.store()

    @property
    def part(self) -> str:
        """The part of the page that the script asks for; empty for the whole page."""
        return self.request.headers.get(PART, "")

    @property
    def base(self) -> str:
        """The path below which the server lies."""
        return str(self.request.scope.get("root_path", "")).rstrip("/")

    @property
    def form_token(self) -> str:
        """The token that forms carry."""
        session = None if self.caller is None else self.caller.session
        return "" if session is None else session.form_token


async def view(request: Request) -> Viewer:
    """Return who looks at a page; a `Problem` 401 without a session or token."""
    return Viewer(request, await request.app.state.service.security.admit(request, "read"))


async def change(request: Request) -> Viewer:
    """Return who sends a form, if it was made for them; a `Problem` otherwise."""
    return Viewer(request, await request.app.state.service.security.admit(request, "write"))


async def read_form(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form; a `Problem` 422 if there are too many, or if it is no UTF-8."""
    try:
        return parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise Problem(422, "bad-request", f"a form has at most {MOST_FIELDS:,} fields, in UTF-8") from None


def first(fields: Mapping[str, list[str]], name: str) -> str:
    """Return a field's first value, with ends of lines as Python has them; empty if it is missing."""
    return (fields.get(name) or [""])[0].replace("\r\n", "\n")


def render(viewer: Viewer, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page, or a part of one, made by a template."""
    common = {"viewer": viewer, "base": viewer.base, "now": datetime.now(UTC), "digest": digest()}
    body = _environment().get_template(template).render(**common, **values)
    return HTMLResponse(body, status, HEADERS)


def go(viewer: Viewer, path: str, **query: str) -> Response:
    """Return the answer that leads a browser to a page of the console."""
    return RedirectResponse(address(viewer.base + path, **query), 303, HEADERS)


def address(path: str, **query: str) -> str:
    """Return a path with a query, without its empty fields.

    >>> address("/console/day", day="2026-11-18", text="a b", id="")
    '/console/day?day=2026-11-18&text=a+b'
    """
    kept = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path


async def error_page(request: Request, problem: Problem) -> Response:
    """Return an error as a page; for the script its text alone."""
    viewer = Viewer(request, None)
    further = {name: value for name, value in (problem.headers or {}).items() if name.lower() != "www-authenticate"}
    if viewer.part:
        return HTMLResponse(_text_of(problem), problem.status, HEADERS | further, "text/plain")
    title = problem.content("")["title"]
    reason = {"title": title, "detail": problem.detail, "remedy": problem.extra.get("remedy")}
    template = "sign-in.html" if problem.status == 401 else "error.html"
    page = render(viewer, template, problem.status, problem=reason, phrase=status_phrase(problem.status))
    page.headers.update(further)  # without a challenge, for which browsers would ask for a password
    return page


def _text_of(problem: Problem) -> str:
    remedy = problem.extra.get("remedy")
    return problem.detail if not remedy or remedy in problem.detail else f"{problem.detail}: {remedy}"


# What templates use


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"ago": ago, "moment": moment, "number": number, "size": size, "link": web_link, "brief": brief}
    made.globals |= {
        "FORM_FIELD": FORM_FIELD,
        "NAMES": NAMES,
        "EXAMPLES": EXAMPLES,
        "LANGUAGES": [*NAMES, *(name for name in LANGUAGES if name not in NAMES)],
        "address": address,
        "counted": counted,
    }
    return made


def web_link(text: str | None) -> str:
    """Return an address of the web; empty for any other, which is then shown as no link.

    >>> web_link("https://island.example/1"), web_link("javascript:alert(1)"), web_link("http://[::1")
    ('https://island.example/1', '', '')
    """
    try:
        parts = urlsplit(text or "")
    except ValueError:
        return ""
    return text or "" if parts.scheme.lower() in ("http", "https") and parts.netloc else ""


def ago(time: datetime | None, now: datetime) -> str:
    """Return how long ago something was, briefly; the date where that was more than six days ago.

    >>> now = datetime(2026, 11, 18, 20, tzinfo=UTC)
    >>> ago(datetime(2026, 11, 18, 19, 58, tzinfo=UTC), now), ago(datetime(2026, 11, 1, tzinfo=UTC), now)
    ('2 min', '1 Nov')
    """
    if time is None:
        return ""
    seconds = (now - time).total_seconds()
    if not -86_400 <= seconds < 7 * 86_400:
        return f"{time.day} {time:%b}" if abs(seconds) < 300 * 86_400 else f"{time.day} {time:%b} {time.year}"
    if abs(seconds) < 60:
        return "now"
    amount, unit = next((seconds / size, unit) for size, unit in _UNITS if abs(seconds) >= size)
    return f"{amount:.0f} {unit}" if amount > 0 else f"in {-amount:.0f} {unit}"


_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def moment(time: datetime | None) -> str:
    """Return a time in full, in UTC.

    >>> moment(datetime(2026, 11, 18, 9, 5, tzinfo=UTC))
    '18 November 2026, 09:05 UTC'
    """
    return "" if time is None else f"{time.day} {time.astimezone(UTC):%B %Y, %H:%M} UTC"


def number(value: float) -> str:
    """Return a number with its thousands apart."""
    return f"{value:,.0f}"


def size(value: float) -> str:
    """Return bytes in units.

    >>> size(512), size(1_500_000)
    ('512 B', '1.5 MB')
    """
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
