"""Tokens of programs, logins of people, and sessions: `EntranceMethods`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from watchword.errors import OptionError, StoreError, SubscriptionError, UnknownNameError
from watchword.store import access
from watchword.store.access import MOST_LOGIN_MINUTES, SCOPES, Token
from watchword.store.details import check_line
from watchword.store.engine import Session
from watchword.store.methods.base import Base
from watchword.visible import shown


class EntranceMethods(Base):
    """Who may come in. Secrets are returned once; the store keeps their hashes."""

    def add_token(self, subscriber: str, name: str, scopes: Iterable[str], *, expires: datetime | None = None) -> str:
        """Return a new token of a subscriber, ``ww_`` and 43 characters, with some of the rights in `SCOPES`.

        `name` is for people. A token that has expired, as one with `expires` in the past, opens nothing.
        """
        chosen, label = _check_scopes(scopes), _check_name(name)
        time, until = self._time(), None if expires is None else self._format(expires)
        secret = access.make_secret(access.TOKEN_PREFIX)
        with self._engine.write() as session:
            owner = self._owner(session, subscriber)
            access.write_token(session, owner, secret, label, " ".join(chosen), until, time)
        return secret

    def find_token(self, secret: str) -> Token | None:
        """Return the token of a secret; None if it is unknown, revoked or expired."""
        now = self._clock()
        with self._engine.read() as session:
            found = access.read_token(session, secret, now)
        if found is not None and access.is_due(found.used, now):
            self._note(lambda session: access.note_token(session, found.number, self._format(now)))
        return found

    def tokens(self, subscriber: str | None = None) -> list[Token]:
        """Return the tokens of a subscriber or of all, expired ones too, in the order in which they were made."""
        with self._engine.read() as session:
            return access.read_tokens(session, None if subscriber is None else self._owner(session, subscriber))

    def revoke_token(self, subscriber: str, number: int) -> None:
        """Delete a token of a subscriber, by its number; an `UnknownNameError` if there is none."""
        with self._engine.write() as session:
            if access.delete_token(session, self._owner(session, subscriber), number):
                return
        reason = f"{subscriber} has no token number {number}; `watchword tokens list` lists them"
        raise UnknownNameError(reason, path=self.path, name=str(number))

    def add_login(self, subscriber: str, *, minutes: float = access.LOGIN_MINUTES) -> str:
        """Return the secret of a new login of a subscriber, which can be redeemed once, within some minutes."""
        if not 0 < minutes <= MOST_LOGIN_MINUTES:
            raise OptionError(f"minutes: more than 0 and at most {MOST_LOGIN_MINUTES:,}, not {minutes}")
        secret, expires = access.make_secret(), self._format(self._clock() + timedelta(minutes=minutes))
        with self._engine.write() as session:
            access.write_login(session, self._owner(session, subscriber), secret, expires)
        return secret

    def redeem_login(self, secret: str) -> str | None:
        """Return the secret of a new session in exchange for a login; None if it is unknown, used or expired."""
        with self._engine.read() as session:
            if not access.has_login(session, secret):  # so that a stranger who tries makes no writer wait
                return None
        new, time = access.make_secret(), self._time()
        with self._engine.write() as session:
            return new if access.redeem(session, secret, new, time) else None

    def find_session(self, secret: str) -> access.Session | None:
        """Return the session of a secret; None if it is unknown or has ended."""
        now = self._clock()
        with self._engine.read() as session:
            found = access.read_session(session, secret, now)
        if found is not None and access.is_due(found.used, now):
            self._note(lambda session: access.note_session(session, secret, self._format(now)))
        return found

    def end_session(self, secret: str) -> None:
        """End a session; one that is unknown or has ended is no error."""
        with self._engine.write() as session:
            access.delete_session(session, secret)

    def _note(self, write: Callable[[Session], None]) -> None:
        """Write a last use, if that is possible at once; otherwise the next use is written."""
        with suppress(StoreError), self._engine.write(patience=0.0) as session:
            write(session)


def _check_scopes(scopes: Iterable[str]) -> list[str]:
    """Return scopes in the order of `SCOPES`; an `OptionError` if there is none, or another one."""
    given = [scopes] if isinstance(scopes, str) else list(scopes)
    for scope in given:
        if scope not in SCOPES:
            raise OptionError(f"there is no scope {shown(scope)}; there are {', '.join(SCOPES)}")
    if not given:
        raise OptionError(f"a token has at least one scope of {', '.join(SCOPES)}")
    return [scope for scope in SCOPES if scope in given]


def _check_name(name: str) -> str:
    try:
        return check_line("the name of a token", name, access.NAME_CHARACTERS)
    except SubscriptionError as error:
        raise OptionError(error.reason) from None
