"""Wrong jobs: what is done to a good job of some kinds, and every error that it must get, word for word.

`MAP` stands for the kind's replica map, `CONTAINERS` for the containers of the kind's first usual role, `NAME` for the
kind's training container.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from corral.kinds.objects import Object
from tests.training.manifests import FACTS, INDEXED_KINDS, USUAL_ROLES, manifest, role


class Row(NamedTuple):
    """One way to be wrong."""

    kinds: tuple[str, ...]
    spoil: Callable[[Object, Object], Any]
    """Called with the job and its replica map."""
    errors: tuple[str, ...]
    on_update: tuple[str, ...] = ()
    """Errors that come first when a good job becomes this one."""


WITH_MASTER = ("PyTorchJob", "XGBoostJob")
ELASTIC = ("PyTorchJob", "PaddleJob")
NOT_LABEL = (
    "should match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
MANAGERS = 'supported values: "kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"'


def first(roles: Object) -> Object:
    found: Object = next(iter(roles.values()))
    return found


def pod(roles: Object) -> Object:
    found: Object = first(roles)["template"]["spec"]
    return found


def training_container(roles: Object) -> Object:
    found: Object = pod(roles)["containers"][0]
    return found


def elastic(**policy: Any) -> Callable[[Object, Object], Any]:
    return lambda job, roles: job["spec"].update(elasticPolicy=policy)


def run_policy(**policy: Any) -> Callable[[Object, Object], Any]:
    return lambda job, roles: job["spec"]["runPolicy"].update(policy)


def ports(*given: Object) -> Callable[[Object, Object], Any]:
    return lambda job, roles: training_container(roles).update(ports=list(given))


def _elastic_without_workers(job: Object, roles: Object) -> None:
    roles.pop("Worker")
    job["spec"]["elasticPolicy"] = {"maxReplicas": 3}


def _default_port_taken(job: Object, roles: Object) -> None:
    training_container(roles)["ports"] = [{"name": "http", "containerPort": FACTS[job["kind"]].port}]


ROWS = {
    "empty map": Row(
        ("TFJob", "PyTorchJob", "PaddleJob", "JAXJob", "MXJob"),
        lambda job, roles: roles.clear(),
        ("spec.MAP: Required value: must be required",),
    ),
    "empty map of a kind that needs a role": Row(
        ("XGBoostJob",), lambda job, roles: roles.clear(), ("spec.MAP[Master]: Required value: must be present",)
    ),
    "unknown roles": Row(
        INDEXED_KINDS,
        lambda job, roles: roles.update(Zoo=role(job["kind"]), Boss=role(job["kind"])),
        (
            'spec.MAP[Boss]: Unsupported value: "Boss": supported values: ROLES',
            'spec.MAP[Zoo]: Unsupported value: "Zoo": supported values: ROLES',
        ),
    ),
    "a role with a line break": Row(
        ("TFJob",),
        lambda job, roles: roles.update({'a\n"b': role(job["kind"])}),
        ('spec.MAP[a\\n\\"b]: Unsupported value: "a\\n\\"b": supported values: ROLES',),
    ),
    "a role in another case": Row(
        ("PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob"),
        lambda job, roles: roles.update(worker=role(job["kind"])),
        ('spec.MAP[worker]: Unsupported value: "worker": supported values: ROLES',),
    ),
    "a role in two cases": Row(
        ("TFJob", "MXJob"),
        lambda job, roles: roles.update(worker=role(job["kind"])),
        ('spec.MAP[worker]: Duplicate value: "worker"',),
    ),
    "no containers": Row(
        INDEXED_KINDS,
        lambda job, roles: pod(roles).update(containers=[]),
        (
            "CONTAINERS: Required value: must be specified",
            "CONTAINERS: Required value: must have at least one container with name NAME",
        ),
    ),
    "no image": Row(
        INDEXED_KINDS,
        lambda job, roles: training_container(roles).pop("image"),
        ("CONTAINERS[0].image: Required value: must be required",),
    ),
    "no images": Row(
        INDEXED_KINDS,
        lambda job, roles: pod(roles)["containers"].extend([{"name": "a", "image": ""}, {"name": "b"}]),
        (
            "CONTAINERS[1].image: Required value: must be required",
            "CONTAINERS[2].image: Required value: must be required",
        ),
    ),
    "no training container": Row(
        INDEXED_KINDS,
        lambda job, roles: training_container(roles).update(name="another"),
        ("CONTAINERS: Required value: must have at least one container with name NAME",),
    ),
    "too many containers": Row(
        ("JAXJob",),
        lambda job, roles: pod(roles)["containers"].extend({"name": f"c{i}", "image": "x"} for i in range(64)),
        ("CONTAINERS: Too many: 65: must have at most 64 items",),
    ),
    "chief and master": Row(
        ("TFJob",),
        lambda job, roles: roles.update(chief=role("TFJob"), Master=role("TFJob")),
        ("spec.MAP: Forbidden: must not have more than 1 Chief or Master role",),
    ),
    "two masters": Row(
        WITH_MASTER,
        lambda job, roles: roles["Master"].update(replicas=2),
        ("spec.MAP[Master].replicas: Forbidden: must be 1",),
    ),
    "master without a number": Row(
        WITH_MASTER,
        lambda job, roles: roles["Master"].pop("replicas"),
        ("spec.MAP[Master].replicas: Forbidden: must be 1",),
    ),
    "no worker": Row(
        ("PyTorchJob",),
        lambda job, roles: roles["Worker"].update(replicas=0),
        ("spec.MAP[Worker].replicas: Forbidden: must be at least 1",),
    ),
    "no master": Row(
        ("XGBoostJob",), lambda job, roles: roles.pop("Master"), ("spec.MAP[Master]: Required value: must be present",)
    ),
    "elastic without workers": Row(
        ("PyTorchJob",),
        _elastic_without_workers,
        ("spec.MAP[Worker]: Required value: must be configured if elastic policy is used",),
    ),
    "two numbers of processes": Row(
        ("PyTorchJob",),
        lambda job, roles: job["spec"].update(elasticPolicy={"nProcPerNode": 2}, nprocPerNode="2"),
        ("spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode",),
    ),
    "another manager": Row(
        INDEXED_KINDS,
        run_policy(managedBy="example.com/other"),
        (f'spec.runPolicy.managedBy: Unsupported value: "example.com/other": {MANAGERS}',),
        ('spec.runPolicy.managedBy: Invalid value: "example.com/other": field is immutable',),
    ),
    "fewer than no pods at once": Row(
        INDEXED_KINDS,
        run_policy(schedulingPolicy={"minAvailable": -1}),
        ("spec.runPolicy.schedulingPolicy.minAvailable: Invalid value: -1: must be greater than or equal to 0",),
    ),
    "an empty gang": Row(
        ("TFJob", "PaddleJob", "JAXJob"),
        lambda job, roles: (
            job["spec"]["runPolicy"].update(schedulingPolicy={"queue": "q"}),
            first(roles).update(replicas=0),
        ),
        ("spec.MAP: Forbidden: must have at least one pod when spec.runPolicy.schedulingPolicy is used",),
    ),
    "least above most": Row(
        ELASTIC,
        elastic(minReplicas=3, maxReplicas=2),
        ("spec.elasticPolicy.minReplicas: Invalid value: 3: must not be greater than spec.elasticPolicy.maxReplicas",),
    ),
    "a port beyond all ports": Row(
        INDEXED_KINDS,
        ports({"name": "a", "containerPort": 80}, {"name": "b", "containerPort": 70000}),
        ("CONTAINERS[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",),
    ),
    "a name of two ports": Row(
        INDEXED_KINDS,
        ports({"name": "a", "containerPort": 80}, {"name": "a", "containerPort": 81}),
        ('CONTAINERS[0].ports[1].name: Duplicate value: "a"',),
    ),
    "the default port under another name": Row(
        INDEXED_KINDS,
        _default_port_taken,
        (
            'CONTAINERS[0].ports[0].containerPort: Invalid value: PORT: is the number of port "PORT_NAME", which every '
            "job has: give this port that name or another number",
        ),
    ),
    "half a device": Row(
        INDEXED_KINDS,
        lambda job, roles: training_container(roles).update(
            resources={
                "limits": {"nvidia.com/gpu": "500m", "amd.com/gpu": "1.5", "cpu": "0.5", "a.com/b": 2, "c.com/d": "1k"},
                "requests": {"nvidia.com/gpu": "1000m", "kubernetes.io/x": "0.5", "a.com/b": "0.1Ki"},
            }
        ),
        (
            'CONTAINERS[0].resources.limits[amd.com/gpu]: Invalid value: "1.5": must be an integer',
            'CONTAINERS[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer',
            'CONTAINERS[0].resources.requests[a.com/b]: Invalid value: "0.1Ki": must be an integer',
        ),
    ),
    "everything at once": Row(
        ("XGBoostJob",),
        lambda job, roles: (
            roles.update(Boss=role("XGBoostJob")),
            roles["Worker"]["template"]["spec"].update(containers=[]),
            roles.pop("Master"),
        ),
        (
            'spec.MAP[Boss]: Unsupported value: "Boss": supported values: ROLES',
            "spec.MAP[Worker].template.spec.containers: Required value: must be specified",
            "spec.MAP[Worker].template.spec.containers: Required value: must have at least one container with name NAME",
            "spec.MAP[Master]: Required value: must be present",
        ),
    ),
}


def good(kind: str, name: str = "job") -> Object:
    """Returns a job that is let in."""
    return manifest(kind, name, run_policy={"suspend": True})


def spoilt(kind: str, row: Row) -> tuple[Object, list[str]]:
    """Returns a job that breaks rules, and its errors."""
    job, facts = good(kind), FACTS[kind]
    row.spoil(job, job["spec"][facts.map_field])
    words = {
        "CONTAINERS": f"spec.MAP[{next(iter(USUAL_ROLES[kind]))}].template.spec.containers",
        "MAP": facts.map_field,
        "PORT_NAME": facts.port_name,
        "ROLES": ", ".join(f'"{one}"' for one in facts.roles),
        "NAME": facts.container,
        "PORT": str(facts.port),
    }
    return job, [_filled(error, words) for error in row.errors]


def _filled(error: str, words: dict[str, str]) -> str:
    for word, meaning in words.items():
        error = error.replace(word, meaning)
    return error
