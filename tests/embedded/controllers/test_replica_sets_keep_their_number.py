"""ReplicaSets on both control planes: whose pods are whose, which go first, and what is told when none can be made."""

from corral.kinds.objects import Object
from corral.kinds.well_known import EVENT, POD, REPLICA_SET
from corral.ports.object_store import DeleteOptions
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.pretend_kubelet import run
from tests.embedded.controllers.workloads import replicas_of, template

pytest_plugins = ["corral.testing.api_servers"]


def owner_names(pod: Object) -> list[str]:
    return [one["name"] for one in pod["metadata"].get("ownerReferences") or ()]


def names(cluster: Cluster) -> set[str]:
    return {pod["metadata"]["name"] for pod in cluster.pods(app="web")}


def test_a_deleted_pod_is_replaced_by_another_name(cluster: Cluster) -> None:
    cluster.make(REPLICA_SET, "web", spec=replicas_of("web", 2))
    before = cluster.wait(lambda: names(cluster), lambda seen: len(seen) == 2)
    gone = min(before)
    cluster.delete(POD, gone)
    after = cluster.wait(lambda: names(cluster), lambda seen: len(seen) == 2 and gone not in seen)
    assert len(after - before) == 1


def test_matching_pods_are_adopted_instead_of_made(cluster: Cluster) -> None:
    cluster.make(POD, "stray", metadata={"labels": {"app": "web"}}, spec=template("web")["spec"])
    cluster.make(REPLICA_SET, "web", spec=replicas_of("web", 2))
    cluster.wait_status(REPLICA_SET, "web", replicas=2)
    assert "stray" in names(cluster)
    reference = cluster.get(POD, "stray")["metadata"]["ownerReferences"]
    assert reference == [
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": "web",
            "uid": cluster.get(REPLICA_SET, "web")["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]


def test_a_pod_that_matches_no_more_is_released_and_replaced(cluster: Cluster) -> None:
    cluster.make(REPLICA_SET, "web", spec=replicas_of("web", 1))
    [pod] = cluster.wait(lambda: cluster.pods(app="web"))
    name = pod["metadata"]["name"]
    cluster.change(POD, name, {"metadata": {"labels": {"app": "debug"}}})
    cluster.wait(lambda: owner_names(cluster.get(POD, name)), lambda seen: seen == [])
    cluster.wait(lambda: names(cluster), lambda seen: len(seen) == 1 and name not in seen)


def test_those_that_do_the_least_good_go_first(cluster: Cluster) -> None:
    cluster.make(REPLICA_SET, "web", spec=replicas_of("web", 4))
    pods = cluster.wait(lambda: cluster.pods(app="web"), lambda seen: len(seen) == 4)
    for pod in pods[:3]:
        run(cluster.client, pod)
    cheap = pods[0]["metadata"]["name"]
    cost = {"controller.kubernetes.io/pod-deletion-cost": "-1"}
    cluster.change(POD, cheap, {"metadata": {"annotations": cost}})
    cluster.wait_status(REPLICA_SET, "web", readyReplicas=3)
    everybody = {pod["metadata"]["name"] for pod in pods}
    cluster.change(REPLICA_SET, "web", {"spec": {"replicas": 3}})
    cluster.wait(lambda: names(cluster), lambda seen: seen == everybody - {pods[3]["metadata"]["name"]})
    cluster.change(REPLICA_SET, "web", {"spec": {"replicas": 2}})
    cluster.wait(lambda: names(cluster), lambda seen: seen == everybody - {pods[3]["metadata"]["name"], cheap})


def test_many_pods_come_and_are_scaled_through_the_scale_subresource(cluster: Cluster) -> None:
    cluster.make(REPLICA_SET, "web", spec=replicas_of("web", 60))
    cluster.wait_status(REPLICA_SET, "web", replicas=60, fullyLabeledReplicas=60)
    cluster.change(REPLICA_SET, "web", {"spec": {"replicas": 3}}, subresource="scale")
    cluster.wait_status(REPLICA_SET, "web", replicas=3)
    assert len(names(cluster)) == 3


def test_a_pod_that_cannot_be_made_is_told_in_the_status(cluster: Cluster) -> None:
    spec = replicas_of("web", 1)
    spec["template"] = template("web", priorityClassName="nonsense")
    cluster.make(REPLICA_SET, "web", spec=spec)
    failing = cluster.wait(
        lambda: cluster.get(REPLICA_SET, "web"), lambda seen: (seen.get("status") or {}).get("conditions")
    )
    [condition] = failing["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("ReplicaFailure", "True", "FailedCreate")
    assert "no PriorityClass with name nonsense was found" in condition["message"]
    said = cluster.wait(lambda: [one for one in cluster.all(EVENT) if one["reason"] == "FailedCreate"])
    assert said[0]["type"] == "Warning"
    assert said[0]["message"].startswith("Error creating: pods ")


def test_deleting_with_orphans_leaves_the_pods_to_the_next(cluster: Cluster) -> None:
    cluster.make(REPLICA_SET, "web", spec=replicas_of("web", 2))
    before = cluster.wait(lambda: names(cluster), lambda seen: len(seen) == 2)
    cluster.delete(REPLICA_SET, "web", DeleteOptions("Orphan"))
    cluster.wait_gone(REPLICA_SET, "web")
    cluster.make(REPLICA_SET, "next", spec=replicas_of("web", 2))
    cluster.wait_status(REPLICA_SET, "next", replicas=2)
    assert names(cluster) == before
    assert {owner for pod in cluster.pods(app="web") for owner in owner_names(pod)} == {"next"}


def test_pods_are_available_only_after_they_were_ready_for_a_while(cluster: Cluster) -> None:
    cluster.make(REPLICA_SET, "web", spec=replicas_of("web", 1, minReadySeconds=2))
    [pod] = cluster.wait(lambda: cluster.pods(app="web"))
    run(cluster.client, pod)
    cluster.wait_status(REPLICA_SET, "web", readyReplicas=1, availableReplicas=0)
    cluster.wait_status(REPLICA_SET, "web", availableReplicas=1)
