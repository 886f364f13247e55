"""The jobs that are measured are the examples' own: only name, steps, variables and volumes differ."""

import pytest

from corral.kinds.training.catalogue import facts_of
from tools.bench.node.manifests import MARK, idle_pods, job_in, measured, roles_of, with_replicas
from tools.bench.node.overhead import EXAMPLES, TRAININGS, Training
from tools.bench.node.servers import FOLDER, MODES


@pytest.mark.parametrize("training", TRAININGS, ids=lambda one: one.name)
def test_a_measured_job_takes_its_steps_and_fresh_volumes(training: Training) -> None:
    before = job_in(training.path / "job.yaml")
    job = measured(before, "bench-1", ("--steps", "7"), {MARK: "bench-1"})
    assert job["metadata"]["name"] == "bench-1"
    assert facts_of(job).resource == facts_of(before).resource
    specs = [role["template"]["spec"] for role in roles_of(job).values()]
    for spec in specs:
        assert {"name": MARK, "value": "bench-1"} in spec["containers"][0]["env"]
        assert not any("persistentVolumeClaim" in volume for volume in spec.get("volumes") or ())
        assert "limits" not in (spec["containers"][0].get("resources") or {})
    commands = [spec["containers"][0]["command"] for spec in specs if "command" in spec["containers"][0]]
    assert commands
    assert all(command[-2:] == ["--steps", "7"] for command in commands)


def test_the_manifest_itself_is_left_alone() -> None:
    before = job_in(EXAMPLES / "10-pytorch-ddp" / "job.yaml")
    measured(before, "bench-1", ("--steps", "7"), {MARK: "bench-1"})
    assert before == job_in(EXAMPLES / "10-pytorch-ddp" / "job.yaml")


@pytest.mark.parametrize("mode", MODES)
def test_workers_of_parameter_servers_can_be_counted(mode: str) -> None:
    job = with_replicas(job_in(FOLDER / f"{mode}.yaml"), "Worker", 4)
    assert {name: role["replicas"] for name, role in roles_of(job).items()} == {"PS": 1, "Worker": 4}


def test_idle_pods_differ_by_name_only() -> None:
    pods = list(idle_pods("crowd", 3, 2))
    assert [pod["metadata"]["name"] for pod in pods] == ["crowd-0", "crowd-1", "crowd-2"]
    assert [len(pod["spec"]["containers"]) for pod in pods] == [2, 2, 2]
