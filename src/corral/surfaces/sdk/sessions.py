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
        self._lock = threading.Lock()
        self._first: Session | None = None
        self._idle: list[Session] = []
        self._is_closed = False

    @property
    def first(self) -> Session | None:
        """Returns the session that was opened first, None before that."""
        return self._first

    def take(self) -> Session:
        """Returns a session that nobody else uses; the first one chooses the API."""
        with self._lock:
            if self._is_closed:
                raise PermanentError("closed-client", "the client is closed", hint="make another one")
            if self._idle:
                return self._idle.pop()
            if self._first is None:
                self._first = self._open_first()
                return self._first
        return self._first._replace(store=self._first.open_store())

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
