"""A guarantee, on both servers: whoever borrowed it goes when its owner asks, and comes back when there is room; F28 in between."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from corral.kinds.objects import Object
from corral.kinds.scheduling.names import QUEUE
from corral.kinds.well_known import POD
from corral.ports.object_store import Scope
from tests.scheduling.cluster import GPU, Cluster
from tests.training.installing import install_training_kinds
from tests.training.operator_process import OperatorProcess
from tests.training.stage import job_resource

pytest_plugins = ["corral.testing.api_servers"]

JOB = job_resource("PyTorchJob")


@contextmanager
def operator(cluster: Cluster) -> Iterator[None]:
    """An operator that makes the pods of jobs anew, and tells gangs to our scheduler."""
    words = ("--gang-scheduler-name", "corral-scheduler", "--namespace", cluster.namespace)
    with OperatorProcess(cluster.kubeconfig, cluster.folder / "operator.log", words):
        yield


def submit(cluster: Cluster, name: str, queue: str, workers: int, annotations: dict[str, str] | None = None) -> None:
    container = {"name": "pytorch", "image": "any", "resources": {"limits": {GPU: "1"}}}
    pod = {
        "schedulerName": cluster.scheduler_name,
        "nodeSelector": {"test": cluster.token},
        "terminationGracePeriodSeconds": 0,
        "containers": [container],
    }
    role = {"replicas": workers, "restartPolicy": "OnFailure", "template": {"spec": pod}}
    metadata = {
        "name": name,
        "namespace": cluster.namespace,
        "labels": {QUEUE: queue},
        "annotations": annotations or {},
    }
    head = {"apiVersion": JOB.api_version, "kind": JOB.kind}
    cluster.client.create(JOB, {**head, "metadata": metadata, "spec": {"pytorchReplicaSpecs": {"Worker": role}}})


def end(cluster: Cluster, job: str) -> None:
    """Takes a job away, and its pods: not on every server somebody collects them."""
    cluster.client.delete(JOB, cluster.key(job))
    for name in places(cluster, job):
        cluster.delete(name)


def places(cluster: Cluster, job: str) -> dict[str, str]:
    return {name: node for name, node in cluster.places().items() if name.startswith(f"{job}-")}


def lives(cluster: Cluster, job: str) -> set[str]:
    pods = cluster.client.list(POD, Scope(cluster.namespace))
    return {one["metadata"]["uid"] for one in pods if one["metadata"]["name"].startswith(f"{job}-")}


@pytest.fixture
def shared(queues: Cluster) -> Cluster:
    """Four GPUs, of which `owner` is guaranteed three; `guest` is guaranteed none."""
    if queues.is_real:
        install_training_kinds(queues.client.access)
    queues.node("a", 2)
    queues.node("b", 2)
    queues.queue("owner", guarantee={GPU: 3})
    queues.queue("guest")
    return queues


def test_a_borrower_gives_way_as_a_whole_and_comes_back(shared: Cluster) -> None:
    owner, guest = f"owner-{shared.token}", f"guest-{shared.token}"
    with operator(shared), shared.scheduler():
        submit(shared, "borrows", guest, 4)
        shared.wait(lambda: len(places(shared, "borrows")), lambda bound: bound == 4)
        before = lives(shared, "borrows")
        submit(shared, "comes-home", owner, 3)
        shared.wait(lambda: len(places(shared, "comes-home")), lambda bound: bound == 3)
        assert places(shared, "borrows") == {}
        assert shared.doubles() == []
        reasons = {one["message"] for one in shared.events("Preempted")}
        assert any(owner in reason for reason in reasons), reasons
        told = shared.wait(lambda: _told(shared, "borrows"), lambda said: said)
        assert told["reason"] == "Unschedulable"
        end(shared, "comes-home")
        shared.wait(lambda: len(places(shared, "borrows")), lambda bound: bound == 4)
        assert before.isdisjoint(lives(shared, "borrows"))


def test_whoever_dies_while_a_guarantee_is_taken_back_the_next_one_goes_on(shared: Cluster) -> None:
    owner, guest = f"owner-{shared.token}", f"guest-{shared.token}"
    scheduler = shared.scheduler()
    with operator(shared):
        with scheduler:
            submit(shared, "borrows", guest, 4)
            shared.wait(lambda: len(places(shared, "borrows")), lambda bound: bound == 4)
            submit(shared, "comes-home", owner, 3)
            shared.wait(lambda: len(places(shared, "borrows")), lambda bound: bound < 4)
            scheduler.kill()
        with shared.scheduler():
            shared.wait(lambda: len(places(shared, "comes-home")), lambda bound: bound == 3)
            shared.wait(lambda: shared.standing(owner).get("running"), lambda running: running == 1)
            shared.wait(lambda: places(shared, "borrows"), lambda left: left == {})
            assert shared.doubles() == []


def test_what_must_not_be_stopped_is_not(shared: Cluster) -> None:
    owner, guest = f"owner-{shared.token}", f"guest-{shared.token}"
    with operator(shared), shared.scheduler():
        submit(shared, "borrows", guest, 4, {"corral.dev/preemptible": "false"})
        shared.wait(lambda: len(places(shared, "borrows")), lambda bound: bound == 4)
        submit(shared, "comes-home", owner, 3)
        shared.wait(lambda: _told(shared, "comes-home"), lambda said: said)
        assert len(places(shared, "borrows")) == 4


def _told(cluster: Cluster, job: str) -> Object:
    """Returns what the first waiting pod of a job says."""
    pods = [one for one in cluster.pods() if one["metadata"]["name"].startswith(f"{job}-")]
    said = [one for pod in pods for one in pod["status"].get("conditions") or [] if one["type"] == "PodScheduled"]
    return next((one for one in said if one["status"] == "False"), {})
