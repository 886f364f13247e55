"""The jobs that are measured: the examples' own manifests with another name and fewer steps, and a few tiny ones. Pure."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from corral.kinds.objects import Object

NAMESPACE = "default"
MARK = "CORRAL_BENCH_RUN"
"""The variable by which all processes of one run are found, whoever started them."""


def job_in(path: Path) -> Object:
    """Returns the training job of a manifest of ours."""
    documents: list[Object] = [one for one in yaml.safe_load_all(path.read_text()) if one["kind"].endswith("Job")]
    return documents[0]


def measured(job: Object, name: str, words: Sequence[str], env: Mapping[str, str]) -> Object:
    """Returns a job under another name, with words added to every command, more variables, and new volumes each time."""
    changed = copy.deepcopy(job)
    changed["metadata"] = {**changed["metadata"], "name": name, "namespace": NAMESPACE}
    for role in roles_of(changed).values():
        spec = role["template"] = copy.deepcopy(role["template"])  # roles of a manifest may share one by an anchor
        for container in spec["spec"]["containers"]:
            if "command" in container:
                container["command"] = [*container["command"], *words]
            more = [{"name": variable, "value": value} for variable, value in env.items()]
            container["env"] = [*(container.get("env") or ()), *more]
        for volume in spec["spec"].get("volumes") or ():
            if volume.pop("persistentVolumeClaim", None):
                volume["emptyDir"] = {}
    return changed


def roles_of(job: Object) -> dict[str, Object]:
    """Returns the replica specs of a job by role."""
    return next(value for name, value in job["spec"].items() if name.endswith("ReplicaSpecs"))


def with_replicas(job: Object, role: str, count: int) -> Object:
    """Returns a job with so many replicas of a role."""
    changed = copy.deepcopy(job)
    roles_of(changed)[role]["replicas"] = count
    return changed


def two_ranks(name: str, command: Sequence[str]) -> Object:
    """Returns a PyTorchJob of a master and a worker that run a command."""
    container = {"name": "pytorch", "image": "bench", "command": list(command)}

    def role() -> Object:
        return {"replicas": 1, "restartPolicy": "Never", "template": {"spec": {"containers": [dict(container)]}}}

    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"pytorchReplicaSpecs": {"Master": role(), "Worker": role()}},
    }


def idle_pods(prefix: str, count: int, containers: int) -> Iterator[Object]:
    """Yields pods whose containers do nothing for a long time."""
    for number in range(count):
        yield {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{prefix}-{number}", "namespace": NAMESPACE, "labels": {"bench": prefix}},
            "spec": {
                "restartPolicy": "Never",
                "containers": [
                    {"name": f"idle-{one}", "image": "bench", "command": ["sleep", "100000"]}
                    for one in range(containers)
                ],
            },
        }
