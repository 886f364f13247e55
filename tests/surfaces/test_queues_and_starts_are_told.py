"""`corral why` in a cluster with queues: quotas that bind, the line of the job's own queue, and when it will start."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.surfaces.conftest import Cli, cli_of
from tests.surfaces.hollow_stage import until


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """Two fake nodes of eight GPUs, and a queue that may have ten: one job has eight of them and says for how long."""
    cli = cli_of(tmp_path_factory.mktemp("cluster") / "a home")
    try:
        assert cli("up", "--no-node", "--fake-nodes", "2x8").returncode == 0
        apply(cli, queue("vision", limit={"nvidia.com/gpu": 10}), queue("speech"))
        apply(cli, job("llama", 8, run_time="2h"))
        until(lambda: cli("why", "llama", "-o", "name").stdout == "running\n", "llama runs")
        apply(cli, job("gpt", 4, workers=1, run_time="1h"))
        until(lambda: "FailedScheduling" in cli("events", "gpt").stdout, "the scheduler has looked at gpt")
        apply(cli, job("vit", 4), job("lost", 1, queue="nowhere"))
        for name in ("vit", "lost"):
            until(lambda name=name: "FailedScheduling" in cli("events", name).stdout, f"it has looked at {name}")  # type: ignore[misc]
        yield cli
    finally:
        cli("down")


def apply(cli: Cli, *objects: dict[str, Any]) -> None:
    done = cli("apply", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    assert done.returncode == 0, done.stderr


def queue(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "corral.dev/v1alpha1", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def job(name: str, gpus: int, workers: int = 0, queue: str = "vision", run_time: str = "") -> dict[str, Any]:
    said = {"corral.dev/run-time": run_time} if run_time else {}
    metadata = {
        "labels": {"corral.dev/queue": queue},
        "annotations": {"corral.dev/fake-run-seconds": "100000", **said},
    }
    container = {"name": "pytorch", "image": "none", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    template = {"metadata": metadata, "spec": {"containers": [container]}}
    roles = {"Master": {"replicas": 1, "template": template}}
    if workers:
        roles["Worker"] = {"replicas": workers, "template": template}
    spec = {"pytorchReplicaSpecs": roles}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}, "spec": spec}


def test_the_quota_of_its_queue_binds_although_there_is_room(cluster: Cli) -> None:
    told = cluster("why", "gpt").stdout
    assert told.splitlines()[0] == (
        "gpt is PENDING: both pods wait: it needs 8 GPUs; the limit of queue vision leaves 2 GPUs"
    )
    assert "  it would start when queue vision may have 6 GPUs more" in told.splitlines()
    assert "  it would start when llama ends or is suspended (it holds 8 GPUs)" in told.splitlines()
    data = json.loads(cluster("why", "gpt", "-o", "json").stdout)
    assert (data["code"], data["numbers"]["needed"], data["numbers"]["free"]) == ("quota-limit", 8, 2)
    assert data["placement"]["turn"] == {"place": 1, "waiting": 2, "queue": "vision"}


def test_the_start_is_told_from_what_jobs_say_of_their_run_time(cluster: Cli) -> None:
    start = json.loads(cluster("why", "gpt", "-o", "json").stdout)["placement"]["start"]
    assert 6600 <= start["seconds"] <= 7200  # llama runs for two hours, less what it has run
    (low, high), (half_low, half_high) = start["eightOfTen"], start["half"]
    assert low < half_low < start["seconds"] < half_high < high
    assert (start["isChecked"], start["ended"]) == (False, 0)
    assert "a wide guess: 0 of the 8 earlier starts are known that it takes to tell" in cluster("why", "gpt").stdout


def test_the_line_is_that_of_its_own_queue(cluster: Cli) -> None:
    assert "2 wait in queue vision, 1 before it" in cluster("why", "vit").stdout


def test_a_queue_that_is_not_there_is_named_with_those_that_are(cluster: Cli) -> None:
    told = cluster("why", "lost").stdout
    assert told.splitlines()[0] == (
        "lost is PENDING: its only pod waits: there is no queue nowhere: there are speech, vision"
    )
    assert "start" not in told


def test_the_scheduler_says_the_same_in_an_event(cluster: Cli) -> None:
    said = "Waits: it needs 8 GPUs; the limit of queue vision leaves 2 GPUs"
    until(lambda: said in cluster("events", "gpt").stdout, "the scheduler explains why gpt waits")
    told = next(line for line in cluster("events", "gpt").stdout.splitlines() if said in line)
    assert "it is number 1 of 2 in queue vision" in told
    assert "start: in about" in told
