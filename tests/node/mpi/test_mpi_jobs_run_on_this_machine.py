"""MPI jobs of both dialects as people write them, with real Open MPI, on a node of processes."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from corral.ports.object_store import Scope
from tests.node.mpi.test_mpi_works_through_the_agent import environment_of
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

SUM = """
from array import array
from mpi4py import MPI
world = MPI.COMM_WORLD
given, found = array("d", [world.rank + 1.0]), array("d", [0.0])
world.Allreduce(given, found)
print("rank", world.rank, "of", world.size, "sees", found[0], flush=True)
"""
EXPECTED = [f"rank {rank} of 4 sees 10.0" for rank in range(4)]


def job(version: str, **spec: object) -> Object:
    """Returns a job of two workers with two slots each."""
    folder = environment_of("openmpi") / "bin"
    launch = [str(folder / "mpirun"), "-n", "4", str(folder / "python"), "-c", SUM]

    def role(count: int, **container: object) -> Object:
        return {"replicas": count, "template": {"spec": {"containers": [{"name": "mpi", "image": "any", **container}]}}}

    replicas = {"Launcher": role(1, command=launch), "Worker": role(2)}
    return {
        "apiVersion": f"kubeflow.org/{version}",
        "kind": "MPIJob",
        "metadata": {"name": "pi"},
        "spec": {
            "slotsPerWorker": 2,
            "runPolicy": {"cleanPodPolicy": "Running"},
            "mpiReplicaSpecs": replicas,
            **spec,
        },
    }


def finish(stage: Stage, manifest: Object) -> None:
    """Runs a job to its end, and waits until its workers are gone, which would wait for commands for ever."""
    stage.send(manifest).wait_state("Succeeded")
    stage.wait(lambda: stage.client.list(POD, Scope(stage.namespace)), lambda pods: not any(map(is_worker, pods)))


def is_worker(pod: Object) -> bool:
    return "-worker-" in pod["metadata"]["name"]


def said(stage: Stage) -> list[str]:
    """Returns what the ranks have said in the log of the launcher, sorted."""
    [launcher] = [name for name in stage.names(POD) if name.startswith("pi-launcher")]
    log = stage.client.raw("GET", f"/api/v1/namespaces/{stage.namespace}/pods/{launcher}/log").decode()
    return sorted(line for line in log.splitlines() if line.startswith("rank "))


def test_a_job_of_the_first_dialect(stage: Stage) -> None:
    finish(stage, job("v1"))
    assert said(stage) == EXPECTED


@pytest.mark.parametrize("spec", [{}, {"runLauncherAsWorker": True}], ids=["plain", "the launcher works too"])
def test_a_job_of_the_second_dialect(stage: Stage, spec: Object) -> None:
    finish(stage, job("v2beta1", **spec))
    assert said(stage) == EXPECTED
