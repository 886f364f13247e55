"""Fake nodes register, play what is bound to them, survive being killed, and go when nobody asks for them."""

from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import EVENT, LEASE, NODE, POD
from corral.ports.log_source import LogOptions
from corral.ports.object_store import Scope
from corral.ports.refusals import InvalidError
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.fake_nodes.conftest import Stage

GPU = "nvidia.com/gpu"


def make_pod(cluster: Cluster, name: str, gpus: int = 0, *, seconds: str = "0", code: str = "0", **spec: Any) -> None:
    annotations = {"corral.dev/fake-run-seconds": seconds, "corral.dev/fake-exit-code": code}
    container = {"name": "main", "image": "any", "resources": {"limits": {GPU: str(gpus)}} if gpus else {}}
    given = {"restartPolicy": "Never", "containers": [container], **spec}
    cluster.make(POD, name, metadata={"annotations": annotations}, spec=given)


def terminated(pod: Object) -> Object:
    return dict(pod["status"]["containerStatuses"][0]["state"]["terminated"])


def moment(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()


def test_a_hundred_nodes_are_there_soon_and_say_what_they_have(stage: Stage) -> None:
    cluster = stage.cluster
    stage.start_nodes("100x8:V100")
    nodes = cluster.wait(lambda: cluster.client.list(NODE), lambda found: len(found) == 100, within=30)
    assert {node["status"]["allocatable"][GPU] for node in nodes} == {"8"}
    assert {one["status"] for node in nodes for one in node["status"]["conditions"] if one["type"] == "Ready"} == {
        "True"
    }
    cluster.wait(lambda: len(cluster.client.list(LEASE, Scope("kube-node-lease"))), lambda count: count == 100)
    assert stage.stop_nodes() == 0
    assert len(cluster.client.list(NODE)) == 100


def test_pods_run_for_the_declared_time_and_end_as_declared(stage: Stage) -> None:
    cluster = stage.cluster
    stage.start_controllers("2x2:V100")
    stage.start_nodes("2x2:V100")
    make_pod(cluster, "good", 1, seconds="1")
    make_pod(cluster, "bad", 1, code="7")
    make_pod(cluster, "odd", 1, seconds="soon")
    good = cluster.wait_status(POD, "good", phase="Succeeded")
    ended = terminated(good)
    assert (ended["exitCode"], ended["reason"]) == (0, "Completed")
    assert 1 <= moment(ended["finishedAt"]) - moment(ended["startedAt"]) <= 3
    assert good["status"]["podIP"].startswith("10.")
    conditions = {one["type"]: one["status"] for one in good["status"]["conditions"]}
    assert (conditions["PodScheduled"], conditions["Ready"]) == ("True", "False")
    assert terminated(cluster.wait_status(POD, "bad", phase="Failed"))["exitCode"] == 7
    cluster.wait_status(POD, "odd", phase="Running")
    told = cluster.wait(lambda: [one for one in cluster.all(EVENT) if one["reason"] == "FakeRunIgnored"])
    assert "'soon'" in told[0]["message"]


def test_a_deleted_pod_is_let_go_and_its_log_is_refused_clearly(stage: Stage) -> None:
    cluster = stage.cluster
    stage.start_controllers("1x1")
    stage.start_nodes("1x1")
    make_pod(cluster, "service", seconds="600")
    cluster.wait_status(POD, "service", phase="Running")
    with pytest.raises(InvalidError, match='node "fake-gpu-000" is fake: its pods are only played'):
        b"".join(cluster.client.logs(ObjectKey(cluster.namespace, "service"), LogOptions()))
    cluster.delete(POD, "service")
    cluster.wait_gone(POD, "service", within=20)


def test_a_killed_process_goes_on_where_the_pods_are(stage: Stage) -> None:
    cluster = stage.cluster
    stage.start_controllers("2x8:V100")
    stage.start_nodes("2x8:V100")
    for number in range(10):
        make_pod(cluster, f"pod-{number}", 1, seconds="3")
    cluster.wait(lambda: [cluster.get(POD, f"pod-{n}")["status"]["phase"] for n in range(10)], lambda p: "Running" in p)
    stage.kill_nodes()
    before = {pod["metadata"]["name"]: pod["status"].get("startTime") for pod in cluster.pods()}
    stage.start_nodes("2x8:V100")
    pods = cluster.wait(cluster.pods, lambda found: all(pod["status"]["phase"] == "Succeeded" for pod in found))
    assert len(pods) == 10
    assert len({pod["status"]["podIP"] for pod in pods}) == 10
    for pod in pods:
        name, ended = pod["metadata"]["name"], terminated(pod)
        assert pod["status"]["startTime"] == (before[name] or pod["status"]["startTime"])
        assert pod["status"]["containerStatuses"][0]["restartCount"] == 0
        assert moment(ended["finishedAt"]) - moment(ended["startedAt"]) >= 2


def test_nodes_that_nobody_asks_for_go_and_their_pods_are_lost(stage: Stage) -> None:
    cluster = stage.cluster
    stage.start_controllers("3x1:V100")
    stage.start_nodes("3x1:V100")
    for number in range(3):
        make_pod(cluster, f"pod-{number}", 1, seconds="600")
    cluster.wait(cluster.pods, lambda found: {pod["status"]["phase"] for pod in found} == {"Running"})
    stage.kill_nodes()
    stage.start_controllers("1x1:V100")
    cluster.wait(lambda: [node["metadata"]["name"] for node in cluster.client.list(NODE)], ["fake-v100-000"].__eq__)
    stage.start_nodes("1x1:V100")
    pods = cluster.wait(cluster.pods, lambda found: Counter(p["status"]["phase"] for p in found)["Failed"] == 2)
    for pod in pods:
        is_lost = pod["spec"]["nodeName"] != "fake-v100-000"
        assert pod["status"]["phase"] == ("Failed" if is_lost else "Running")
        if is_lost:
            assert pod["status"]["reason"] == "NodeLost"
            assert terminated(pod)["exitCode"] == 137
    leases = cluster.client.list(LEASE, Scope("kube-node-lease"))
    assert [lease["metadata"]["name"] for lease in leases] == ["fake-v100-000"]
