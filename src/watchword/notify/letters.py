"""What a message says as mail: subject, plain text and HTML, and the headers that mail programs ask for.

    letter = make_letter(outgoing, "alerts@example.org", links)
    letter["Message-ID"]               <msg_5f…@example.org>, the same at every attempt: a server that has it drops it
    letter["List-Unsubscribe"]         <https://alerts.example.org/notify/unsubscribe/17.0.kX3…>

Titles and names come from strangers: ends of lines in them are spaces, and HTML is escaped. There are no templates that
anybody could write into. A text is sent as quoted-printable in UTF-8, so every line is short enough for SMTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape

from watchword.notify.answers import Outgoing
from watchword.notify.entries import Entry, one_line
from watchword.visible import brief, counted

SUBJECT = 150
"""Characters of a subject."""
ITEMS = 50
"""Items that a mail shows; it says how many more there are."""


@dataclass(frozen=True)
class Links:
    """Addresses in a letter: of the inbox, to unsubscribe, and, in the first letter, to verify the address."""

    inbox: str
    unsubscribe: str
    verify: str = ""


def make_letter(message: Outgoing, sender: str, links: Links) -> EmailMessage:
    """Return a message as mail from `sender` to the address of its channel."""
    job, channel = message.job, message.channel
    domain = sender.rpartition("@")[2]
    letter = EmailMessage(policy=SMTP)
    letter["From"] = f"Watchword <{sender}>"
    letter["To"] = channel.address
    letter["Subject"] = subject_of(message)
    letter["Date"] = format_datetime(job.made)
    letter["Message-ID"] = f"<{job.id}@{domain}>"
    letter["Auto-Submitted"] = "auto-generated"
    letter["Precedence"] = "bulk"
    letter["List-Id"] = f"Watchword <channel-{channel.number}.{domain}>"
    letter["List-Unsubscribe"] = f"<{links.unsubscribe}>"
    letter["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    letter.set_content("\n".join(_plain(message, links)) + "\n", cte="quoted-printable")
    letter.add_alternative("\n".join(_html(message, links)), subtype="html", cte="quoted-printable")
    return letter


def subject_of(message: Outgoing) -> str:
    """Return the subject of a message, in one line."""
    if message.job.kind == "verify":
        return "Confirm this address for Watchword"
    if message.job.kind == "test":
        return f"A test of the channel {one_line(message.channel.name)}"
    first = message.entries[0].title if message.entries else ""
    title = brief(one_line(first), SUBJECT) or "Something matched"
    return title if message.count == 1 else f"{message.count:,} items: {title}"


def _words(message: Outgoing) -> str:
    """Return what a message without items says."""
    if message.job.kind == "verify":
        name, owner = one_line(message.channel.name), one_line(message.channel.subscriber)
        return (
            f"{owner} wants to be told at this address (channel {name}). Confirm it within 48 hours by the link. "
            "If that was not you, do nothing: nothing more is sent."
        )
    return "This is a test of the channel. Nothing was matched." if message.job.kind == "test" else ""


def _plain(message: Outgoing, links: Links) -> Iterator[str]:
    if words := _words(message):
        yield words
        yield ""
    if links.verify:
        yield links.verify
        yield ""
    shown = message.entries[:ITEMS]
    for entry in shown:
        yield one_line(entry.title)
        yield from filter(None, (entry.link, _origin(entry)))
        for why in entry.reasons:
            yield f"  {one_line(why.name)}: {one_line(why.why)}"
        yield ""
    if message.count > len(shown):
        yield f"and {message.count - len(shown):,} more: {links.inbox}"
        yield ""
    yield "-- "
    yield f"Your inbox: {links.inbox}"
    yield f"No more of this: {links.unsubscribe}"


def _html(message: Outgoing, links: Links) -> Iterator[str]:
    yield '<!DOCTYPE html><html><head><meta charset="utf-8"></head><body>'
    if words := _words(message):
        yield f"<p>{escape(words)}</p>"
    if links.verify:
        yield f'<p><a href="{escape(links.verify)}">Confirm this address</a></p>'
    shown = message.entries[:ITEMS]
    for entry in shown:
        title = escape(one_line(entry.title))
        yield f'<h3><a href="{escape(entry.link)}">{title}</a></h3>' if entry.link else f"<h3>{title}</h3>"
        yield f"<p>{escape(one_line(brief(entry.text, 400)))}</p>" if entry.text else ""
        reasons = "; ".join(
            f"<b>{escape(one_line(why.name))}</b>: {escape(one_line(why.why))}" for why in entry.reasons
        )
        yield f"<p><small>{escape(_origin(entry))} {reasons}</small></p>"
    if message.count > len(shown):
        yield f'<p>and <a href="{escape(links.inbox)}">{counted(message.count - len(shown), "more item")}</a></p>'
    inbox, end = escape(links.inbox), escape(links.unsubscribe)
    yield f'<hr><p><small><a href="{inbox}">Your inbox</a> · <a href="{end}">No more of this</a></small></p>'
    yield "</body></html>"


def _origin(entry: Entry) -> str:
    """Return where an item is from, and when: ``Harbour news, 2026-11-19 12:00 UTC``."""
    when = "" if entry.published is None else f"{entry.published:%Y-%m-%d %H:%M} UTC"
    return ", ".join(part for part in (one_line(entry.feed), when) if part)
