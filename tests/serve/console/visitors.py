"""People who look at the console: signed in by a link, with the cookie that a browser would have."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import httpx

from tests.limits import PATIENCE
from tests.serve.desk import Desk


class Visitor(httpx.Client):
    """A client with a session, which sends forms as a browser does: with its origin and the form's token."""

    def __init__(self, desk: Desk, name: str = "ada") -> None:
        super().__init__(base_url=desk.address, timeout=PATIENCE, trust_env=False)
        self.headers["Accept"] = "text/html"
        self.name = name
        with desk.home.store() as store:
            store.add_subscriber(name)
            once = store.add_login(name)
        answer = self.post("/login", data={"once": once}, headers={"Origin": desk.address})
        assert answer.status_code == 303, answer.text
        self.form_token = re.search(r'name="form_token" value="(\w+)"', self.get("/").text)[1]

    def __enter__(self) -> Visitor:
        return self  # it was used to sign in, and httpx opens a client once

    def __exit__(self, *error: object) -> None:
        self.close()

    def submit(self, path: str, part: str = "", **fields: object) -> httpx.Response:
        """Send a form, of the script where a part is named."""
        headers = {"Origin": str(self.base_url).rstrip("/")} | ({"X-Part": part} if part else {})
        return self.post(path, data={"form_token": self.form_token, **fields}, headers=headers)


VOID = {"br", "hr", "img", "input", "link", "meta"}


class Element:
    """An element of a page: its tag, attributes, text, and the elements around it."""

    def __init__(self, tag: str, attributes: dict[str, str | None], around: list[Element]) -> None:
        self.tag, self.attributes, self.around = tag, attributes, around
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split())

    def get(self, name: str) -> str:
        return self.attributes.get(name) or ""


class Page(HTMLParser):
    """The elements of a page, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs), list(self._open)))
        if tag not in VOID:
            self._open.append(self.elements[-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs), list(self._open)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.pieces.append(data)

    def all(self, *tags: str) -> list[Element]:
        return [element for element in self.elements if element.tag in tags]

    def texts(self, tag: str, name: str = "") -> list[str]:
        """Return the texts of the elements of a tag, and of a class if it is named."""
        return [one.text for one in self.all(tag) if not name or name in one.get("class").split()]
