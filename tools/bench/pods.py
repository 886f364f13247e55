"""The pods that are measured with: about 4.8 KB as stored, with what pods of training jobs carry."""

import json
from typing import Any

NAMESPACE = "bench"
GROUPS = 100
"""One pod in a hundred carries each value of the label `group`, so that a selector has something to leave out."""


def pod(name: str, number: int) -> dict[str, Any]:
    """Returns a worker of a training job as its operator would send it."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {
                "training.kubeflow.org/job-name": f"job-{number // 8}",
                "training.kubeflow.org/replica-type": "worker",
                "training.kubeflow.org/replica-index": str(number % 8),
                "training.kubeflow.org/operator-name": "pytorchjob-controller",
                "group": f"g{number % GROUPS}",
            },
            "annotations": {"corral.dev/note": "n" * 120, "bench/sent": "0"},
            "ownerReferences": [
                {
                    "apiVersion": "kubeflow.org/v1",
                    "kind": "PyTorchJob",
                    "name": f"job-{number // 8}",
                    "uid": "0f4c0a86-7c0f-4f55-9b0e-6f0a5a1c2d3e",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "schedulerName": "corral",
            "containers": [_container(number)],
            "volumes": [
                {"name": "data", "persistentVolumeClaim": {"claimName": "imagenet"}},
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}},
            ],
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        },
    }


def _container(number: int) -> dict[str, Any]:
    amounts = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"}
    return {
        "name": "pytorch",
        "image": "registry.example.com/team/train:2026.11",
        "command": ["torchrun", "--nnodes=8", "train.py", "--epochs=90", "--data=/data/imagenet"],
        "env": [{"name": f"SETTING_{i:02}", "value": f"value-{i}-of-this-job"} for i in range(10)],
        "ports": [{"name": "pytorchjob-port", "containerPort": 23456}],
        "resources": {"requests": amounts, "limits": amounts},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}, {"name": "shm", "mountPath": "/dev/shm"}],  # noqa: S108
    }


def encoded(name: str, number: int) -> bytes:
    """Returns a pod as the bytes of a request."""
    return json.dumps(pod(name, number), separators=(",", ":")).encode()


def applied(name: str, image: str) -> bytes:
    """Returns what a server-side apply sends: only the fields that its manager cares about."""
    spec = {"containers": [{"name": "pytorch", "image": image}]}
    labels = {"applied-by": "bench"}
    return json.dumps(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}
    ).encode()


def path(name: str = "", *, namespace: str = NAMESPACE, subresource: str = "") -> str:
    """Returns the path of a pod, or of all pods of a namespace."""
    parts = [f"/api/v1/namespaces/{namespace}/pods", name, subresource]
    return "/".join(part for part in parts if part)
