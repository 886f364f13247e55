"""GET nodes/NAME/proxy/stats/summary: what a node and its pods use, as the node itself says.

It is the one path of nodes/proxy that is passed on: tools for usage read it, and nothing can be changed through it.
"""

import asyncio

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.http.response import BrokenOffError, Response
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.nodes.conversation import NodeAnswer, ask, unless_gone
from corral.engine.apiserver.nodes.location import Endpoint, endpoint_of
from corral.engine.apiserver.nodes.refusals import refusal
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.rest.reading import entry_of
from corral.engine.apiserver.world import World

MOST_BYTES = 16 << 20
"""A node with a thousand pods says a tenth of it."""


async def read_summary(world: World, resource: Resource, target: Target, request: Request) -> Response:
    """Answers with the summary of a node."""
    endpoint = endpoint_of(entry_of(world, resource, target).decoded())
    gone = asyncio.ensure_future(request.disconnected())
    try:
        return Response(200, await unless_gone(_summary(world, endpoint, target.name), gone))
    finally:
        gone.cancel()


async def _summary(world: World, endpoint: Endpoint, node: str) -> bytes:
    answer = await ask(endpoint, "/stats/summary", world.node_token)
    if answer.status != 200:
        raise refusal(answer.status, await answer.text(), node, "nodes/proxy")
    return await _whole(answer)


async def _whole(answer: NodeAnswer) -> bytes:
    body = b""
    try:
        async for piece in answer.pieces():
            body += piece
            if len(body) > MOST_BYTES:
                raise failures.internal(f"the node says more than {MOST_BYTES} bytes")
    except BrokenOffError:
        raise failures.internal("the node broke its answer off") from None
    return body
