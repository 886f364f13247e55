"""One piece of work with a session, which another thread may give up."""

import threading
from typing import Generic, TypeVar

from corral.control.desk.session import Session
from corral.surfaces.sdk.sessions import Sessions
from corral.surfaces.sdk.verbs import Work

T = TypeVar("T")


class Errand(Generic[T]):
    """Takes a session for its work and gives it back; that of work that was given up is lost."""

    def __init__(self, sessions: Sessions, work: Work[T]) -> None:
        self._sessions = sessions
        self._work = work
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._is_given_up = False

    def run(self) -> T:
        """Does the work; ends in CutOffError when it is given up."""
        session = self._sessions.take()
        with self._lock:
            self._session = session
            if self._is_given_up:
                session.store.cut()
        try:
            return self._work(session)
        finally:
            with self._lock:
                self._session = None
                is_lost = self._is_given_up
            if is_lost:
                session.store.close()
            else:
                self._sessions.give_back(session)

    def give_up(self) -> None:
        """Makes the work end soon, from any thread."""
        with self._lock:
            self._is_given_up = True
            if self._session is not None:
                self._session.store.cut()
