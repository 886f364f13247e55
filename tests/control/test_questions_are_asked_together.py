"""Several questions to one API at once: each answer where its question stands, few connections, and none left open."""

import threading
from typing import Any, cast

import pytest

from corral.control.desk.session import Session
from corral.control.desk.together import MOST_AT_ONCE, asked_together
from corral.ports.direct_store import DirectStore


class Line:
    """A connection that remembers whether it was closed."""

    def __init__(self) -> None:
        self.is_open = True

    def close(self) -> None:
        self.is_open = False


class Exchange:
    """Where connections come from; the first is the caller's own."""

    def __init__(self) -> None:
        self.own = Line()
        self.opened: list[Line] = []

    @property
    def session(self) -> Session:
        return Session(cast("DirectStore", self.own), "default", "a test", self._open)

    def _open(self) -> DirectStore:
        self.opened.append(Line())
        return cast("DirectStore", self.opened[-1])


def test_every_answer_stands_where_its_question_stood() -> None:
    exchange = Exchange()
    barrier = threading.Barrier(MOST_AT_ONCE, timeout=20)

    def question(number: int) -> Any:
        def ask(_: DirectStore) -> int:
            if number < MOST_AT_ONCE:
                barrier.wait()  # passes only when so many ask at the same time
            return number * number

        return ask

    assert asked_together(exchange.session, [question(number) for number in range(9)]) == [n * n for n in range(9)]
    assert len(exchange.opened) == MOST_AT_ONCE - 1
    assert not any(line.is_open for line in exchange.opened)
    assert exchange.own.is_open


def test_one_question_needs_no_other_connection() -> None:
    exchange = Exchange()
    assert asked_together(exchange.session, [lambda store: store]) == [cast("Any", exchange.own)]
    assert asked_together(exchange.session, []) == []
    assert exchange.opened == []


def test_of_those_that_fail_the_first_is_raised() -> None:
    exchange = Exchange()

    def fail(word: str) -> Any:
        def ask(_: DirectStore) -> None:
            raise ValueError(word)

        return ask

    with pytest.raises(ValueError, match="second"):
        asked_together(exchange.session, [lambda _: None, fail("second"), fail("third"), lambda _: None])
    assert not any(line.is_open for line in exchange.opened)
