"""The HTTPS server of a node, on the loopback address."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from weakref import WeakSet

import msgspec
from aiohttp import web

from corral.adapters.kubelet_api.admission import Admission, tls_of
from corral.adapters.kubelet_api.certificate import Certificate
from corral.adapters.kubelet_api.channels import Wanted, wanted_in
from corral.adapters.kubelet_api.doors import DoorClosedError, Doors, Place
from corral.adapters.kubelet_api.session import run_attached, run_command
from corral.adapters.kubelet_api.spdy_channels import PROTOCOL as SPDY
from corral.adapters.kubelet_api.spdy_channels import SpdyChannels, spdy_channels
from corral.adapters.kubelet_api.websocket_channels import WebSocketChannels, websocket_channels
from corral.kinds.objects import Object

_log = logging.getLogger(__name__)

ADDRESS = "127.0.0.1"
OPEN_PATHS = frozenset(("/healthz",))
NO_FORWARDING = "this node does not forward ports; its pods listen on this machine, so connect to them directly"
_LEAVE_SECONDS = 1.0
_CONTAINER = "/{namespace}/{pod}/{container}"
_FOLLOWED = {"follow": "true", "tailLines": "0"}

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class KubeletServer:
    """Serves while entered; `port` is known then. With no credential in `admission` only health is told."""

    def __init__(self, doors: Doors, certificate: Certificate, admission: Admission, port: int = 0) -> None:
        self.port = port
        self.open_streams = 0
        """How many logs and commands are under way."""
        self._doors = doors
        self._certificate = certificate
        self._admission = admission
        self._runner: web.AppRunner | None = None
        self._transports: WeakSet[asyncio.WriteTransport] = WeakSet()

    async def __aenter__(self) -> "KubeletServer":
        app = web.Application(middlewares=[self._guarded])
        app.router.add_get("/healthz", self._health)
        app.router.add_get("/pods", self._pods)
        app.router.add_get("/stats/summary", self._summary)
        app.router.add_get(f"/containerLogs{_CONTAINER}", self._log)
        for method in ("GET", "POST"):
            app.router.add_route(method, f"/exec{_CONTAINER}", self._exec)
            app.router.add_route(method, f"/attach{_CONTAINER}", self._attach)
            app.router.add_route(method, "/portForward/{namespace}/{pod}", self._forward)
        # A reader that goes must end the handler, which may wait for a line that never comes.
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=_LEAVE_SECONDS)
        await runner.setup()
        self._runner = runner
        try:
            context = tls_of(self._certificate, self._admission.client_ca)
            await web.TCPSite(runner, ADDRESS, self.port, ssl_context=context).start()
        except OSError:
            await runner.cleanup()
            raise
        self.port = int(runner.addresses[0][1])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        # The farewell of TLS may take longer than the loop lives, and nobody waits for it.
        for transport in self._transports:
            transport.abort()
        for _turn in range(3):
            await asyncio.sleep(0)

    @web.middleware
    async def _guarded(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        transport = request.transport
        if isinstance(transport, asyncio.WriteTransport):
            self._transports.add(transport)
        shown = None if transport is None else transport.get_extra_info("peercert")
        is_known = self._admission.lets_in(request.headers.get("Authorization", ""), shown)
        if not is_known and request.path not in OPEN_PATHS:
            return web.Response(status=401, text="Unauthorized")
        try:
            return await handler(request)
        except DoorClosedError as refusal:
            return web.Response(status=refusal.status, text=refusal.message)

    async def _health(self, _: web.Request) -> web.Response:
        ailment = self._doors.ailment()
        return web.Response(status=500 if ailment else 200, text=ailment or "ok")

    async def _pods(self, _: web.Request) -> web.Response:
        return _document({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": list(self._doors.pods())})

    async def _summary(self, _: web.Request) -> web.Response:
        return _document(await self._doors.summary())

    async def _log(self, request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
        answer.enable_chunked_encoding()
        said = self._doors.log(_place(request), request.query)
        self.open_streams += 1
        try:
            async with aclosing(said) as pieces:
                await answer.prepare(request)
                async for piece in pieces:
                    await answer.write(piece)
            await answer.write_eof()
        except OSError as error:
            # Not all of it was said, and an answer without an end tells so.
            _log.warning("log broken off", extra={"path": request.path, "why": str(error)})
            if request.transport is not None:
                request.transport.abort()
        finally:
            self.open_streams -= 1
        return answer

    async def _exec(self, request: web.Request) -> web.StreamResponse:
        place, wanted = _place(request), wanted_in(list(request.query.items()))
        if not wanted.argv:
            raise DoorClosedError(400, "you must specify at least 1 command for the container")
        if not (wanted.stdin or wanted.stdout or wanted.stderr):
            raise DoorClosedError(400, "you must specify at least 1 of stdin, stdout, stderr")
        channels = await _channels(request, wanted)
        self.open_streams += 1
        try:
            await run_command(channels, wanted, lambda streams: self._doors.run(place, wanted.argv, streams))
        finally:
            self.open_streams -= 1
        return channels.response

    async def _attach(self, request: web.Request) -> web.StreamResponse:
        place = _place(request)
        channels = await _channels(request, wanted_in(list(request.query.items())))
        self.open_streams += 1
        try:
            await run_attached(channels, lambda: self._doors.log(place, _FOLLOWED))
        finally:
            self.open_streams -= 1
        return channels.response

    async def _forward(self, _: web.Request) -> web.StreamResponse:
        raise DoorClosedError(501, NO_FORWARDING)


async def _channels(request: web.Request, wanted: Wanted) -> WebSocketChannels | SpdyChannels:
    """Returns the channels that an upgrade asks for."""
    upgrade = request.headers.get("Upgrade", "")
    if upgrade.lower() == "websocket":
        return await websocket_channels(request)
    if upgrade.upper() == SPDY:
        return await spdy_channels(request, wanted)
    raise DoorClosedError(400, f"a WebSocket or {SPDY} is needed here" + (f", not {upgrade}" if upgrade else ""))


def _place(request: web.Request) -> Place:
    named = request.match_info
    return Place(named["namespace"], named["pod"], named["container"])


def _document(content: Object) -> web.Response:
    return web.Response(body=msgspec.json.encode(content), content_type="application/json")
