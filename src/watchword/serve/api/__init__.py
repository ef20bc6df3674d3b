"""The routes for programs, a file for each thing; `ROUTERS` lists them in the order in which they are asked."""

from fastapi import APIRouter

from watchword.serve.api import (
    auditing,
    channels,
    docs,
    events,
    feeds,
    health,
    inbox,
    live,
    matching,
    personal,
    previewing,
    subscriptions,
    topics,
)

ROUTERS: list[APIRouter] = [
    health.router,
    subscriptions.router,
    matching.router,
    previewing.router,
    auditing.router,
    docs.router,
    events.router,
    live.router,
    inbox.router,
    personal.router,
    feeds.router,
    topics.router,
    channels.router,
]
