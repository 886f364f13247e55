"""A plain page with the logs of a job, for whoever has a signed link: no token, no script, no style, nothing but text.

Only what pods that are there have printed lately is shown, merged by time and marked with its pod. What is held is bounded.
"""

import asyncio
from collections.abc import Iterable
from typing import Final, NamedTuple

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.http.response import BrokenOffError, Response, text
from corral.engine.apiserver.nodes.conversation import ask
from corral.engine.apiserver.nodes.finding import endpoint_for
from corral.engine.apiserver.nodes.refusals import refusal
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.world import World
from corral.kinds.log_links import link_in
from corral.kinds.training.label_names import (
    BATCH_JOB_NAME,
    JOB_NAME,
    REPLICA_INDEX,
    REPLICA_TYPE,
    TRAINING_CONTAINERS,
)

MOST_PODS: Final = 64
LINES: Final = 2_000
"""So many of the last lines of each pod are shown."""
MOST_BYTES: Final = 256 << 10
"""And of these no more than so many bytes."""
_AT_ONCE: Final = 8
_HEADERS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; sandbox"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
]
"""A log is text, whatever a program prints into it; and its address is for nobody else."""
_REFUSED: Final = "This link is not valid, or no longer. `corral logviewer JOB` makes another.\n"


class _Said(NamedTuple):
    """A line, and when it was said."""

    stamp: str
    label: str
    line: str


async def log_page(world: World, token: str, request: Request) -> Response:
    """Answers with the logs of the job that a link names."""
    if request.method != "GET":
        raise failures.method_not_allowed()
    link = link_in(request.path, request.query)
    is_good = link is not None and link.is_signed(token, request.query.get("signature", ""))
    if link is None or not is_good or link.expires < world.now():
        return _plain(403, _REFUSED)
    pods = _pods(world, link.namespace, link.job)
    shown = pods[:MOST_PODS]
    turns = asyncio.Semaphore(_AT_ONCE)
    logs = await asyncio.gather(*(_said(world, pod, turns) for pod in shown))
    return _plain(200, _page(link.namespace, link.job, len(pods), [line for log in logs for line in log]))


def _plain(status: int, content: str) -> Response:
    answer = text(status, content)
    answer.headers += _HEADERS
    return answer


def _pods(world: World, namespace: str, job: str) -> list[Object]:
    """Returns the pods of a job, by role and rank, or the pod of this name."""
    pods = world.catalog.find("", "v1", "pods")
    assert pods is not None
    found = [entry.decoded() for entry in world.store.collection(pods.storage_key).scan(namespace, "")]
    own = [pod for pod in found if job in (_labels(pod).get(JOB_NAME), _labels(pod).get(BATCH_JOB_NAME))]
    return sorted(own or [pod for pod in found if pod["metadata"]["name"] == job], key=_place)


def _place(pod: Object) -> tuple[str, int, str]:
    labels = _labels(pod)
    index = labels.get(REPLICA_INDEX, "")
    return labels.get(REPLICA_TYPE, ""), int(index) if index.isdecimal() else 0, pod["metadata"]["name"]


def _labels(pod: Object) -> dict[str, str]:
    return pod["metadata"].get("labels") or {}


async def _said(world: World, pod: Object, turns: asyncio.Semaphore) -> list[_Said]:
    """Returns the last lines of a pod; why there are none is a line too."""
    labels = _labels(pod)
    label = "-".join(part for part in (labels.get(REPLICA_TYPE), labels.get(REPLICA_INDEX)) if part)
    label = label or pod["metadata"]["name"]
    async with turns:
        try:
            content = await _last_lines(world, pod)
        except failures.ApiFailure as failure:
            return [_Said("", label, f"(no log: {failure.message})")]
    found = [line.partition(" ") for line in content.splitlines()]
    return [_Said(stamp, label, line) for stamp, _, line in found]


async def _last_lines(world: World, pod: Object) -> str:
    endpoint = endpoint_for(world, pod)
    if endpoint is None:
        raise failures.bad_request("it has no node yet")
    meta = pod["metadata"]
    path = f"/containerLogs/{meta['namespace']}/{meta['name']}/{_container(pod)}?tailLines={LINES}&timestamps=true"
    answer = await ask(endpoint, path, world.node_token)
    if answer.status != 200:
        raise refusal(answer.status, await answer.text(), meta["name"])
    body = b""
    try:
        async for piece in answer.pieces():
            body = (body + piece)[-MOST_BYTES:]
    except BrokenOffError:
        raise failures.internal("the node broke its answer off") from None
    if len(body) == MOST_BYTES:
        body = body.partition(b"\n")[2]
    return body.decode("utf-8", "replace")


def _container(pod: Object) -> str:
    names = [str(one["name"]) for one in (pod.get("spec") or {}).get("containers") or ()]
    return next((name for name in names if name in TRAINING_CONTAINERS), names[0] if names else "")


def _page(namespace: str, job: str, pods: int, said: Iterable[_Said]) -> str:
    lines = sorted(said, key=lambda one: one.stamp)
    marked = len({one.label for one in lines}) > 1
    head = f"# {namespace}/{job}: the last {LINES} lines of each pod; reload for more\n"
    if pods > MOST_PODS:
        head += f"# {pods} pods; the first {MOST_PODS} are shown\n"
    if not lines:
        head += "# there is nothing yet, or no pod any more\n"
    return head + "\n" + "".join(f"[{one.label}] {one.line}\n" if marked else f"{one.line}\n" for one in lines)
