"""The embedded API server and its clients within one event loop: the code of both, without sockets and processes.

Thousands of runs of a scenario become affordable, and a test can tell when nobody has anything left to say.
"""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from corral.adapters.kubernetes.access import DEFAULT_TIMEOUTS, Access
from corral.adapters.kubernetes.answers import Answer
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.async_transport import AsyncTransport
from corral.adapters.kubernetes.calls import Call
from corral.adapters.kubernetes.retrying import PATIENT
from corral.engine.apiserver.app import App
from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.upkeep import Upkeep
from corral.engine.apiserver.world import World

_TOKEN = "secret"
_ACCESS = Access("http://127.0.0.1:6443", token=_TOKEN, context="in-process")
_HEADERS = {"authorization": f"Bearer {_TOKEN}", "host": "127.0.0.1:6443", "user-agent": "corral"}

_CALM_ROUNDS = 25
"""Turns of the event loop without a word between client and server; a change needs fewer to reach a cache."""


class InProcessApi:
    """A server in this event loop; `close` it at the end."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._app = App(world, _TOKEN, "127.0.0.1:6443", Upkeep(world))
        self._tasks: set[asyncio.Task[None]] = set()
        self.under_way = 0
        """Requests that were not answered yet."""
        self.words = 0
        """Everything that was said so far, by either side."""

    @classmethod
    async def started(cls, folder: Path) -> "InProcessApi":
        """Returns a server over an empty state."""
        return cls(await started_world(folder))

    def client(self, manager: str = "corral") -> AsyncClient:
        """Returns a client of this server."""
        return _Client(self, manager)

    async def close(self) -> None:
        """Ends every stream and the store."""
        self._world.watches.close()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._world.store.close()

    async def calm(self) -> None:
        """Returns when nobody has said anything for a number of turns of the event loop."""
        quiet, heard = 0, self.words
        while quiet < _CALM_ROUNDS:
            await asyncio.sleep(0.0002 if self.under_way else 0)
            quiet = 0 if self.under_way or heard != self.words else quiet + 1
            heard = self.words

    def begin(self, call: Call) -> "Conversation":
        """Gives a request to the server, which finishes it even when its client goes away."""
        conversation = Conversation(self, call)
        task = asyncio.create_task(self._serve(conversation), name=f"server: {call.what}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return conversation

    async def _serve(self, conversation: "Conversation") -> None:
        await self._app(conversation.scope(), conversation.receive, conversation.send)


class Conversation:
    """One request and what comes back."""

    def __init__(self, api: InProcessApi, call: Call) -> None:
        self._api = api
        self._call = call
        self._asked = False
        self._gone = asyncio.Event()
        self._parts: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.head: asyncio.Future[tuple[int, dict[str, str]]] = asyncio.get_running_loop().create_future()
        api.under_way += 1
        api.words += 1

    def scope(self) -> dict[str, Any]:
        """Returns the request as ASGI describes it."""
        parts = urlsplit(self._call.target)
        headers = {**_HEADERS, "accept": self._call.accept}
        if self._call.body is not None:
            headers |= {"content-type": self._call.content_type, "content-length": str(len(self._call.body))}
        return {
            "type": "http",
            "method": self._call.method,
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }

    async def receive(self) -> dict[str, Any]:
        """Gives the server the body, and later the news that the client has gone."""
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": self._call.body or b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        """Takes what the server says."""
        self._api.words += 1
        if message["type"] == "http.response.start":
            if not self.head.done():
                headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
                self.head.set_result((message["status"], headers))
            self._api.under_way -= 1
            return
        self._parts.put_nowait(message.get("body", b""))
        if not message.get("more_body"):
            self._parts.put_nowait(None)

    async def part(self) -> bytes | None:
        """Returns the next part of the body, None at its end."""
        return await self._parts.get()

    async def whole(self) -> Answer:
        """Returns the whole answer."""
        status, headers = await self.head
        body = b""
        while (part := await self.part()) is not None:
            body += part
        return Answer(status, headers, body)

    def leave(self) -> None:
        """Tells the server that nobody listens any more."""
        self._gone.set()


class _Transport(AsyncTransport):
    def __init__(self, api: InProcessApi) -> None:
        super().__init__(_ACCESS, PATIENT, DEFAULT_TIMEOUTS)
        self._api = api

    async def _try(self, call: Call, shown: dict[str, str], streaming: float | None) -> Any:
        conversation = self._api.begin(call)
        try:
            return await conversation.whole(), None
        finally:
            conversation.leave()

    async def stream(self, call: Call, *, quiet_limit: float | None) -> AsyncGenerator[bytes, None]:
        """Yields the parts of an endless answer; an error comes as from any other transport."""
        conversation = self._api.begin(call)
        try:
            status, _ = await conversation.head
            if status >= 400:
                await self.send(call)
            yield b""
            while (part := await conversation.part()) is not None:
                if part:
                    yield part
        finally:
            conversation.leave()


class _Client(AsyncClient):
    def __init__(self, api: InProcessApi, manager: str) -> None:
        super().__init__(_ACCESS, manager=manager)
        self._transport = _Transport(api)
