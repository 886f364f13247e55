"""The jobs that are measured with: PyTorchJobs of one master and many workers, with a plain template."""

from typing import Any

from corral.kinds.references import ApiResource
from corral.kinds.training.pytorch import PYTORCH_JOB

RESOURCE: ApiResource = PYTORCH_JOB.resource
GANG = 10
"""Pods of an ordinary job."""


def job(name: str, namespace: str, pods: int = GANG) -> dict[str, Any]:
    """Returns a job of one master and as many workers as make up the number of pods."""
    return {
        "apiVersion": RESOURCE.api_version,
        "kind": RESOURCE.kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"pytorchReplicaSpecs": {"Master": _replicas(1), "Worker": _replicas(pods - 1)}},
    }


def first_pod(name: str) -> str:
    """Returns the name of the first pod of a job."""
    return f"{name}-master-0"


def _replicas(count: int) -> dict[str, Any]:
    container = {
        "name": "pytorch",
        "image": "registry.example.com/team/train:2026.11",
        "command": ["torchrun", "train.py", "--epochs=90", "--data=/data/imagenet"],
        "env": [{"name": f"SETTING_{i:02}", "value": f"value-{i}-of-this-job"} for i in range(5)],
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
    }
    return {"replicas": count, "restartPolicy": "OnFailure", "template": {"spec": {"containers": [container]}}}
