"""`corral scale`, `scalein` and `scaleout`: workers of elastic jobs come and go as real processes, inside of their bounds."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.inside.process_stage import ProcessStage

WAIT = ["sleep", "100000"]


def role(replicas: int, container: str) -> dict[str, Any]:
    pod = {"containers": [{"name": container, "image": "none", "command": WAIT}]}
    return {"replicas": replicas, "restartPolicy": "Never", "template": {"spec": pod}}


def pytorch(name: str, workers: int) -> dict[str, Any]:
    policy = {"minReplicas": 1, "maxReplicas": 3, "rdzvBackend": "c10d"}
    spec = {"elasticPolicy": policy, "pytorchReplicaSpecs": {"Worker": role(workers, "pytorch")}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}, "spec": spec}


def mpi(name: str, workers: int) -> dict[str, Any]:
    told = {"corral.dev/min-workers": "1", "corral.dev/max-workers": "3"}
    roles = {"Launcher": role(1, "mpi"), "Worker": role(workers, "mpi")}
    metadata = {"name": name, "annotations": told}
    return {"apiVersion": "kubeflow.org/v1", "kind": "MPIJob", "metadata": metadata, "spec": {"mpiReplicaSpecs": roles}}


@pytest.fixture(scope="module")
def jobs(stage: ProcessStage) -> Iterator[ProcessStage]:
    """An elastic job of each dialect, with one worker."""
    stage.apply(json.dumps(pytorch("grows", 1)))
    stage.apply(json.dumps(mpi("spreads", 1)))
    stage.wait_for_pods("grows", 1)
    stage.wait_for_pods("spreads", 2)
    yield stage
    stage.cli("delete", "grows", "spreads")


def test_workers_of_pytorch_come_and_go(jobs: ProcessStage) -> None:
    first = jobs.cli("exec", "grows", "-i", "worker-0", "--", "sh", "-c", "echo $PPID").stdout
    done = jobs.cli("scale", "grows", "--workers", "3", "--timeout", "60s")
    assert (done.returncode, done.stdout) == (0, "pytorchjob.kubeflow.org/grows scaled from 1 to 3 workers\n"), (
        done.stderr
    )
    assert sorted(jobs.pods("grows")) == ["grows-worker-0", "grows-worker-1", "grows-worker-2"]
    assert (
        jobs.cli("scale", "grows", "--workers", "3").stdout == "pytorchjob.kubeflow.org/grows has 3 workers already\n"
    )
    assert jobs.cli("scalein", "pytorch", "--name", "grows", "--count", "2").returncode == 0
    assert sorted(jobs.pods("grows")) == ["grows-worker-0"]
    assert jobs.cli("exec", "grows", "-i", "worker-0", "--", "sh", "-c", "echo $PPID").stdout == first


def test_workers_of_mpi_come_and_go_and_scripts_hear_of_it(jobs: ProcessStage, tmp_path: Path) -> None:
    """The launcher finds the new workers in its list of hosts, and a script runs in it at the right moment."""
    note = tmp_path / "note"
    line = 'echo "$WHY $(/etc/mpi/discover_hosts.sh | wc -l)" >> "$NOTE"; cat "$NOTE"'
    script = ("--script", line, "--env", f"NOTE={note}", "-e", "WHY=a, b='c'")
    out = jobs.cli("scaleout", "etjob", "--name=spreads", "--count=1", "--timeout=60s", *script)
    assert (out.returncode, out.stdout) == (0, "mpijob.kubeflow.org/spreads scaled from 1 to 2 workers\n"), out.stderr
    assert "a, b='c'" in note.read_text()
    assert sorted(jobs.pods("spreads")) == ["spreads-launcher", "spreads-worker-0", "spreads-worker-1"]
    inward = jobs.cli("scalein", "et", "--name", "spreads", "-t", "60s")
    assert (inward.returncode, inward.stdout) == (0, "mpijob.kubeflow.org/spreads scaled from 2 to 1 workers\n")
    assert sorted(jobs.pods("spreads")) == ["spreads-launcher", "spreads-worker-0"]


def test_a_script_that_fails_is_tried_again_and_keeps_workers_from_going(jobs: ProcessStage, tmp_path: Path) -> None:
    assert jobs.cli("scaleout", "etjob", "--name", "spreads", "-t", "60s").returncode == 0
    count = f"echo x >> {tmp_path / 'tries'}; exit 3"
    done = jobs.cli("scalein", "etjob", "--name", "spreads", "--retry", "2", "--script", count)
    assert (done.returncode, done.stdout) == (1, "")
    assert "the script ended with 3" in done.stderr
    assert (tmp_path / "tries").read_text() == "x\n" * 3
    assert jobs.cli("scalein", "etjob", "--name", "spreads", "-t", "60s").returncode == 0


def test_a_script_is_not_run_for_what_would_be_refused(jobs: ProcessStage, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    done = jobs.cli("scalein", "etjob", "--name", "spreads", "--count", "1", "--script", f"touch {trace}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "0 is outside of 1 to 3" in done.stderr
    assert not trace.exists()


@pytest.mark.parametrize(
    ("words", "want"),
    {
        ("scale", "grows", "--workers", "4"): "grows has 1 workers, and 4 is outside of 1 to 3",
        ("scale", "grows", "--workers", "0"): "grows has 1 workers, and 0 is outside of 1 to 3",
        ("scaleout", "et", "--name", "spreads", "--count", "5"): "spreads has 1 workers, and 6 is outside of 1 to 3",
        ("scalein", "et", "--name", "spreads"): "spreads has 1 workers, and 0 is outside of 1 to 3",
        ("scale", "digits", "--workers", "1"): "digits is not elastic",
        ("scale", "grows", "--workers", "x"): "x",
        ("scaleout", "et", "--name", "spreads", "--env", "1=2"): "NAME=VALUE",
        ("scaleout", "et"): "--name",
    }.items(),
)
def test_what_is_out_of_bounds_is_refused_with_numbers(jobs: ProcessStage, words: tuple[str, ...], want: str) -> None:
    done = jobs.cli(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert want in done.stderr


def test_workers_that_do_not_come_in_time_are_7(jobs: ProcessStage) -> None:
    stuck = pytorch("stuck", 1)
    pod = stuck["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    pod["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 100}}
    jobs.apply(json.dumps(stuck))
    done = jobs.cli("scale", "stuck", "--workers", "2", "--timeout", "1s")
    assert (done.returncode, "0 running workers instead of 2 after 1 s" in done.stderr) == (7, True), done.stderr
    jobs.cli("delete", "stuck")
