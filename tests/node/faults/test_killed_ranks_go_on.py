"""F21: a process of a job is killed with -9. It counts, it is replaced, and it goes on from where it was.

Killed is the program itself, or the shell that holds it: then the program has to go as well before the rank begins again.
"""

import os
import signal
from pathlib import Path

import pytest

from corral.engine.supervisor.host import identity
from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from tests.node.faults.patient_job import RANKS, notes_of, process_of, steps_of, submit_patient_job
from tests.node.ground import wait_until
from tests.training.job_on_stage import JobOnStage
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

VICTIM = 2
SECONDS = 1.5
ENOUGH = 5
"""Steps after which a rank is killed."""
WANTED_NOTES = {str(rank): ["begun", "begun", "done"] if rank == VICTIM else ["begun", "done"] for rank in range(RANKS)}
"""The victim began twice, and nobody was ever doubled."""


def submitted(stage: Stage, folder: Path, policy: str) -> JobOnStage:
    folder.mkdir()
    (folder / "hold").touch()
    job = submit_patient_job(stage, folder, SECONDS, policy=policy)
    wait_until(lambda: steps_of(folder).get(str(VICTIM), 0) >= ENOUGH, "the rank has made some steps")
    return job


def kill(folder: Path, victim: str) -> None:
    program = identity(process_of(folder, VICTIM))
    holder = identity(int(Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[1]))
    (program if victim == "program" else holder).send(signal.SIGKILL)
    assert program.wait_gone(10.0)
    assert holder.wait_gone(10.0)


def pod_of(job: JobOnStage) -> Object:
    return job.pod(f"worker-{VICTIM - 1}")


def first_step(stage: Stage, pod: Object) -> int:
    """Returns the first step that the latest run of a pod has made."""
    path = f"/api/v1/namespaces/{stage.namespace}/pods/{pod['metadata']['name']}/log"
    line = stage.client.raw("GET", path).decode().splitlines()[0]
    return int(line.split()[3].partition("/")[0])


@pytest.mark.parametrize("victim", ["program", "holder"])
def test_a_killed_rank_is_replaced_and_counted(stage: Stage, tmp_path: Path, victim: str) -> None:
    job = submitted(stage, tmp_path / "job", "ExitCode")
    uid = pod_of(job)["metadata"]["uid"]
    kill(tmp_path / "job", victim)
    failures = stage.wait(lambda: job.status().get("failures") or [])
    told = {key: failures[0][key] for key in ("class", "role", "index", "exitCode", "podUid")}
    assert told == {"class": "infra", "role": "Worker", "index": VICTIM - 1, "exitCode": 137, "podUid": uid}
    assert (len(failures), job.status()["restarts"]) == (1, 1)
    job.wait_replaced(f"worker-{VICTIM - 1}", uid)
    ends_well(job, tmp_path / "job")


@pytest.mark.parametrize("victim", ["program", "holder"])
def test_a_killed_rank_is_restarted_in_place(stage: Stage, tmp_path: Path, victim: str) -> None:
    job = submitted(stage, tmp_path / "job", "OnFailure")
    uid = pod_of(job)["metadata"]["uid"]
    kill(tmp_path / "job", victim)
    status = stage.wait(
        lambda: pod_of(job)["status"]["containerStatuses"][0],
        lambda one: "running" in one["state"] and one["restartCount"] == 1,
    )
    assert status["lastState"]["terminated"]["exitCode"] == 137
    assert pod_of(job)["metadata"]["uid"] == uid
    ends_well(job, tmp_path / "job")


def ends_well(job: JobOnStage, folder: Path) -> None:
    """Lets the job come to its end: the rank has gone on from its own step, and no rank was ever there twice."""
    (folder / "hold").unlink()
    job.stage.wait(lambda: notes_of(folder), lambda notes: notes == WANTED_NOTES)
    assert first_step(job.stage, pod_of(job)) >= ENOUGH
    job.wait_states("Created", "Running=False", "Succeeded")


def test_a_signal_that_a_program_brings_upon_itself_is_its_own_fault(stage: Stage, tmp_path: Path) -> None:
    job = submitted(stage, tmp_path / "job", "Never")
    os.kill(process_of(tmp_path / "job", VICTIM), signal.SIGSEGV)
    failure = stage.wait(lambda: (job.status().get("failures") or [{}])[0])
    assert (failure["class"], failure["exitCode"], failure["reason"]) == ("user", 139, "SIGSEGV")
    job.delete()
    stage.wait(lambda: stage.all(POD), lambda pods: not pods)
