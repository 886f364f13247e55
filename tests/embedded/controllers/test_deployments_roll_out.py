"""Deployments on both control planes: the same steps, the same words."""

from corral.kinds.objects import Object
from corral.kinds.well_known import DEPLOYMENT, EVENT, REPLICA_SET
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.pretend_kubelet import PretendKubelet, run
from tests.embedded.controllers.workloads import replicas_of, template

pytest_plugins = ["corral.testing.api_servers"]

COMPLETE = {"replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3, "unavailableReplicas": 0}


def conditions(obj: Object) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in obj["status"].get("conditions") or ()}


def sizes(cluster: Cluster) -> dict[str, int]:
    return {
        one["metadata"]["annotations"]["deployment.kubernetes.io/revision"]: one["spec"]["replicas"]
        for one in cluster.all(REPLICA_SET)
    }


def test_a_new_deployment_becomes_available(cluster: Cluster) -> None:
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 3), metadata={"annotations": {"team": "a"}})
    waiting = cluster.wait_status(DEPLOYMENT, "web", replicas=3, updatedReplicas=3, unavailableReplicas=3)
    assert waiting["status"]["observedGeneration"] == 1
    assert conditions(waiting)["Available"] == ("False", "MinimumReplicasUnavailable")
    for pod in cluster.pods(app="web"):
        run(cluster.client, pod)
    done = cluster.wait_status(DEPLOYMENT, "web", **COMPLETE)
    done = cluster.wait(
        lambda: cluster.get(DEPLOYMENT, "web"), lambda d: conditions(d)["Progressing"][1] == "NewReplicaSetAvailable"
    )
    assert conditions(done) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "NewReplicaSetAvailable"),
    }
    assert done["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "1"
    [replica_set] = cluster.all(REPLICA_SET)
    name, hashed = replica_set["metadata"]["name"], replica_set["metadata"]["labels"]["pod-template-hash"]
    assert name == f"web-{hashed}"
    assert replica_set["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": hashed}
    assert replica_set["metadata"]["annotations"] == {
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
        "deployment.kubernetes.io/revision": "1",
        "team": "a",
    }
    assert replica_set["status"] == {
        "observedGeneration": 1,
        "replicas": 3,
        "fullyLabeledReplicas": 3,
        "readyReplicas": 3,
        "availableReplicas": 3,
    }
    pod = cluster.pods(app="web")[0]
    assert pod["metadata"]["generateName"] == f"{name}-"
    assert pod["metadata"]["ownerReferences"][0]["uid"] == replica_set["metadata"]["uid"]
    wanted = ("ScalingReplicaSet", f"Scaled up replica set {name} from 0 to 3")
    cluster.wait(
        lambda: {
            (one["reason"], one["message"]) for one in cluster.all(EVENT) if one["involvedObject"]["name"] == "web"
        },
        lambda said: wanted in said,
    )


def test_a_new_template_replaces_pods_within_the_limits(cluster: Cluster) -> None:
    rolling: Object = {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 3, **rolling))
    with PretendKubelet(cluster.client, cluster.namespace):
        cluster.wait_status(DEPLOYMENT, "web", **COMPLETE)
        cluster.change(DEPLOYMENT, "web", {"spec": {"template": template("web", "other")}})

        def is_done(deployment: Object) -> bool:
            # Never less than 3 available, never more than 4 asked for: the whole way, not only at its end.
            assert (
                deployment["status"].get("availableReplicas", 0) >= 3 or deployment["status"]["observedGeneration"] < 2
            )
            assert sum(sizes(cluster).values()) <= 4
            return conditions(deployment)["Progressing"][1] == "NewReplicaSetAvailable" and sizes(cluster) == {
                "1": 0,
                "2": 3,
            }

        done = cluster.wait(lambda: cluster.get(DEPLOYMENT, "web"), is_done)
    assert done["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "2"
    assert {pod["spec"]["containers"][0]["image"] for pod in cluster.pods(app="web")} == {"other"}


def test_going_back_reuses_the_old_replica_set_under_a_new_revision(cluster: Cluster) -> None:
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 1))
    with PretendKubelet(cluster.client, cluster.namespace):
        one = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
        cluster.wait_status(DEPLOYMENT, "web", **one)
        cluster.change(DEPLOYMENT, "web", {"spec": {"template": template("web", "other")}})
        cluster.wait(lambda: sizes(cluster), lambda seen: seen == {"1": 0, "2": 1})
        cluster.change(DEPLOYMENT, "web", {"spec": {"template": template("web", "any")}})
        cluster.wait(lambda: sizes(cluster), lambda seen: seen == {"2": 0, "3": 1})
        old = cluster.wait(lambda: [one for one in cluster.all(REPLICA_SET) if one["spec"]["replicas"]])
    assert old[0]["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"] == "1"


