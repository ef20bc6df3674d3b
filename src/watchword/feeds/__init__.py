"""RSS and Atom feeds into items: the publishers of a syndication system (Kourdounakis 2011, chapters 1 and 3).

`parse` reads a document, `fetch` gets many sources and returns the new items of each, `read_opml` and `list_sources`
list feeds, and a `Spool` keeps fetched items on disk so that they can be read again.
"""

try:
    import feedparser as _feedparser  # type: ignore[import-untyped]  # noqa: F401
    import httpx as _httpx  # noqa: F401
except ImportError as error:
    raise ImportError("feeds need feedparser and httpx: pip install 'watchword[feeds]'") from error

from watchword.errors import AnswerError, FeedError
from watchword.feeds.backoff import Backoff
from watchword.feeds.document import parse
from watchword.feeds.fetching import Result, Round, fetch
from watchword.feeds.items import Feed, FeedItem
from watchword.feeds.limits import Limits
from watchword.feeds.opml import Opml, Outline, read_opml
from watchword.feeds.sources import check_sources, list_sources
from watchword.feeds.spool import Spool
from watchword.feeds.state import FeedState, State, dump_state, load_state

__all__ = [
    "AnswerError",
    "Backoff",
    "Feed",
    "FeedError",
    "FeedItem",
    "FeedState",
    "Limits",
    "Opml",
    "Outline",
    "Result",
    "Round",
    "Spool",
    "State",
    "check_sources",
    "dump_state",
    "fetch",
    "list_sources",
    "load_state",
    "parse",
    "read_opml",
]
