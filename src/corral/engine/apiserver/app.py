"""The application: authentication, limits, and the few documents beside the API; every failure becomes a Status here."""

import hmac
import os
import sys
import time
import traceback
from base64 import b64encode
from collections.abc import Callable

from corral import __version__
from corral.engine.apiserver import discovery, failures
from corral.engine.apiserver.api import Api
from corral.engine.apiserver.health import Health
from corral.engine.apiserver.http.negotiation import form_of
from corral.engine.apiserver.http.origin import refuse_foreign
from corral.engine.apiserver.http.request import Message, Receive, Request, Send
from corral.engine.apiserver.http.response import Answer, Response, Stream, document, failed, text
from corral.engine.apiserver.http.target import target_of
from corral.engine.apiserver.metrics import Metrics
from corral.engine.apiserver.openapi import Publication
from corral.engine.apiserver.upkeep import Upkeep
from corral.engine.apiserver.world import World
from corral.kinds.log_links import PREFIX as LOG_LINKS

KUBERNETES_VERSION = "v1.34.2"
"""The release whose behaviour this server follows."""
MOST_IN_FLIGHT = 400
"""Requests under way at once, watches aside; more are told to come back."""
HEALTH_PATHS = frozenset(("/healthz", "/livez", "/readyz"))
"""What is answered without a token and under any load: whoever asks decides whether we are started anew."""
OPEN_PATHS = frozenset(("/version", "/version/"))
"""What else may be read without a token, as on a real server."""

TOKEN_HEADER = b"impersonate-extra-corral-token"
"""Where client-go shows the token: over plain HTTP it sends no credentials, but whom it acts for. See decision 0010."""


class App:
    """The ASGI application of one server."""

    def __init__(self, world: World, token: str, address: str, upkeep: Upkeep) -> None:
        self._world = world
        self._api = Api(world)
        self._token = token.encode()
        # Clients may also put it into the user part of the address, which they send as basic authentication.
        self._accepted = (b"Bearer " + token.encode(), b"Basic " + b64encode(f"corral:{token}".encode()))
        self._address = address
        self._openapi = Publication(world.catalog)
        self.metrics = Metrics()
        self._health = Health(world, upkeep)
        self._documents: dict[str, Callable[[], Response]] = {
            "/version": lambda: document(200, version_info()),
            "/version/": lambda: document(200, version_info()),  # as the published paths, and so some clients, spell it
            "/metrics": lambda: text(200, self.metrics.text(world)),
            "/": self._paths,
        }

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers one HTTP request."""
        if scope["type"] != "http":
            raise RuntimeError(f"this server speaks HTTP only, not {scope['type']}")
        began = time.perf_counter()
        self.metrics.in_flight += 1
        try:
            answer = await self._answered(scope, receive)
        finally:
            self.metrics.in_flight -= 1
        self.metrics.observe(scope["method"], answer.status, time.perf_counter() - began)
        await answer.send(send)

    async def _answered(self, scope: Message, receive: Receive) -> Answer:
        try:
            return await self._answer(Request(scope, receive))
        except failures.ApiFailure as failure:
            return failed(failure)
        except Exception as error:  # noqa: BLE001 - the last line of defence: a bug is a 500, never a dead connection
            traceback.print_exc(file=sys.stderr)
            return failed(failures.internal(f"{type(error).__name__} in {scope['method']}; the log has the story"))

    async def _answer(self, request: Request) -> Answer:
        path = request.path
        refuse_foreign(request.headers)
        if path in HEALTH_PATHS:
            return _for_reading(request, lambda: self._health.answer(path, request.query))
        if path.startswith(LOG_LINKS):
            # Loaded with the first page that is read, like all that asks nodes. Its link is signed, and so needs no token.
            from corral.engine.apiserver.nodes.log_pages import log_page

            return await log_page(self._world, self._token.decode(), request)
        if path not in OPEN_PATHS and not self._is_known(request):
            raise failures.unauthorized()
        if self.metrics.in_flight > MOST_IN_FLIGHT and path not in OPEN_PATHS:
            self.metrics.refused += 1
            raise failures.too_many_requests("Too many requests, please try again later.")
        make = self._documents.get(path)
        if make is not None:
            return _for_reading(request, make)
        target = target_of(request.raw_path)
        if target is not None and self._world.catalog.serves(target.group, target.version):
            return await self._api.answer(request, target)
        return self._described(request)

    def _is_known(self, request: Request) -> bool:
        if hmac.compare_digest(request.headers.get(TOKEN_HEADER, b""), self._token):
            return True
        shown = request.headers.get(b"authorization", b"")
        return any(hmac.compare_digest(shown, accepted) for accepted in self._accepted)

    def _described(self, request: Request) -> Response:
        path = request.path.rstrip("/")
        accept = request.headers.get(b"accept", b"").decode("latin-1")
        catalog = self._world.catalog
        if path in ("/api", "/apis"):
            core = path == "/api"
            if discovery.wants_aggregated(accept):
                answer = document(200, discovery.aggregated(catalog, core))
                answer.content_type = discovery.AGGREGATED_TYPE.encode()
                return answer
            return document(200, discovery.api_versions(self._address) if core else discovery.api_group_list(catalog))
        if path.startswith("/openapi/"):
            found = self._openapi.answer(path, request.query, accept)
            if found is not None:
                return found
            return Response(404, b"", b"")
        found_document = self._group_document(path)
        if found_document is not None:
            return document(200, found_document, form_of(request.headers.get(b"accept", b"")))
        if discovery.is_of_kubernetes(path):
            raise failures.no_such_path()
        return text(404, "404 page not found\n")

    def _group_document(self, path: str) -> dict[str, object] | None:
        parts = path.split("/")[1:]
        grouped = discovery.groups(self._world.catalog)
        match parts:
            case ["api", "v1"]:
                return discovery.resource_list("v1", grouped[""]["v1"])
            case ["apis", group] if group and group in grouped:
                head = {"kind": "APIGroup", "apiVersion": "v1"}
                return head | discovery.api_group(group, grouped[group])
            case ["apis", group, version] if group and version in grouped.get(group, {}):
                return discovery.resource_list(f"{group}/{version}", grouped[group][version])
        return None

    def _paths(self) -> Response:
        paths = {"/api", "/apis", "/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}
        for group, versions in discovery.groups(self._world.catalog).items():
            root = f"/apis/{group}" if group else "/api"
            paths.update((root, *(f"{root}/{v}" for v in versions)))
        return document(200, {"paths": sorted(paths)})


def _for_reading(request: Request, make: Callable[[], Response]) -> Response:
    if request.method not in ("GET", "HEAD"):
        raise failures.method_not_allowed()
    return make()


def version_info() -> dict[str, str]:
    """Returns the document at /version: the Kubernetes release we follow, and who we are."""
    _, minor, _ = KUBERNETES_VERSION.split(".")
    return {
        "major": "1",
        "minor": minor,
        "gitVersion": f"{KUBERNETES_VERSION}+corral-{__version__}",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": sys.implementation.name,
        "platform": f"{sys.platform}/{os.uname().machine}",
    }


__all__ = ["App", "Stream"]
