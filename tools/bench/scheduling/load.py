"""What is scheduled: nodes of eight GPUs that nobody runs, single pods, and gangs."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from time import monotonic
from typing import Any

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.engine.fake_nodes.fleet import fleet_of
from corral.engine.fake_nodes.node_words import node_object
from corral.kinds.objects import Object, key_of
from corral.kinds.pod_view import PodView
from corral.kinds.scheduling.names import GANG, GANG_SIZE
from corral.kinds.well_known import NAMESPACE, NODE, POD, SERVICE_ACCOUNT
from corral.ports.object_store import AT_ONCE, Change, Patch, Scope, Start
from tools.bench.pods import pod

NAME = "bench"
_AT_ONCE = 24


async def make_nodes(client: AsyncClient, words: Iterable[str]) -> int:
    """Registers nodes that are ready, and returns how many there are."""
    nodes = [node_object(one, "127.0.0.1", 0.0) for one in fleet_of(tuple(words))]
    await _each(nodes, lambda one: _make_node(client, one))
    return len(nodes)


async def _make_node(client: AsyncClient, node: Object) -> None:
    """Registers a node and takes the taint away that a server gives to new ones, as the controller of nodes would."""
    made = await client.create(NODE, {"apiVersion": "v1", "kind": "Node", **node})
    await client.patch(NODE, key_of(made), Patch("merge", {"spec": {"taints": None}}))


async def make_namespace(client: AsyncClient) -> None:
    """Makes the namespace, and the account without which no pod is admitted."""
    await client.create(NAMESPACE, {"metadata": {"name": NAME}})
    await client.create(SERVICE_ACCOUNT, {"metadata": {"name": "default", "namespace": NAME}})


def single(number: int, scheduler: str) -> Object:
    """Returns a pod of one GPU, with what pods of training jobs carry."""
    return _pod(f"single-{number:05}", number, scheduler)


def member(gang: int, index: int, size: int, scheduler: str) -> Object:
    """Returns a pod of a gang, of one GPU."""
    made = _pod(f"gang-{gang:04}-{index}", gang * size + index, scheduler)
    made["metadata"]["labels"][GANG] = f"gang-{gang:04}"
    made["metadata"]["annotations"][GANG_SIZE] = str(size)
    return made


def _pod(name: str, number: int, scheduler: str) -> Object:
    made: Object = pod(name, number)
    made["metadata"]["namespace"] = NAME
    made["spec"]["schedulerName"] = scheduler
    del made["spec"]["volumes"], made["spec"]["containers"][0]["volumeMounts"]  # there is nobody to bind claims
    return made


async def make_pods(client: AsyncClient, pods: list[Object]) -> None:
    """Creates pods, a few at a time."""
    await _each(pods, lambda one: client.create(POD, one))


async def _each(items: Iterable[Object], act: Any) -> None:
    left = iter(items)

    async def some() -> None:
        for one in left:
            await act(one)

    await asyncio.gather(*(some() for _ in range(_AT_ONCE)))


class Sight:
    """Counts bound pods as the server tells of them."""

    def __init__(self) -> None:
        self.first = 0.0
        self.last = 0.0
        self.nodes: dict[str, str] = {}
        self.moments: dict[str, float] = {}

    async def watch(self, client: AsyncClient, wanted: int) -> None:
        """Returns when so many pods are bound."""
        scope = Scope(NAME, fields="spec.nodeName!=")
        changes: AsyncGenerator[Any, None] = client.watch(POD, scope, Start("0", timeout_seconds=1200), PodView)
        async with aclosing(changes) as batches:
            async for batch in batches:
                self._take(batch)
                if len(self.nodes) >= wanted:
                    return

    def _take(self, batch: Iterable[Change[PodView]]) -> None:
        now = monotonic()
        for change in batch:
            if change.object is not None and change.object.name not in self.nodes:
                self.nodes[change.object.name] = change.object.node
                self.moments[change.object.name] = now
                self.first = self.first or now
                self.last = now


async def remove_pods(client: AsyncClient) -> None:
    """Deletes all pods; those that no node runs are gone at once."""
    for pod_there in await client.list(POD, Scope(NAME)):
        await client.delete(POD, key_of(pod_there), AT_ONCE)
