"""Mail by SMTP: one connection for each message, in a thread, with a time limit.

    smtp://user:password@host:587     STARTTLS, or it is refused
    smtps://host:465                  TLS from the beginning
    smtp+plain://127.0.0.1:25         neither: a relay on this machine

What a server says decides: 4xx and a connection that fails are tried again; 5xx for the recipient means that there is
no such address, and disables the channel, so that no mail is sent into the void for days; 5xx for the message is
hopeless for this message alone.
"""

from __future__ import annotations

import asyncio
import smtplib
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from watchword.notify.answers import Answer, Outgoing
from watchword.notify.letters import Links, make_letter
from watchword.notify.links import UNSUBSCRIBE, make_token, verify_token
from watchword.notify.settings import Outside
from watchword.visible import brief

THREADS = 8
"""Mails that are sent at once."""
REST = 10.0
"""Seconds for which a server that was away is not tried."""
AWAY, LATE = "the mail server cannot be reached", "the mail server did not answer in time"
_NO_SUCH = frozenset({550, 551, 553})


class Mail:
    """Sends messages as mail; `key` gives the key of the store by which links are signed."""

    whole = True

    def __init__(self, outside: Outside, key: Callable[[], bytes]) -> None:
        self._outside, self._key = outside, key
        self._pool = ThreadPoolExecutor(THREADS, "watchword-mail")
        self._away_until = 0.0

    async def send(self, message: Outgoing) -> Answer:
        """Send a message, and return what came of it."""
        if not self._outside.can_mail:
            return Answer(False, "this server sends no mail: it lacks --smtp, --mail-from or --public-url")
        try:
            letter = make_letter(message, self._outside.mail_from, self._links(message))
        except (ValueError, IndexError) as error:
            return Answer(False, f"it cannot be written as mail: {error}", hopeless=True)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._post, letter, message.channel.address)

    async def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(wait=False)

    def _post(self, letter: EmailMessage, address: str) -> Answer:
        """Send a letter, unless the server was away a moment ago: many letters do not wait for it one by one."""
        if time.monotonic() < self._away_until:
            return Answer(False, AWAY)
        answer = post(self._outside, letter, address)
        if answer.text in (AWAY, LATE):
            self._away_until = time.monotonic() + REST
        return answer

    def _links(self, message: Outgoing) -> Links:
        outside, channel, key = self._outside, message.channel, self._key()
        verify = ""
        if message.job.kind == "verify":
            verify = outside.link(f"/notify/verify/{verify_token(key, channel.number, channel.address, message.now)}")
        unsubscribe = outside.link(f"/notify/unsubscribe/{make_token(key, UNSUBSCRIBE, channel.number)}")
        return Links(outside.link("/"), unsubscribe, verify)


def post(outside: Outside, letter: EmailMessage, address: str) -> Answer:
    """Send a letter to an address, and return what came of it."""
    parts = urlsplit(outside.smtp)
    try:
        with _connect(parts.scheme, parts.hostname or "", parts.port, outside.seconds) as server:
            if parts.username:
                server.login(unquote(parts.username), unquote(parts.password or ""))
            server.send_message(letter, outside.mail_from, [address])
            return Answer(True, "250 accepted")
    except smtplib.SMTPRecipientsRefused as error:
        status, text = next(iter(error.recipients.values()), (0, b""))
        return Answer(False, _said(status, text), hopeless=status in _NO_SUCH, disables=status in _NO_SUCH)
    except smtplib.SMTPAuthenticationError:
        return Answer(False, "the mail server refuses the login of this server")  # what it says may name the user
    except smtplib.SMTPResponseException as error:
        return Answer(False, _said(error.smtp_code, error.smtp_error), hopeless=500 <= error.smtp_code < 600)
    except smtplib.SMTPException:
        return Answer(False, "the mail server ended the connection, or lacks what is needed")
    except TimeoutError:
        return Answer(False, LATE)
    except (OSError, UnicodeError, ValueError):
        return Answer(False, AWAY)


def _connect(scheme: str, host: str, port: int | None, seconds: float) -> smtplib.SMTP:
    if scheme == "smtps":
        return smtplib.SMTP_SSL(host, port or 465, timeout=seconds, context=ssl.create_default_context())
    server = smtplib.SMTP(host, port or (587 if scheme == "smtp" else 25), timeout=seconds)
    if scheme == "smtp":
        try:
            server.starttls(context=ssl.create_default_context())
        except BaseException:
            server.close()
            raise
    return server


def _said(status: int, text: bytes | str) -> str:
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return brief(f"{status} {said}".strip(), 200)
