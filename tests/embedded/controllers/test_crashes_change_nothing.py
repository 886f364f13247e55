"""Controllers that are killed at any moment and started again end where undisturbed ones do."""

import random
import time
from collections.abc import Callable

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CONFIG_MAP, DEPLOYMENT, JOB, NAMESPACE, POD, REPLICA_SET, SECRET
from tests.embedded.controllers.conftest import Bench
from tests.embedded.controllers.pretend_kubelet import PretendKubelet, end, set_status
from tests.embedded.controllers.workloads import job_of, replicas_of, template

KILLS = 6
LONGEST_LIFE = 0.9


def disturbed(bench: Bench, seed: int, is_done: Callable[[], bool]) -> int:
    """Kills the controllers some times, each time after a while, then lets them work; returns how many kills it took."""
    chance = random.Random(seed)
    controllers = bench.controllers()
    kills = 0
    for _ in range(KILLS):
        controllers.start()
        deadline = time.monotonic() + chance.uniform(0.2, LONGEST_LIFE)
        while time.monotonic() < deadline and not is_done():
            time.sleep(0.01)
        controllers.kill()
        kills += 1
        if is_done():
            break
    with controllers:
        bench.cluster.wait(is_done)
        bench.cluster.stays(is_done, bool)
    return kills


@pytest.mark.parametrize("seed", [1, 2])
def test_a_rollout_ends_as_if_nothing_had_happened(bench: Bench, seed: int) -> None:
    cluster = bench.cluster
    rolling: Object = {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}}}
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 8, **rolling))
    with PretendKubelet(cluster.client, cluster.namespace):
        with bench.controllers():
            cluster.wait_status(DEPLOYMENT, "web", availableReplicas=8)
        cluster.change(DEPLOYMENT, "web", {"spec": {"template": template("web", "other")}})
        most = 0

        def is_done() -> bool:
            nonlocal most
            most = max(most, len(cluster.pods(app="web")))
            deployment = cluster.get(DEPLOYMENT, "web")
            status = deployment["status"]
            if status["observedGeneration"] < deployment["metadata"]["generation"]:
                return False
            return (status.get("updatedReplicas"), status.get("replicas"), status.get("availableReplicas")) == (8, 8, 8)

        disturbed(bench, seed, is_done)
    assert most <= 10
    sizes = {
        one["metadata"]["annotations"]["deployment.kubernetes.io/revision"]: one["spec"]["replicas"]
        for one in cluster.all(REPLICA_SET)
    }
    assert sizes == {"1": 0, "2": 8}
    pods = cluster.pods(app="web")
    assert [pod["spec"]["containers"][0]["image"] for pod in pods] == ["other"] * 8


@pytest.mark.parametrize("mode", ["NonIndexed", "Indexed"])
def test_every_result_of_a_job_counts_exactly_once(bench: Bench, mode: str) -> None:
    cluster = bench.cluster
    failing = iter([False, True, False, False, True, False, True] + [False] * 100)

    def ending(client: SyncClient, pod: Object) -> None:
        if next(failing):
            # Ended long ago, so that no back-off holds up the next one.
            state = {"terminated": {"exitCode": 1, "finishedAt": "2020-01-01T00:00:00Z"}}
            container = {"name": "main", "image": "any", "imageID": "", "ready": False, "restartCount": 0}
            set_status(client, pod, {"phase": "Failed", "containerStatuses": [{**container, "state": state}]})
        else:
            end(client, pod, "Succeeded")

    cluster.make(JOB, "work", spec=job_of(completions=15, parallelism=3, backoffLimit=10, completionMode=mode))
    with PretendKubelet(cluster.client, cluster.namespace, ending):

        def is_done() -> bool:
            conditions = (cluster.get(JOB, "work").get("status") or {}).get("conditions") or ()
            return "Complete" in {one["type"] for one in conditions}

        disturbed(bench, 3, is_done)
    status = cluster.get(JOB, "work")["status"]
    phases = [pod["status"]["phase"] for pod in cluster.all(POD)]
    assert (status["succeeded"], status["failed"]) == (15, 3)
    assert (phases.count("Succeeded"), phases.count("Failed"), len(phases)) == (15, 3, 18)
    assert status["uncountedTerminatedPods"] == {}


def test_a_namespace_goes_in_the_end(bench: Bench) -> None:
    cluster = bench.cluster
    name = "doomed"
    cluster.client.create(NAMESPACE, {"metadata": {"name": name}})
    doomed = cluster._replace(namespace=name)
    for number in range(40):
        owner = doomed.make(CONFIG_MAP, f"owner-{number}")
        reference = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": f"owner-{number}",
            "uid": owner["metadata"]["uid"],
        }
        doomed.make(SECRET, f"child-{number}", metadata={"ownerReferences": [reference]})
    doomed.make(DEPLOYMENT, "web", spec=replicas_of("web", 3))
    doomed.make(CONFIG_MAP, "held", metadata={"finalizers": ["example.com/held"]})
    cluster.client.delete(NAMESPACE, ObjectKey("", name))

    def only_the_held_one_is_left() -> bool:
        return not doomed.all(SECRET) and [one["metadata"]["name"] for one in doomed.all(CONFIG_MAP)] == ["held"]

    disturbed(bench, 4, only_the_held_one_is_left)
    with bench.controllers():
        doomed.change(CONFIG_MAP, "held", {"metadata": {"finalizers": None}})
        doomed.wait_gone(NAMESPACE, name)
