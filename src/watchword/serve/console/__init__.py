"""The console: pages for people, made on the server from the same public parts as the API.

    pages          templates, forms, the `Viewer` of a page, errors as pages
    entrance       /login and /logout
    marking        which words of an item a subscription found, as pieces of text
    inbox          / with its rows, marks and undo
    drafting       a subscription being written: the form, its check and its preview
    editor         the pages around it: edit, try, save, the items of one day
    subscriptions  the list: pause, snooze, delete
    feeds, health, tokens
    channels       how one is told, the log of it, where a subscription goes
    topics         the tree of topics, followed by a click
    links          the pages behind the links in mail
    static         one style sheet, one script

Every page works without JavaScript. The script sends the same forms, with the header ``X-Part``, and puts the part of
the page that comes back into its place; it knows no addresses and makes no HTML.
"""

from __future__ import annotations

import time

from fastapi import APIRouter, FastAPI

from watchword.serve import websub
from watchword.serve.console import (
    channels,
    editor,
    entrance,
    feeds,
    health,
    inbox,
    links,
    pages,
    static,
    subscriptions,
    tokens,
    topics,
)

ROUTERS: list[APIRouter] = [
    entrance.router,
    inbox.router,
    editor.router,
    subscriptions.router,
    feeds.router,
    health.router,
    tokens.router,
    channels.router,
    topics.router,
    links.router,
    websub.router,
    static.router,
]

__all__ = ["ROUTERS", "install"]


def install(app: FastAPI) -> None:
    """Add the pages to an application, and let browsers see its errors as pages."""
    for router in ROUTERS:
        app.include_router(router, include_in_schema=False)
    app.state.error_page = pages.error_page
    app.state.since = time.monotonic()
