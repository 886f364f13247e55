"""F22: a job that uses more memory than its limit is killed for it, says how much it used, and is not tried for ever."""

import sys
from typing import Any

import pytest

from corral.kinds.objects import Object
from tests.training.job_on_stage import JobOnStage
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

EATER = "kept = []\nwhile True:\n    kept.append(bytearray(b'x' * 4_000_000))"
LIMIT = "48Mi"


def submit(stage: Stage, **metadata: Any) -> JobOnStage:
    """Starts a job of one master that eats memory, with policy ExitCode and one retry."""
    container = {
        "name": "pytorch",
        "image": "eater",
        "command": [sys.executable, "-c", EATER],
        "resources": {"limits": {"memory": LIMIT}, "requests": {"memory": "1Mi"}},
    }
    role: Object = {"replicas": 1, "restartPolicy": "ExitCode", "template": {"spec": {"containers": [container]}}}
    return stage.send(
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": "eater", **metadata},
            "spec": {"runPolicy": {"backoffLimit": 1}, "pytorchReplicaSpecs": {"Master": role}},
        }
    )


@pytest.mark.parametrize("scope", ["pod", "gang"])
def test_it_is_tried_once_more_and_tells_what_it_used(stage: Stage, scope: str) -> None:
    """With a limit of one retry the job ends at the second time; so does a gang, which knows that a third is in vain."""
    annotations = {"corral.dev/restart-scope": "gang"} if scope == "gang" else {}
    job = submit(stage, annotations=annotations)
    job.stage.wait(job.states, lambda states: "Failed=True" in states)
    failures = job.status()["failures"]
    assert [one["class"] for one in failures] == ["oom", "oom"]
    assert len({one["podUid"] for one in failures}) == 2
    for one in failures:
        assert one["reason"] == "OOMKilled"
        assert "used up to " in one["message"]
        assert "with a limit of 48.0 MiB" in one["message"]
    hints = [message for message in all_messages(job) if "Raise the memory limit" in message]
    assert hints
    assert "used up to " in hints[0]


def all_messages(job: JobOnStage) -> list[str]:
    return [str(one["message"]) for one in job.events()]
