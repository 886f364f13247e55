"""Volcano's queues, on both servers: they count from when their kind is installed until it goes, each for itself."""

from collections.abc import Iterator

import pytest

from corral.control.scheduling.queueing.followed_queues import VOLCANO_QUEUE
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.names import VOLCANO_QUEUE as LABEL
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION, EVENT
from corral.ports.object_store import Scope
from corral.ports.refusals import NotFoundError
from tests.scheduling.cluster import GPU, Cluster

pytest_plugins = ["corral.testing.api_servers"]

DEFINITION: Object = {
    "metadata": {"name": VOLCANO_QUEUE.qualified},
    "spec": {
        "group": VOLCANO_QUEUE.group,
        "scope": "Cluster",
        "names": {"kind": "Queue", "listKind": "QueueList", "plural": "queues", "singular": "queue"},
        "versions": [
            {
                "name": VOLCANO_QUEUE.version,
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


@pytest.fixture
def volcano(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster that loses Volcano's kind in the end, if it still has it."""
    cluster.node("a", 8)
    yield cluster
    uninstall(cluster)


def install(cluster: Cluster) -> None:
    cluster.client.create(CUSTOM_RESOURCE_DEFINITION, DEFINITION)
    cluster.wait(lambda: is_served(cluster))


def uninstall(cluster: Cluster) -> None:
    try:
        cluster.client.delete(CUSTOM_RESOURCE_DEFINITION, ObjectKey("", VOLCANO_QUEUE.qualified))
    except NotFoundError:
        pass  # the test took it away itself


def is_served(cluster: Cluster) -> bool:
    try:
        cluster.client.list(VOLCANO_QUEUE)
    except NotFoundError:
        return False
    return True


def queue(cluster: Cluster, name: str, **spec: object) -> str:
    full = f"{name}-{cluster.token}"
    head = {"apiVersion": VOLCANO_QUEUE.api_version, "kind": VOLCANO_QUEUE.kind}
    cluster.client.create(VOLCANO_QUEUE, {**head, "metadata": {"name": full}, "spec": spec})
    return full


def in_queue(cluster: Cluster, name: str, named: str) -> None:
    cluster.pod(name, metadata={"annotations": {LABEL: named}})


def test_they_count_while_their_kind_is_installed_and_a_bad_one_hurts_only_itself(volcano: Cluster) -> None:
    with volcano.scheduler():
        in_queue(volcano, "before", f"broken-{volcano.token}")
        volcano.wait(volcano.places, lambda places: places.keys() == {"before"})
        install(volcano)
        small = queue(volcano, "small", capability={GPU: 1})
        broken = queue(volcano, "broken", capability={"cpu": "many"})
        volcano.wait(lambda: told_of(volcano, broken))
        in_queue(volcano, "stuck", broken)
        for name in ("first", "second"):
            in_queue(volcano, name, small)
        stuck = volcano.wait(lambda: volcano.condition("stuck").get("message", ""))
        assert stuck.startswith(f"The terms of queue {broken} cannot be read: an amount cannot be read: ")
        volcano.wait(lambda: len(volcano.places()), lambda bound: bound == 2)
        uninstall(volcano)
        volcano.wait(volcano.places, lambda places: places.keys() == {"before", "stuck", "first", "second"})


def told_of(cluster: Cluster, name: str) -> list[str]:
    """Returns what events say of a queue; those of objects without a namespace are in `default`."""
    events = cluster.client.list(EVENT, Scope("default"))
    return [one["message"] for one in events if one["involvedObject"].get("name") == name]
