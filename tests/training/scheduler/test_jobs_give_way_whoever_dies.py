"""The operator and the scheduler as processes, on both servers: jobs are preempted, grow, shrink and move, while schedulers are killed.

F28 and invariants I1, I4, I5, I6 and I7, with `kill -9` at random moments. The players of the nodes fail when a GPU is given twice.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corral.kinds.objects import Object, is_deleting
from corral.kinds.scheduling.ledger import Ledger, ledger_of
from corral.kinds.scheduling.names import CHECKPOINTS, MOVES_FOR
from corral.kinds.well_known import CONFIG_MAP, POD, PRIORITY_CLASS
from corral.ports.refusals import AlreadyExistsError
from tests.scheduling.cluster import SchedulerProcess
from tests.training.ground import Ground
from tests.training.job_on_stage import JobOnStage
from tests.training.manifests import role, template
from tests.training.marks import started_with
from tests.training.scheduler.kubelets import GPU, Kubelets, kubelets
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

IMPORTANT = "giving-way-important"
QUICK = ("--placements-per-move", "1", "--calm", "3", "--rest", "1")
with_gangs = started_with("--gang-scheduler-name", "corral-scheduler")


class Crew:
    """Jobs of a stage whose pods go to nodes of the stage, and a scheduler that dies and begins again."""

    def __init__(self, stage: Stage, scheduler: SchedulerProcess, hands: Kubelets) -> None:
        self.stage = stage
        self.scheduler = scheduler
        self.hands = hands
        self._chance = random.Random(11)

    def job(self, name: str, workers: int, gpus: int = 1, *, priority: str = "", **given: Any) -> JobOnStage:
        """Submits a PyTorchJob of workers, which never restart."""
        limits = {"limits": {GPU: str(gpus)}} if gpus else {"limits": {}}
        spec: Object = {"nodeSelector": {"stage": self.stage.namespace}, "schedulerName": "corral-scheduler"}
        if priority:
            spec["priorityClassName"] = priority
        pod = template("PyTorchJob", spec=spec, resources=limits)
        return self.stage.submit(
            "PyTorchJob", name, roles={"Worker": role("PyTorchJob", workers, "Never", pod=pod)}, **given
        )

    def lives(self, name: str) -> set[str]:
        """Returns the uids of the pods of a job that run and stay."""
        pods = [one for one in self.stage.all(POD) if one["metadata"]["name"].rpartition("-worker-")[0] == name]
        return {one["metadata"]["uid"] for one in pods if one["status"]["phase"] == "Running" and not is_deleting(one)}

    def wait_running(self, name: str, workers: int) -> set[str]:
        """Returns the pods of a job when so many run."""
        return self.stage.wait(lambda: self.lives(name), lambda seen: len(seen) == workers, within=120)

    def shake(self, seconds: float) -> None:
        """Kills the scheduler at random moments for a while, and lets another one begin each time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(self._chance.uniform(0.3, 1.8))
            self.scheduler.kill()
            self.scheduler.begin()

    def ledger(self) -> Ledger:
        """Returns the ledger."""
        return ledger_of(self.stage.get(CONFIG_MAP, "corral-scheduler-ledger"))

    def wait_settled(self) -> None:
        """Returns when nothing is promised, and nobody is asked to give way."""
        self.stage.wait(self.ledger, lambda seen: not seen.decisions and not seen.concessions)


@pytest.fixture
def crew(ground: Ground, stage: Stage, tmp_path: Path) -> Iterator[Crew]:
    """Two nodes of four GPUs."""
    try:
        stage.client.create(PRIORITY_CLASS, {"metadata": {"name": IMPORTANT}, "value": 100})
    except AlreadyExistsError:
        pass  # of an earlier test
    options = ("--name", "corral-scheduler", "--namespace", stage.namespace, *QUICK)
    scheduler = SchedulerProcess(ground.kubeconfig, tmp_path / "scheduler.log", options)
    nodes = {f"{name}-{stage.namespace}": 4 for name in "ab"}
    try:
        with kubelets(ground.access, stage.namespace, nodes) as hands, scheduler:
            yield Crew(stage, scheduler, hands)
    finally:
        print((tmp_path / "scheduler.log").read_text()[-6000:])


