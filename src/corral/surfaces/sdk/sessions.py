"""The sessions of one client: as many as work at the same time, each used by one thread only, and kept for the next."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from corral.control.desk.session import Session
from corral.errors import CorralError, PermanentError


class Place(NamedTuple):
    """Which API a client talks to, in the words of the command line; "" leaves it to the same rules."""

    context: str = ""
    namespace: str = ""
    kubeconfig: str = ""


class Sessions:
    """Hands out sessions with one API; safe for several threads."""

    def __init__(self, open_first: Callable[[], Session]) -> None:
        self._open_first = open_first
        self._opening = threading.Lock()
        """Held for as long as the first session is opened, which may take seconds: Corral may have to be started."""
        self._lock = threading.Lock()
        """Held for moments only, since a loop may wait for it."""
        self._first: Session | None = None
        self._idle: list[Session] = []
        self._is_closed = False

    @property
    def first(self) -> Session | None:
        """Returns the session that was opened first, None before that."""
        return self._first

    def take(self) -> Session:
        """Returns a session that nobody else uses; the first one chooses the API."""
        if (idle := self._idle_one()) is not None:
            return idle
        with self._opening:
            if self._first is None:
                return self._opened_first()
        with self._lock:
            self._refuse_if_closed()
        return self._first._replace(store=self._first.open_store())

    def _idle_one(self) -> Session | None:
        with self._lock:
            self._refuse_if_closed()
            return self._idle.pop() if self._idle else None

    def _opened_first(self) -> Session:
        """Opens the first session; one that nobody wants any more by then is closed again."""
        with self._lock:
            self._refuse_if_closed()
        session = self._open_first()
        try:
            with self._lock:
                self._refuse_if_closed()
                self._first = session
        except PermanentError:
            session.store.close()
            raise
        return session

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise PermanentError("closed-client", "the client is closed", hint="make another one")

    def give_back(self, session: Session) -> None:
        """Keeps a session for the next one who asks."""
        with self._lock:
            if not self._is_closed:
                self._idle.append(session)
                return
        session.store.close()

    def close(self) -> None:
        """Ends all connections that are not in use; those in use end with their work."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for session in idle:
            session.store.close()

    @contextmanager
    def borrowed(self) -> Iterator[Session]:
        """Yields a session for one piece of work; after an interruption it begins anew with its connection."""
        session = self.take()
        try:
            yield session
        except CorralError:
            raise
        except BaseException:
            session.store.close()
            raise
        finally:
            self.give_back(session)
