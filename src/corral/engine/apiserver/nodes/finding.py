"""Finding the node of a pod in the store."""

from corral.engine.apiserver import failures
from corral.engine.apiserver.nodes.location import Endpoint, endpoint_of
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.rest.identity import key_for
from corral.engine.apiserver.world import World


def endpoint_for(world: World, pod: Object) -> Endpoint | None:
    """Returns where the node of a pod answers, None for a pod that has no node yet; 404 when the node is not there."""
    name = (pod.get("spec") or {}).get("nodeName")
    if not name:
        return None
    nodes = world.catalog.find("", "v1", "nodes")
    assert nodes is not None
    entry = world.store.collection(nodes.storage_key).get(key_for("", name))
    if entry is None:
        raise failures.not_found("", "pods", name)  # a real server says pods here, though it means the node
    return endpoint_of(entry.decoded())
