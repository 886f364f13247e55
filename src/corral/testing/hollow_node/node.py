"""The hollow node as a whole: its Node object, its endpoint, its player, and a thread to run them in."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.control.runtime import runtime_of
from corral.errors import RetryError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE
from corral.ports.object_store import Patch, Scope
from corral.ports.refusals import AlreadyExistsError, NotFoundError
from corral.testing.control_plane.loopback import ADDRESS
from corral.testing.hollow_node.endpoint import Endpoint
from corral.testing.hollow_node.log_book import Container, LogBook
from corral.testing.hollow_node.script import Script
from corral.testing.hollow_node.scripted_pods import ScriptedPods

HEARTBEAT_SECONDS = 10.0
"""A controller of real clusters gives up on a node after some forty seconds of silence."""
_START_SECONDS = 30.0


class HollowNode:
    """Registered and serving while entered; with a script it plays pods as well, without one it only answers."""

    def __init__(
        self, access: Access, script: Script | None = None, *, name: str = "hollow-node", namespace: str = ""
    ) -> None:
        self.name = name
        self.book = LogBook()
        self.endpoint = Endpoint(self.book, name)
        self._access = access
        self._script = script
        self._scope = Scope(namespace)
        self._stack = AsyncExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> "HollowNode":
        self._loop = asyncio.get_running_loop()
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(AsyncClient(self._access, manager="hollow-node"))
            await stack.enter_async_context(self.endpoint)
            await self._register(client)
            stack.push_async_callback(self._leave, client)
            self._keep(stack, self._beat(client))
            if self._script is not None:
                await self._play(stack, client, self._script)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def say(self, container: Container, *lines: str) -> None:
        """Lets a container print lines; may be called from any thread while the node is entered."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.book.say, container, *lines)

    def begin_again(self, container: Container) -> None:
        """Ends the run of a container and serves the log of another; the API is told nothing. May be called from any thread."""
        assert self._loop is not None
        self.cut(container)
        self._loop.call_soon_threadsafe(self.book.begin, container)

    def cut(self, container: Container) -> None:
        """Ends what is being read of a container; the API is told nothing. May be called from any thread."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.book.end, container)

    async def _play(self, stack: AsyncExitStack, client: AsyncClient, script: Script) -> None:
        runtime = runtime_of(client, clock=SystemClock(), randomness=SystemRandomness(), component="hollow-node")
        played = ScriptedPods(runtime, self.name, script, self.book, self._scope)
        self._keep(stack, runtime.caches.run())
        self._keep(stack, played.run())
        await played.pods.wait_synced()

    def _keep(self, stack: AsyncExitStack, work: Coroutine[Any, Any, None]) -> None:
        """Runs something until the node leaves."""
        task = asyncio.get_running_loop().create_task(work)

        async def end() -> None:
            task.cancel()
            await asyncio.wait([task])

        stack.push_async_callback(end)

    async def _register(self, client: AsyncClient) -> None:
        """Registers anew: a node of this name that was left behind may still name a port of the past."""
        with suppress(AlreadyExistsError):
            await client.create(
                NODE, {"metadata": {"name": self.name, "labels": {"kubernetes.io/hostname": self.name}}}
            )
        await client.patch(NODE, self._key, Patch("merge", {"status": self._status()}), subresource="status")

    async def _leave(self, client: AsyncClient) -> None:
        with suppress(NotFoundError, RetryError):
            await client.delete(NODE, self._key)

    async def _beat(self, client: AsyncClient) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            body = {"status": {"conditions": [_ready()]}}
            with suppress(RetryError, NotFoundError):
                await client.patch(NODE, self._key, Patch("merge", body), subresource="status")

    @property
    def _key(self) -> ObjectKey:
        return ObjectKey("", self.name)

    def _status(self) -> Object:
        amounts = {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1000Gi", "pods": "1000"}
        return {
            "addresses": [{"type": "InternalIP", "address": ADDRESS}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self.endpoint.port}},
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [_ready()],
        }


def _ready() -> Object:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    told = {"reason": "KubeletReady", "message": "the hollow node is there"}
    return {"type": "Ready", "status": "True", "lastHeartbeatTime": now, "lastTransitionTime": now, **told}


@contextmanager
def hollow_node_thread(
    access: Access, script: Script | None = None, *, name: str = "hollow-node", namespace: str = ""
) -> Iterator[HollowNode]:
    """Runs a hollow node in a thread of its own, for tests that have no loop; yields when it is registered."""
    node = HollowNode(access, script, name=name, namespace=namespace)
    is_ready, failures = threading.Event(), list[BaseException]()
    stopping: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def run() -> None:
        stop = asyncio.Event()
        stopping.append((asyncio.get_running_loop(), stop))
        async with node:
            is_ready.set()
            await stop.wait()

    def work() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:  # noqa: BLE001 - told to the thread that waits
            failures.append(error)
        finally:
            is_ready.set()

    thread = threading.Thread(target=work, name=name)
    thread.start()
    try:
        is_in_time = is_ready.wait(_START_SECONDS)
        if failures:
            raise failures[0]
        if not is_in_time:
            raise TimeoutError(f"the hollow node was not there within {_START_SECONDS:g} s")
        yield node
    finally:
        if stopping and thread.is_alive():
            loop, stop = stopping[0]
            loop.call_soon_threadsafe(stop.set)
        thread.join()
