"""Which items tell the same story: decided from links, titles and texts, without a clock, a file or a network.

>>> from watchword.items import Item
>>> port = Item("1", title="Ferry runs aground off the north coast", feed="Port", link="https://www.port.example/a?utm_source=rss#top")
>>> isle = Item("2", title="Grounded", feed="Isle", link="http://port.example/a/")
>>> post = Item("3", title="Ferry runs aground off the north coast - Morning Post", feed="Post", language="en")
>>> [is_same_story(account(port), account(other)) for other in (isle, post)]
[True, True]

The rules, in this order:

1. *by the link*, without its fragment and without parameters that only say where a reader came from. The front page of
   a site is no story. Within one feed the fragments have to be equal too: a forum's posts differ in nothing else.
2. *by the title*, of at least `TERMS` terms, within `WEEK`, in the same language where both name one, and never within
   one feed, which may call every morning's news the same.
3. *by the text*, where that is asked for: two texts of at least `SKETCHED` terms whose `sketch`es of 64 bits (SimHash,
   Charikar 2002) differ in at most `BITS`, within a week.

A story is known by the identity of its first item (`story_of`). Items that are joined wrongly are both in the inbox,
one under the other; items that are not joined are two notifications. tests/notify/test_stories.py counts both errors.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from urllib.parse import parse_qsl, urlencode, urlsplit

from watchword.items import Item

TERMS = 5
"""Terms of the shortest title that two feeds share for one story."""
LETTERS = 12
"""Letters of the shortest such title in a script that writes no spaces."""
WEEK = timedelta(days=7)
"""The longest time between two items of one story that are joined by title or text."""
SKETCHED = 40
"""Terms of the shortest text that is compared."""
BITS = 3
"""Bits in which the sketches of two texts of one story may differ."""
BANDS = 4
"""Parts of a sketch: two that differ in at most `BITS` bits have one part in common."""

_TRACKING = re.compile(
    r"utm_.*|at_.*|ns_.*|oly_.*|_hs.*|hsa_.*|mc_[ce]id|mtm_.*|pk_.*|wt[._]mc.*|"
    r"fbclid|gclid|dclid|msclkid|yclid|igshid|igsh|twclid|ttclid|li_fat_id|_ga|_gl|ref_src|ref_url|partner|emc|"
    r"cmp|cmpid|icid|ito|smid|smtyp|spm|xtor|s_cid|ocid|taid|guccounter|mkt_tok|vero_id|trk|campaign_id|rss|"
    r"feedtype|feedname|__twitter_impression|amp",
    re.IGNORECASE,
)
_ORIGIN = frozenset({"ref", "source", "src", "from", "via"})
_ORIGINS = frozenset({"rss", "feed", "atom", "newsletter", "email", "mail", "twitter", "facebook", "share", "social"})
_SITE = re.compile(r"\s+(?:[-–—|·»]|::)\s+")
_WORD = re.compile(r"\w+")
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Account:
    """What of an item says which story it tells. `link`, `title` are keys, empty where the item has none."""

    link: str
    fragment: str
    title: str
    language: str
    feed: str
    time: datetime | None = None
    sketch: int | None = None


def account(item: Item, seen: datetime | None = None, *, with_text: bool = False) -> Account:
    """Return the account of an item that was first seen at a time; its text is sketched where that is asked for."""
    link, fragment = link_key(item.link)
    return Account(
        link,
        fragment,
        title_key(item.title),
        item.language.replace("_", "-").partition("-")[0].lower(),
        item.feed_url or item.feed,
        item.published or seen,
        sketch(item.text) if with_text else None,
    )


def is_same_story(one: Account, other: Account) -> bool:
    """Return whether two items tell the same story, by the first rule that says so."""
    return is_same_link(one, other) or is_same_title(one, other) or is_same_text(one, other)


def is_same_link(one: Account, other: Account) -> bool:
    """Return whether two items have the same link: within one feed with its fragment."""
    if not one.link or one.link != other.link:
        return False
    return one.feed != other.feed or one.fragment == other.fragment


def is_same_title(one: Account, other: Account) -> bool:
    """Return whether items of two feeds have the same title, in one week and one language."""
    if not one.title or one.title != other.title or one.feed == other.feed:
        return False
    return _is_near(one, other) and (one.language == other.language or not one.language or not other.language)


def is_same_text(one: Account, other: Account) -> bool:
    """Return whether items of two feeds have nearly the same text, in one week."""
    if one.sketch is None or other.sketch is None or one.feed == other.feed:
        return False
    return (one.sketch ^ other.sketch).bit_count() <= BITS and _is_near(one, other)


def _is_near(one: Account, other: Account) -> bool:
    return one.time is None or other.time is None or abs(one.time - other.time) <= WEEK


def story_of(identity: str) -> str:
    """Return the name of the story whose first item has this identity.

    >>> story_of("urn:1")
    '0ee1048c0dfe09c7ce8102a7'
    """
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def link_key(link: str) -> tuple[str, str]:
    """Return the key of a link, and its fragment; two empty texts for none, and for a site's front page.

    >>> link_key("HTTPS://www.Port.example:443/a/?utm_source=x&id=7&fbclid=1#top")
    ('port.example/a?id=7', 'top')
    >>> link_key("https://port.example/?utm_source=x"), link_key("urn:7"), link_key("https://app.example/#/news/7")
    (('', ''), ('', ''), ('app.example/#/news/7', ''))
    """
    try:
        parts = urlsplit(link.strip())
        host, port = (parts.hostname or "").removeprefix("www.").rstrip("."), parts.port
    except ValueError:
        return "", ""
    if parts.scheme not in ("http", "https") or not host:
        return "", ""
    place = host if port in (None, 80, 443) else f"{host}:{port}"
    query = urlencode(
        sorted(pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _is_tracking(*pair))
    )
    path, fragment = parts.path.rstrip("/"), parts.fragment
    if fragment.startswith(("!", "/")):  # the path of a page that a script makes
        path, fragment = f"{path}/#{fragment}", ""
    if not path and not query:
        return "", ""
    return f"{place}{path}{'?' if query else ''}{query}", fragment


def _is_tracking(name: str, value: str) -> bool:
    """Return whether a parameter says only where a reader came from."""
    return bool(_TRACKING.fullmatch(name)) or (name.lower() in _ORIGIN and value.lower() in _ORIGINS)


def title_key(title: str) -> str:
    """Return the key of a title: its terms, without the name of a site at its end; empty if they are too few.

    >>> title_key("Ferry runs aground off Naxos — The Morning Post"), title_key("Morning briefing")
    ('ferry runs aground off naxos', '')
    """
    terms = _terms(title)
    parts = _SITE.split(title)
    if len(parts) > 1:
        head = _terms(" ".join(parts[:-1]))
        if _is_long(head) and len(_terms(parts[-1])) < TERMS:
            terms = head
    return " ".join(terms) if _is_long(terms) else ""


def _is_long(terms: list[str]) -> bool:
    letters = "".join(terms)
    return len(terms) >= TERMS or (len(letters) >= LETTERS and bool(_NO_SPACES.search(letters)))


def _terms(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def sketch(text: str) -> int | None:
    """Return the SimHash of a text, 64 bits; None for a text that is too short to be compared.

    >>> sketch("too short") is None
    True
    """
    terms = _terms(text)
    if len(terms) < SKETCHED:
        return None
    weights = [0] * 64
    for pair, count in Counter(pairwise(terms)).items():
        hashed = int.from_bytes(hashlib.blake2b(" ".join(pair).encode(), digest_size=8).digest(), "big")
        for bit in range(64):
            weights[bit] += count if hashed >> bit & 1 else -count
    return sum(1 << bit for bit, weight in enumerate(weights) if weight > 0)


def bands(sketched: int) -> list[int]:
    """Return the parts of a sketch.

    >>> bands(0x0001_0002_0003_0004)
    [4, 3, 2, 1]
    """
    return [sketched >> 16 * band & 0xFFFF for band in range(BANDS)]
