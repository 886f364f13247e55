"""The fixture `queues`: a cluster on which the kind Queue is installed."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.queues.definition import definition
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.object_store import Patch, WriteOptions
from corral.ports.refusals import NotFoundError
from tests.scheduling.cluster import Cluster
from tests.scheduling.conftest import cluster

__all__ = ["cluster"]


@pytest.fixture
def queues(cluster: Cluster) -> Cluster:
    """A cluster with queues."""
    obj = definition()
    key, options = ObjectKey("", obj["metadata"]["name"]), WriteOptions(manager="tests", force=True)
    cluster.client.patch(CUSTOM_RESOURCE_DEFINITION, key, Patch("apply", obj), options=options)
    cluster.wait(lambda: _served(cluster), lambda found: found is not None)
    return cluster


def _served(cluster: Cluster) -> list[Object] | None:
    try:
        return cluster.client.list(QUEUE)
    except NotFoundError:
        return None
