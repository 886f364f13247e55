"""The list of conditions: which reasons and messages each kind writes, and how the list changes."""

from typing import NamedTuple

import pytest

from tests.training.kubelet_words import now
from tests.training.manifests import role, roles_of
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


class Words(NamedTuple):
    """A job and whether its messages about running and success name the namespace."""

    kind: str
    roles: dict[str, int]
    in_full: bool
    decides: tuple[str, ...]
    """The pods that must succeed."""


WORDS = {
    "TFJob": Words("TFJob", {"Worker": 2}, True, ("worker-0",)),
    "PyTorchJob with master": Words("PyTorchJob", {"Master": 1, "Worker": 1}, False, ("master-0",)),
    "PyTorchJob of workers": Words("PyTorchJob", {"Worker": 2}, True, ("worker-0", "worker-1")),
    "PaddleJob with master": Words("PaddleJob", {"Master": 1, "Worker": 1}, False, ("master-0",)),
    "PaddleJob of workers": Words("PaddleJob", {"Worker": 2}, True, ("worker-0", "worker-1")),
    "JAXJob": Words("JAXJob", {"Worker": 2}, True, ("worker-0", "worker-1")),
    "XGBoostJob": Words("XGBoostJob", {"Master": 1, "Worker": 1}, False, ("master-0",)),
    "MPIJob": Words("MPIJob", {"Launcher": 1, "Worker": 1}, False, ("launcher",)),
}


@case("reasons-and-messages", "condition-events", "finished-not-running")
@pytest.mark.parametrize("name", WORDS)
def test_a_job_runs_and_succeeds_in_the_words_of_its_kind(stage: Stage, name: str) -> None:
    words = WORDS[name]
    kind = words.kind
    job = stage.submit(kind, roles=roles_of(kind, "Never", **words.roles))
    stage.wait(job.pods, lambda seen: len(seen) == 2)
    job.run()
    job.wait_states("Created", "Running")
    created, running = job.condition("Created"), job.condition("Running")
    full = f"{stage.namespace}/job" if words.in_full else "job"
    assert (created["reason"], created["message"]) == (f"{kind}Created", f"{kind} job is created.")
    assert (running["reason"], running["message"]) == (f"{kind}Running", f"{kind} {full} is running.")
    for short in words.decides:
        job.set_phase(short, "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")
    done = job.condition("Succeeded")
    said = f"{kind} {full} successfully completed." if words.in_full else f"{kind} job is successfully completed."
    assert (done["reason"], done["message"]) == (f"{kind}Succeeded", said)
    assert job.wait_event(f"{kind}Succeeded", said)["type"] == "Normal"
    for one in job.status()["conditions"]:
        assert set(one) == {"type", "status", "reason", "message", "lastUpdateTime", "lastTransitionTime"}


@case("reasons-and-messages", "condition-events", "finished-not-running", "times")
@pytest.mark.parametrize("name", WORDS)
def test_a_job_fails_in_the_words_of_its_kind(stage: Stage, name: str) -> None:
    words = WORDS[name]
    kind = words.kind
    job = stage.submit(kind, roles=roles_of(kind, "Never", **words.roles))
    stage.wait(job.pods, lambda seen: len(seen) == 2)
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("worker-0", "Failed", 1)
    status = job.wait_states("Created", "Running=False", "Failed")
    failed = job.condition("Failed")
    if kind == "TFJob":
        said = f"TFJob {stage.namespace}/job has failed because 1 Worker replica(s) failed."
    else:
        said = f"{kind} job is failed because 1 Worker replica(s) failed."
    assert failed["message"] == said
    assert failed["reason"] == f"{kind}Failed" or kind == "MPIJob"
    assert status["completionTime"]
    stage.wait(lambda: said in {str(one["message"]) for one in job.events(failed["reason"])})


RESTARTED = {"TFJob": "worker-0", "PyTorchJob": "master-0", "PaddleJob": "worker-0", "JAXJob": "worker-0"}


@case("reasons-and-messages", "condition-events", "restarting-or-running")
@pytest.mark.parametrize("kind", [*RESTARTED, "XGBoostJob"])
def test_a_job_restarts_in_the_words_of_its_kind(stage: Stage, kind: str) -> None:
    first = "Master" if kind in ("PyTorchJob", "XGBoostJob") else "Worker"
    short = f"{first.lower()}-0"
    job = stage.submit(kind, roles={first: role(kind, 1, "ExitCode")})
    job.wait_pods(short)
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase(short, "Failed", 137)
    job.wait_states("Created", "Restarting")
    forms = {
        f"job job is restarting because {first} replica(s) failed.",
        f"{kind} job is restarting because 1 {first} replica(s) failed.",
    }
    restarting = job.condition("Restarting")
    assert restarting["reason"] == f"{kind}Restarting"
    assert restarting["message"] in forms
    found = stage.wait(lambda: job.events(f"{kind}Restarting"))
    assert {one["message"] for one in found} <= forms
    assert {one["type"] for one in found} == {"Warning"}
    job.run(short)
    job.wait_states("Created", "Running")


