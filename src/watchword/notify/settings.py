"""What a person sets on a channel, and what the administrator sets for all of them.

    check("webhook", "https://desk.example/hook", {"budget": 20, "quiet": "22:00-07:00"}, Outside())
    when_of({"times": ["07:30", "18:00"], "days": ["mon", "fri"]}, "Europe/Athens")      When(times=(07:30, 18:00), …)

Settings of a channel, in JSON, all optional: `times` and `days` of digests, `quiet` hours, `budget` an hour. Mail and
Apprise have a budget of `BUDGET` an hour unless another is set; null is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from watchword.errors import FeedError, OptionError
from watchword.notify.plan import When, check_budget, parse_days, parse_quiet, parse_times, zone_of
from watchword.visible import shown

if TYPE_CHECKING:
    from watchword.feeds.addresses import Networks

WEBHOOK, MAIL, FEED, APPRISE, NOTHING = "webhook", "mail", "feed", "apprise", "nothing"
KINDS = (WEBHOOK, MAIL, FEED, APPRISE, NOTHING)
BUDGET = 20
"""Messages an hour on a channel that a person reads, unless another budget is set."""
SETTINGS = ("times", "days", "quiet", "budget")
SCHEMES = (
    *("ntfy", "ntfys", "slack", "discord", "tgram", "matrix", "matrixs", "mmost", "mmosts", "rocket", "rockets"),
    *("signal", "signals", "pover", "gotify", "gotifys", "zulip", "wxteams", "json", "jsons"),
)
"""Schemes of Apprise that the administrator may use: services that are reached over the network."""
_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


@dataclass(frozen=True)
class Outside:
    """What the administrator says: where the server is reached, how mail leaves, where webhooks and chats may be."""

    public_url: str = ""
    """The address of the server as people reach it, for links in messages."""
    smtp: str = ""
    """``smtp://user:password@host:587`` with STARTTLS, ``smtps://`` with TLS, ``smtp+plain://`` with neither."""
    mail_from: str = ""
    """The address that mail comes from."""
    networks: tuple[str, ...] = ()
    """Private networks in which webhooks may be."""
    schemes: tuple[str, ...] = SCHEMES
    """Schemes of Apprise that may be used."""
    seconds: float = 15.0
    """Seconds that a receiver has for its answer."""

    def __post_init__(self) -> None:
        _ = self.allowed  # raises
        for name, url, schemes in (
            ("public_url", self.public_url, ("http", "https")),
            ("smtp", self.smtp, ("smtp", "smtps", "smtp+plain")),
        ):
            if url and (_parts(url)[0] not in schemes or not _parts(url)[1]):
                raise OptionError(f"{name} begins with {' or '.join(one + '://' for one in schemes)}, and names a host")
        if self.mail_from and not is_mail_address(self.mail_from):
            raise OptionError(f"mail_from is one address, such as alerts@example.org, not {shown(self.mail_from)}")

    @cached_property
    def allowed(self) -> Networks:
        """The private networks; an `OptionError` names one that is none."""
        from watchword.feeds.strangers import parse_networks

        return parse_networks(self.networks)

    @property
    def can_mail(self) -> bool:
        """Whether mail can be sent: it needs a server, a sender, and links that people can follow."""
        return bool(self.smtp and self.mail_from and self.public_url)

    def link(self, path: str) -> str:
        """Return the address of a page of the server; empty without a public one."""
        return f"{self.public_url.rstrip('/')}{path}" if self.public_url else ""


def _parts(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or ""
    except ValueError:
        return "", ""


def is_mail_address(text: str) -> bool:
    """Return whether a text is one address of mail, in ASCII, as SMTP takes it without extensions.

    >>> is_mail_address("ada@island.example"), is_mail_address("a@b.example\\r\\nBcc: c@d.example")
    (True, False)
    """
    found = _ADDRESS.fullmatch(text)
    return found is not None and ".." not in text and not text.startswith(".") and ".@" not in text


def check(kind: str, address: str, settings: Mapping[str, Any], outside: Outside, *, is_admin: bool = False) -> None:
    """Raise an `OptionError` unless a channel can be like this."""
    if kind not in KINDS:
        raise OptionError(f"a channel is one of {', '.join(KINDS)}, not {shown(kind)}")
    when_of(settings, "UTC")
    if kind == WEBHOOK:
        _check_webhook(address)
    elif kind == MAIL:
        if not is_mail_address(address):
            raise OptionError(f"an address of mail is written as ada@island.example, not {shown(address)}")
        if not outside.can_mail:
            raise OptionError("this server sends no mail: its administrator sets --smtp, --mail-from and --public-url")
    elif kind == APPRISE:
        if not is_admin:
            raise OptionError("a channel of Apprise is set up by the administrator: watchword channels add")
        if _parts(address)[0] not in outside.schemes:
            raise OptionError(f"a channel of Apprise begins with one of {', '.join(outside.schemes)}, and ://")
    elif address:
        raise OptionError(f"a channel of the kind {kind} has no address")


def _check_webhook(address: str) -> None:
    from watchword.feeds.strangers import check_address

    try:
        check_address(address)
    except FeedError as error:
        raise OptionError(str(error)) from None


def when_of(settings: Mapping[str, Any], zone: str, kind: str = NOTHING) -> When:
    """Return when a channel with these settings is told, in a zone; an `OptionError` names the fault."""
    unknown = [name for name in settings if name not in SETTINGS]
    if unknown:
        raise OptionError(f"settings of a channel are {', '.join(SETTINGS)}, not {shown(unknown[0])}")
    times = parse_times(_texts(settings, "times"))
    days = parse_days(_texts(settings, "days")) if settings.get("days") else When.days
    quiet, budget = settings.get("quiet"), settings.get("budget", BUDGET if kind in (MAIL, APPRISE) else None)
    if quiet is not None and not isinstance(quiet, str):
        raise OptionError(f"quiet hours are written as 22:00-07:00, not {shown(quiet)}")
    if budget is not None and not isinstance(budget, int):
        raise OptionError(f"a budget is a number of messages an hour, not {shown(budget)}")
    zone_of(zone)
    return When(times, days, parse_quiet(quiet) if quiet else None, check_budget(budget), zone)


def _texts(settings: Mapping[str, Any], name: str) -> list[str]:
    found = settings.get(name) or []
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise OptionError(f"{name} is a list of texts, not {shown(found)}")
    return found
