"""The endpoint of a hollow node: HTTPS on the loopback address with a certificate of its own, for logs only."""

import asyncio
import ssl
import tempfile
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakSet

from aiohttp import web

from corral.engine.node.logs.asked import asked_in
from corral.testing.control_plane.certificates import Authority
from corral.testing.control_plane.loopback import ADDRESS
from corral.testing.hollow_node.log_book import Container, LogBook


class Endpoint:
    """Serves `/containerLogs/NAMESPACE/POD/CONTAINER` while entered; `port` is known then."""

    def __init__(self, book: LogBook, name: str) -> None:
        self.port: int = 0
        self.open_streams = 0
        """How many logs are being read just now."""
        self._book = book
        self._name = name
        self._runner: web.AppRunner | None = None
        self._transports: WeakSet[asyncio.WriteTransport] = WeakSet()

    async def __aenter__(self) -> "Endpoint":
        app = web.Application()
        app.router.add_get("/containerLogs/{namespace}/{pod}/{container}", self._logs)
        # A reader that goes must end the handler, which may wait for a line that never comes.
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, ADDRESS, 0, ssl_context=_self_signed(self._name)).start()
        self.port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        # The farewell of TLS may take longer than the loop lives, and nobody waits for it.
        for transport in self._transports:
            transport.abort()
        for _turn in range(3):
            await asyncio.sleep(0)

    async def _logs(self, request: web.Request) -> web.StreamResponse:
        if isinstance(request.transport, asyncio.WriteTransport):
            self._transports.add(request.transport)
        named = request.match_info
        container = Container(named["namespace"], named["pod"], named["container"])
        asked = asked_in(request.query, datetime.now(UTC))
        refusal = self._book.refusal(container, asked)
        if refusal:
            return web.Response(status=400, text=refusal)
        answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
        answer.enable_chunked_encoding()
        await answer.prepare(request)
        self.open_streams += 1
        try:
            async with aclosing(self._book.read(container, asked)) as lines:
                async for line in lines:
                    await answer.write(line)
        finally:
            self.open_streams -= 1
        await answer.write_eof()
        return answer


def _self_signed(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="corral-hollow-node-") as folder:
        pair = Authority(Path(folder), "node").issue("kubelet", user=f"system:node:{name}", hosts=[ADDRESS])
        context.load_cert_chain(pair.certificate, pair.key)
    return context