def test_recreate_waits_for_the_last_old_pod(cluster: Cluster) -> None:
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 2, strategy={"type": "Recreate"}))
    with PretendKubelet(cluster.client, cluster.namespace):
        cluster.wait_status(DEPLOYMENT, "web", availableReplicas=2)
        cluster.change(DEPLOYMENT, "web", {"spec": {"template": template("web", "other")}})

        def images(pods: list[Object]) -> set[str]:
            found = {pod["spec"]["containers"][0]["image"] for pod in pods}
            assert len(found) <= 1, "old and new pods at the same time"
            return found

        cluster.wait(lambda: cluster.pods(app="web"), lambda pods: images(pods) == {"other"} and len(pods) == 2)
        cluster.wait(lambda: sizes(cluster), lambda seen: seen == {"1": 0, "2": 2})


def test_scaling_in_the_middle_of_a_rollout_shares_the_change_out(cluster: Cluster) -> None:
    rolling: Object = {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}}
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 10, **rolling))
    cluster.wait_status(DEPLOYMENT, "web", replicas=10)
    for pod in cluster.pods(app="web"):
        run(cluster.client, pod)
    cluster.wait_status(DEPLOYMENT, "web", availableReplicas=10)
    cluster.change(DEPLOYMENT, "web", {"spec": {"template": template("web", "stuck")}})
    cluster.wait(lambda: sizes(cluster), lambda seen: seen == {"1": 8, "2": 5})
    cluster.change(DEPLOYMENT, "web", {"spec": {"replicas": 15}})
    cluster.wait(lambda: sizes(cluster), lambda seen: seen == {"1": 11, "2": 7})


def test_a_paused_deployment_scales_but_does_not_roll_out(cluster: Cluster) -> None:
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 1))
    cluster.wait_status(DEPLOYMENT, "web", replicas=1)
    cluster.change(DEPLOYMENT, "web", {"spec": {"paused": True, "template": template("web", "other"), "replicas": 2}})
    cluster.wait(lambda: sizes(cluster), lambda seen: seen == {"1": 2})
    paused = cluster.wait(
        lambda: cluster.get(DEPLOYMENT, "web"), lambda d: conditions(d)["Progressing"][1] == "DeploymentPaused"
    )
    assert conditions(paused)["Progressing"] == ("Unknown", "DeploymentPaused")
    cluster.change(DEPLOYMENT, "web", {"spec": {"paused": False}})
    cluster.wait(lambda: sizes(cluster), lambda seen: "2" in seen)


def test_old_revisions_are_forgotten_beyond_the_limit(cluster: Cluster) -> None:
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 1, revisionHistoryLimit=1))
    with PretendKubelet(cluster.client, cluster.namespace):
        for number in (1, 2, 3, 4):
            cluster.change(DEPLOYMENT, "web", {"spec": {"template": template("web", f"image-{number}")}})
            cluster.wait(
                lambda number=number: cluster.get(DEPLOYMENT, "web"),  # type: ignore[misc]
                lambda seen, number=number: (  # type: ignore[misc]
                    seen["status"].get("observedGeneration") == seen["metadata"]["generation"]
                    and seen["status"].get("updatedReplicas") == 1
                    and seen["status"].get("availableReplicas") == 1
                    and seen["status"].get("replicas") == 1
                ),
            )
        cluster.wait(lambda: cluster.all(REPLICA_SET), lambda seen: len(seen) == 2)


def test_a_rollout_without_progress_fails_its_deadline(cluster: Cluster) -> None:
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 1, progressDeadlineSeconds=1))
    late = cluster.wait(
        lambda: cluster.get(DEPLOYMENT, "web"),
        lambda seen: conditions(seen).get("Progressing") == ("False", "ProgressDeadlineExceeded"),
    )
    [replica_set] = cluster.all(REPLICA_SET)
    said = next(one for one in late["status"]["conditions"] if one["type"] == "Progressing")
    assert said["message"] == f'ReplicaSet "{replica_set["metadata"]["name"]}" has timed out progressing.'
