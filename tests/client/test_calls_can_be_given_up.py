"""A store that another thread waits in can be cut off, so that whoever leaves keeps no socket and no thread behind."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.well_known import CONFIG_MAP
from corral.ports.object_store import Scope, Start
from corral.ports.refusals import CutOffError
from corral.testing.api_under_test import ApiUnderTest

pytest_plugins = ["corral.testing.api_servers"]
SOON = 10.0


class Waiter:
    """A thread that asks a store, and what came of it."""

    def __init__(self, work: Callable[["Waiter"], None]) -> None:
        self.is_waiting = threading.Event()
        self.error: BaseException | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work(self)
        except CutOffError as error:
            self.error = error

    def end(self) -> None:
        self._thread.join(SOON)
        assert not self._thread.is_alive()
        assert isinstance(self.error, CutOffError)


def test_a_silent_watch_ends_at_once(api: ApiUnderTest) -> None:
    client = SyncClient(api.access)

    def watch(waiter: Waiter) -> None:
        for _ in client.watch(CONFIG_MAP, Scope(api.namespace), Start(), dict[str, Any]):
            waiter.is_waiting.set()

    waiter = Waiter(watch)
    assert waiter.is_waiting.wait(SOON)
    began = time.monotonic()
    client.cut()
    waiter.end()
    assert time.monotonic() - began < SOON / 2


def test_nothing_is_asked_after_that(api: ApiUnderTest) -> None:
    client = SyncClient(api.access)
    assert client.list(CONFIG_MAP, Scope(api.namespace, labels="nobody=has-it")) == []
    client.cut()
    client.cut()
    with pytest.raises(CutOffError, match="was given up"):
        client.list(CONFIG_MAP, Scope(api.namespace))


def test_a_call_that_is_tried_again_and_again_is_given_up() -> None:
    client = SyncClient(Access("http://127.0.0.1:1"))

    def ask(waiter: Waiter) -> None:
        waiter.is_waiting.set()
        client.list(CONFIG_MAP)

    waiter = Waiter(ask)
    assert waiter.is_waiting.wait(SOON)
    client.cut()
    waiter.end()
