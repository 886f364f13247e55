"""Several questions to one API at once: what takes many round trips one after the other takes few side by side."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Final, TypeVar

from corral.control.desk.session import Session
from corral.ports.direct_store import DirectStore

T = TypeVar("T")
MOST_AT_ONCE: Final = 4
"""So many connections are used: more would cost a far server more in greetings than they save."""


def asked_together(session: Session, questions: Sequence[Callable[[DirectStore], T]]) -> list[T]:
    """Returns the answers in the order of the questions; of those that fail the first one is raised.

    The caller's thread asks too, by its own connection; the others have one each, and are gone when this returns.
    """
    answers: dict[int, T] = {}
    failures: dict[int, BaseException] = {}
    waiting = deque(enumerate(questions))

    def ask(store: DirectStore) -> None:
        while waiting:
            try:
                at, question = waiting.popleft()
            except IndexError:
                return  # somebody else was quicker
            try:
                answers[at] = question(store)
            except Exception as error:  # noqa: BLE001 - raised in the thread of the caller
                failures[at] = error

    def ask_apart() -> None:
        with closing(session.open_store()) as store:
            ask(store)

    others = [threading.Thread(target=ask_apart, daemon=True) for _ in range(min(MOST_AT_ONCE, len(questions)) - 1)]
    for one in others:
        one.start()
    ask(session.store)
    for one in others:
        one.join()
    if failures:
        raise failures[min(failures)]
    return [answers[at] for at in range(len(questions))]