@case(43)
@pytest.mark.parametrize("kind", ["TFJob", "PyTorchJob", "JAXJob"])
def test_a_failed_job_stays_as_it_is(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": role(kind, 2, "Never")})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("worker-1", "Failed", 1)
    job.wait_state("Failed")
    before = job.status()["conditions"]
    job.set_phase("worker-0", "Succeeded")
    stage.settled()
    job.set_run_policy(suspend=True)
    stage.settled()
    assert job.status()["conditions"] == before


@case("condition-order")
def test_an_unchanged_condition_is_left_alone(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": 3})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.run("worker-0")
    before = job.wait_states("Created", "Running")["conditions"]
    stage.wait(lambda: now() > before[1]["lastUpdateTime"])
    job.run("worker-1", "worker-2")
    job.wait_counts("Worker", active=3)
    assert job.status()["conditions"] == before


@case("condition-order")
def test_a_condition_that_changes_moves_to_the_end(stage: Stage) -> None:
    job = stage.submit("TFJob")
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    job.set_run_policy(suspend=True)
    job.wait_states("Created", "Running=False", "Suspended")
    job.set_run_policy(suspend=False)
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Suspended=False", "Running")


@case("finished-not-running", "selector")
def test_the_example_of_the_contract(stage: Stage) -> None:
    roles = {"Master": role("PyTorchJob", 1), "Worker": role("PyTorchJob", 2)}
    job = stage.submit("PyTorchJob", "ddp", roles=roles)
    job.wait_pods("master-0", "worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    for short in ("worker-0", "worker-1", "master-0"):
        job.set_phase(short, "Succeeded")
    job.wait_state("Succeeded")
    status = job.wait_status(lambda seen: seen["replicaStatuses"]["Worker"].get("succeeded") == 2)
    told = [(one["type"], one["status"], one["reason"], one["message"]) for one in status["conditions"]]
    assert told == [
        ("Created", "True", "PyTorchJobCreated", "PyTorchJob ddp is created."),
        ("Running", "False", "PyTorchJobRunning", "PyTorchJob ddp is running."),
        ("Succeeded", "True", "PyTorchJobSucceeded", "PyTorchJob ddp is successfully completed."),
    ]
    labels = "training.kubeflow.org/job-name=ddp,training.kubeflow.org/operator-name=pytorchjob-controller"
    assert status["replicaStatuses"] == {
        "Master": {"succeeded": 1, "selector": f"{labels},training.kubeflow.org/replica-type=master"},
        "Worker": {"succeeded": 2, "selector": f"{labels},training.kubeflow.org/replica-type=worker"},
    }
    assert status["startTime"] <= status["completionTime"]


@case("unseen-running")
@pytest.mark.parametrize("kind", ["TFJob", "PyTorchJob", "JAXJob", "XGBoostJob"])
def test_a_job_that_ends_at_once(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    for short in stage.wait(job.pods, lambda seen: len(seen) == 2):
        job.set_phase(short, "Succeeded")
    job.wait_state("Succeeded")
    unseen = ["Running=False"] if kind == "XGBoostJob" else []
    assert job.states() == ["Created=True", *unseen, "Succeeded=True"]


@case("mxnet-outcomes")
def test_the_scheduler_of_mxnet_decides(stage: Stage) -> None:
    job = stage.submit("MXJob", roles={"Scheduler": 1, "Server": 1, "Worker": 1})
    job.wait_pods("scheduler-0", "server-0", "worker-0")
    job.run("worker-0", "server-0")
    job.wait_counts("Worker", active=1)
    assert job.states() == ["Created=True"]
    job.run("scheduler-0")
    job.wait_states("Created", "Running")
    job.set_phase("worker-0", "Succeeded")
    job.wait_counts("Worker", succeeded=1)
    assert job.states() == ["Created=True", "Running=True"]
    job.set_phase("scheduler-0", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")


@case("mxnet-outcomes")
def test_the_only_worker_of_mxnet_decides(stage: Stage) -> None:
    job = stage.submit("MXJob", roles={"Worker": 1})
    job.wait_pods("worker-0")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("worker-0", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")


@case("paddle-outcomes", "success-takes-active")
def test_the_master_of_paddle_decides(stage: Stage) -> None:
    job = stage.submit("PaddleJob", roles={"Master": 1, "Worker": 2})
    job.wait_pods("master-0", "worker-0", "worker-1")
    job.run("worker-0", "worker-1")
    job.wait_counts("Worker", active=2)
    assert job.states() == ["Created=True"]
    job.run("master-0")
    job.wait_states("Created", "Running")
    job.set_phase("master-0", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")
    job.wait_counts("Worker", succeeded=2)


@case("paddle-outcomes")
def test_all_workers_of_paddle_decide(stage: Stage) -> None:
    job = stage.submit("PaddleJob", roles={"Worker": 2})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.set_phase("worker-0", "Succeeded")
    job.wait_counts("Worker", active=1, succeeded=1)
    job.never("Succeeded")
    job.set_phase("worker-1", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")
