"""What every method of a store needs: the engine, the clock, the numbers of subscribers, and its last change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from threading import local

from watchword.errors import StoreError, UnknownNameError
from watchword.store.engine import Engine, Session
from watchword.store.options import Options, read_options
from watchword.store.records import format_time, is_storable


class Base:
    """A store without its methods."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self._engine = engine
        self._clock = clock
        self._thread = local()

    @property
    def path(self) -> Path:
        """The file of the store."""
        return self._engine.path

    @property
    def counter(self) -> int:
        """The number of the last change after this thread's last call that subscribes or unsubscribes; 0 before it.

        A follower that has reached this number sees that call.
        """
        return int(getattr(self._thread, "counter", 0))

    def _announce(self, counter: int) -> None:
        """Remember the change that this thread committed last, and tell followers."""
        self._thread.counter = counter
        self._engine.notify(counter)

    def _owner(self, session: Session, name: str) -> int:
        found = None
        if is_storable(name):
            found = session.row("SELECT number FROM subscribers WHERE name = ?", (name,))
        if found is None:
            raise UnknownNameError(
                f"there is no subscriber {name!r}; `watchword subscribers` lists and adds them",
                path=self.path,
                name=name,
            )
        return int(found[0])

    def _options(self) -> Mapping[str, Options]:
        with self._engine.read() as session:
            return read_options(session)

    def _time(self) -> str:
        return self._format(self._clock())

    def _format(self, time: datetime) -> str:
        try:
            return format_time(time)
        except ValueError as error:
            raise StoreError(str(error), path=self.path) from None