@with_gangs
@pytest.mark.timeout(300)
def test_jobs_are_preempted_once_and_run_again(crew: Crew) -> None:
    kept = crew.job("kept", 4, priority=IMPORTANT)
    low = [crew.job(f"low-{number}", 2) for number in range(2)]
    before = {name: crew.wait_running(name, count) for name, count in (("kept", 4), ("low-0", 2), ("low-1", 2))}
    urgent = crew.job("urgent", 2, priority=IMPORTANT)
    crew.shake(8)
    crew.wait_running("urgent", 2)
    crew.wait_settled()
    touched = [one.name for one in low if crew.lives(one.name) != before[one.name]]
    assert len(touched) == 1, "one of the two is enough"
    victim = next(one for one in low if one.name == touched[0])
    assert "Failed=True" not in victim.states()
    failures = victim.status().get("failures", [])
    assert all(one["class"] == "preempted" for one in failures)
    gone = [one.get("index", 0) for one in failures]
    assert len(gone) == len(set(gone)), (
        "each of its pods went once; of one that vanished between two looks nobody can tell"
    )
    assert crew.lives("kept") == before["kept"]
    assert "Failed=True" not in kept.states()
    urgent.delete()
    crew.shake(4)
    crew.wait_running(victim.name, 2)


@with_gangs
@pytest.mark.timeout(300)
def test_an_elastic_job_shrinks_and_grows_and_keeps_who_stays(crew: Crew) -> None:
    crew.job("kept", 2, priority=IMPORTANT)
    elastic = {"minReplicas": 2, "maxReplicas": 6, "rdzvBackend": "c10d"}
    job = crew.job("elastic", 3, elasticPolicy=elastic)
    kept = crew.wait_running("kept", 2)
    first = crew.wait_running("elastic", 6)
    assert all(job.env_of(short)["PET_NNODES"] == "2:6" for short in job.pods())
    other = crew.job("other", 3)
    crew.shake(8)
    crew.wait_running("other", 3)
    stays = crew.wait_running("elastic", 3)
    assert stays < first
    assert sorted(job.pods()) == ["worker-0", "worker-1", "worker-2"]
    assert not job.status().get("failures")
    other.delete()
    crew.shake(6)
    assert stays < crew.wait_running("elastic", 6)
    assert crew.lives("kept") == kept
    crew.wait_settled()


@with_gangs
@pytest.mark.timeout(300)
def test_a_job_that_moves_is_never_left_suspended(crew: Crew) -> None:
    wide = [crew.job(name, 1, 3) for name in ("left", "right")]
    for one in wide:
        crew.wait_running(one.name, 1)
    told = {"annotations": {CHECKPOINTS: "true"}}
    small = [crew.job(name, 1, 1, metadata=told) for name in ("here", "there")]
    for one in small:
        crew.wait_running(one.name, 1)
    for one in wide:
        one.delete()
    crew.job("large", 1, 4)
    for number in range(4):
        crew.shake(2)
        crew.job(f"tick-{number}", 1, 0)  # a reign begins to count placements anew
    for name in ("large", "here", "there"):
        crew.wait_running(name, 1)
    crew.wait_settled()
    for one in small:
        found = one.read()
        assert not found["spec"]["runPolicy"].get("suspend")
        assert MOVES_FOR not in found["metadata"]["annotations"]
        assert "Failed=True" not in one.states()


@with_gangs
@pytest.mark.timeout(300)
def test_a_size_given_by_hand_holds(crew: Crew) -> None:
    elastic = {"minReplicas": 2, "maxReplicas": 8, "rdzvBackend": "c10d"}
    job = crew.job("elastic", 8, elasticPolicy=elastic)
    crew.wait_running("elastic", 8)
    job.scale("Worker", 4)
    crew.wait_running("elastic", 4)
    assert job.read()["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 4
    crew.wait_running("elastic", 8)  # and then it grows into what is idle
