"""pods/exec and pods/attach: a WebSocket or SPDY between a client and the node of a pod, passed through as it is.

The node is asked first; only its consent is passed on, and from then on bytes, in both directions, with little held of
either. A refusal is told as the Status that it is.
"""

import asyncio

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.http.tunnel import Tunnel
from corral.engine.apiserver.nodes.conversation import (
    HEAD_SECONDS,
    NodeAnswer,
    connected,
    head_of,
    unless_gone,
)
from corral.engine.apiserver.nodes.finding import endpoint_for
from corral.engine.apiserver.nodes.location import Endpoint, container_of
from corral.engine.apiserver.nodes.refusals import refusal, undialled
from corral.engine.apiserver.nodes.stream_options import stream_options
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.rest.reading import entry_of
from corral.engine.apiserver.world import World

_PASSED_ON = {
    "websocket": (
        b"sec-websocket-key",
        b"sec-websocket-version",
        b"sec-websocket-protocol",
        b"sec-websocket-extensions",
    ),
    "spdy/3.1": (b"x-stream-protocol-version",),
}
"""What of the client's handshake the node needs, for each protocol that it speaks."""
_END_OF_HEAD = b"\r\n\r\n"


async def open_tunnel(world: World, resource: Resource, target: Target, request: Request) -> Tunnel:
    """Answers an upgrade with a tunnel to the node of the pod."""
    chosen = stream_options(request.raw_query)
    pod = entry_of(world, resource, target).decoded()
    container = container_of(pod, chosen.container)
    endpoint = endpoint_for(world, pod)
    if endpoint is None:
        raise failures.bad_request(f"pod {target.name} does not have a host assigned")
    if request.upgrade not in _PASSED_ON:
        raise failures.bad_request("Upgrade request required")
    path = f"/{target.subresource}/{target.namespace}/{target.name}/{container}?{chosen.for_node}"
    gone = asyncio.ensure_future(request.disconnected())
    try:
        return await unless_gone(_agreed(world, endpoint, path, target, request), gone)
    finally:
        gone.cancel()


async def _agreed(world: World, endpoint: Endpoint, path: str, target: Target, request: Request) -> Tunnel:
    try:
        node = await connected(endpoint, f"https://{endpoint}{path}")
    except failures.ApiFailure as failure:
        raise undialled(failure) from None
    try:
        node[1].write(_head(endpoint, path, world.node_token, request))
        head = await _answer_head(node[0])
        if head.split(maxsplit=2)[1] != b"101":
            answer = NodeAnswer(*node)
            await answer.begin(head)
            raise refusal(answer.status, await answer.text(), target.name, f"pods/{target.subresource}")
        return Tunnel(head, node, request.take_over, world.streams.begin)
    except BaseException:
        node[1].transport.abort()
        raise


def _head(endpoint: Endpoint, path: str, token: str, request: Request) -> bytes:
    """Returns the request for the node: the client's own handshake, and nothing else of what it sent."""
    kept = _PASSED_ON[request.upgrade]
    passed_on = [f"{name.decode()}: {value.decode('latin-1')}" for name, value in request.header_lines if name in kept]
    upgrade = ("Connection: Upgrade", f"Upgrade: {request.headers[b'upgrade'].decode('latin-1')}")
    return head_of(request.method, path, endpoint, token, *upgrade, *passed_on)


async def _answer_head(reader: asyncio.StreamReader) -> bytes:
    try:
        async with asyncio.timeout(HEAD_SECONDS):
            return await reader.readuntil(_END_OF_HEAD)
    except (TimeoutError, asyncio.LimitOverrunError):
        raise failures.internal("the node does not answer") from None
    except (asyncio.IncompleteReadError, OSError):
        raise failures.internal("the node closed the connection") from None
