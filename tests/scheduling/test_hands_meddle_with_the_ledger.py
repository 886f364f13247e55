"""The ledger is deleted or damaged by hand while a scheduler runs, on both servers: nothing is given twice, and it goes on."""

from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import ledger_of
from corral.kinds.well_known import CONFIG_MAP
from corral.ports.object_store import Patch
from tests.scheduling.cluster import Cluster

pytest_plugins = ["corral.testing.api_servers"]


def key_of(cluster: Cluster) -> ObjectKey:
    return ObjectKey(cluster.namespace, "corral-scheduler-ledger")


def wait_bound(cluster: Cluster, gang: list[str]) -> None:
    cluster.wait(lambda: cluster.bound_of(gang), lambda bound: bound == len(gang))
    assert cluster.doubles() == []


def test_a_ledger_that_somebody_deletes_is_begun_anew(cluster: Cluster) -> None:
    for name in ("a", "b"):
        cluster.node(name, 4)
    with cluster.scheduler("--no-leader-elect"):
        wait_bound(cluster, cluster.gang("first", 4))
        cluster.client.delete(CONFIG_MAP, key_of(cluster))
        wait_bound(cluster, cluster.gang("second", 4))
        assert ledger_of(cluster.client.get(CONFIG_MAP, key_of(cluster))).epoch > 1
        cluster.pod("too-much")
        told = cluster.wait(lambda: cluster.condition("too-much"), lambda one: one.get("reason") == "Unschedulable")
        assert "Insufficient" in told["message"]
        assert cluster.doubles() == []


def test_a_ledger_that_somebody_damages_holds_everything_up_until_it_is_mended(cluster: Cluster) -> None:
    cluster.node("a", 8)
    with cluster.scheduler("--no-leader-elect") as scheduler:
        wait_bound(cluster, cluster.gang("first", 2))
        whole = cluster.client.get(CONFIG_MAP, key_of(cluster))["data"]
        cluster.client.patch(CONFIG_MAP, key_of(cluster), Patch("merge", {"data": {"decisions": '[["no row"]]'}}))
        second = cluster.gang("second", 2)
        cluster.wait(lambda: "cannot be read" in scheduler.log.read_text())
        assert cluster.bound_of(second) == 0
        cluster.client.patch(CONFIG_MAP, key_of(cluster), Patch("merge", {"data": {**whole, "decisions": "[]"}}))
        wait_bound(cluster, second)
