"""A small HTTP server whose pages are functions, for probes of a kubelet and for Prometheus."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from typing import NamedTuple, Protocol

from aiohttp import web

from corral.errors import PermanentError


class Judgement(Protocol):
    """What a page of health is made of."""

    @property
    def part(self) -> str:
        """Returns what is judged."""

    @property
    def is_well(self) -> bool:
        """Returns whether it is well."""

    @property
    def detail(self) -> str:
        """Returns why, or how."""


class Shown(NamedTuple):
    """One page as it is now."""

    text: str
    status: int = 200
    content_type: str = "text/plain"


Page = Callable[[], Shown]


def health_page(judgements: Callable[[], Iterable[Judgement]]) -> Page:
    """Returns a page that is 200 while all parts are well and 503 otherwise, and names the parts, bad ones first."""

    def page() -> Shown:
        found = sorted(judgements(), key=lambda one: one.is_well)
        well = all(one.is_well for one in found)
        lines = [f"[{'+' if one.is_well else '-'}] {one.part}: {one.detail}" for one in found]
        return Shown("\n".join(["ok" if well else "not well", *lines]) + "\n", 200 if well else 503)

    return page


def metrics_page(text: Callable[[], str]) -> Page:
    """Returns a page in the text form of Prometheus."""
    return lambda: Shown(text(), content_type="text/plain; version=0.0.4")


class ProbeServer:
    """Serves while entered; `places` are pages by path, by address such as `:8081`. The address `0` serves nothing."""

    def __init__(self, places: Iterable[tuple[str, Mapping[str, Page]]]) -> None:
        self._places: dict[str, dict[str, Page]] = {}
        for address, pages in places:
            if address != "0":
                self._places.setdefault(address, {}).update(pages)
        self._open = AsyncExitStack()

    async def __aenter__(self) -> "ProbeServer":
        try:
            for address, pages in self._places.items():
                await self._serve(address, pages)
        except BaseException:
            await self._open.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    async def _serve(self, address: str, pages: Mapping[str, Page]) -> None:
        host, port = split_address(address)
        app = web.Application()
        for path, page in pages.items():
            app.router.add_get(path, _handler(page))
        runner = web.AppRunner(app, access_log=None, handle_signals=False)
        await runner.setup()
        self._open.push_async_callback(runner.cleanup)
        try:
            await web.TCPSite(runner, host or None, port).start()
        except OSError as error:
            hint = "is another operator running here? choose another address, or 0 for none"
            message = f"the address {address} cannot be listened on: {error.strerror or error}"
            raise PermanentError("no-address", message, hint=hint) from error


def split_address(address: str) -> tuple[str, int]:
    """Returns host and port of `:8080`, `127.0.0.1:8080` or `[::1]:8080`; no host means every interface."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        hint = "write HOST:PORT, :PORT, or 0 for none"
        raise PermanentError("bad-address", f'"{address}" is not an address to listen on', hint=hint)
    return host.strip("[]"), int(port)


def _handler(page: Page) -> Callable[[web.Request], "web._Handler"]:  # type: ignore[name-defined]
    async def handle(_: web.Request) -> web.Response:
        shown = page()
        return web.Response(body=shown.text.encode(), status=shown.status, headers={"Content-Type": shown.content_type})

    return handle
