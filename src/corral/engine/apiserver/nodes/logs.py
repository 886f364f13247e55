"""GET pods/NAME/log: what the container said, from the node that runs it, as it says it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.negotiation import AVAILABLE, form_of
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.http.response import Answer, Response, Stream
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.nodes.conversation import NodeAnswer, ask, unless_gone
from corral.engine.apiserver.nodes.finding import endpoint_for
from corral.engine.apiserver.nodes.location import Endpoint, container_of
from corral.engine.apiserver.nodes.log_options import log_options
from corral.engine.apiserver.nodes.refusals import refusal
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.rest.reading import entry_of
from corral.engine.apiserver.world import World

_TEXT = b"text/plain"


async def read_log(world: World, resource: Resource, target: Target, request: Request) -> Answer:
    """Answers with a container's log; a pod that has no node yet has said nothing."""
    _check_form(request.headers.get(b"accept", b""))
    chosen = log_options(request.query, target.name)
    pod = entry_of(world, resource, target).decoded()
    container = container_of(pod, chosen.container)
    endpoint = endpoint_for(world, pod)
    if endpoint is None:
        return Response(204, b"", b"")
    query = chosen.for_node()
    path = f"/containerLogs/{target.namespace}/{target.name}/{container}"
    return await _passed_on(world, endpoint, f"{path}?{query}" if query else path, target.name, request)


async def _passed_on(world: World, endpoint: Endpoint, path: str, pod: str, request: Request) -> Answer:
    gone = asyncio.ensure_future(request.disconnected())
    try:
        answer = await unless_gone(ask(endpoint, path, world.node_token), gone)
        if not 200 <= answer.status <= 206:
            raise refusal(answer.status, await answer.text(), pod)
        done = world.streams.begin(answer.abort)
    except BaseException:
        gone.cancel()
        raise
    gone.add_done_callback(lambda _: answer.abort())

    def ended() -> None:
        gone.cancel()
        answer.abort()
        done()

    return Stream(_said(answer), _TEXT, ended=ended)


async def _said(answer: NodeAnswer) -> AsyncGenerator[bytes, None]:
    async with aclosing(answer.pieces()) as pieces:
        async for piece in pieces:
            yield piece


def _check_form(accept: bytes) -> None:
    """Refuses forms that a log cannot have; like a real server, also the one that it does have."""
    refused = failures.ApiFailure(
        406, "NotAcceptable", f"only the following media types are accepted: {', '.join(AVAILABLE)}"
    )
    try:
        form = form_of(accept)
    except failures.ApiFailure:
        if b"text/plain" in accept:
            raise refused from None
        raise
    if form.shape != "object":
        raise refused
