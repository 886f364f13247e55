"""Manifests of training jobs with sane defaults, so that a test writes down only what it is about."""

from typing import Any

from corral.kinds.objects import Object
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import KindFacts

FACTS: dict[str, KindFacts] = {facts.kind: facts for facts in TRAINING_KINDS}

IMAGE = "example.com/train:1"

EVERY_KIND = tuple(FACTS)
INDEXED_KINDS = tuple(kind for kind in FACTS if kind != "MPIJob")
"""The kinds whose pods are all named by role and index, and have services."""

USUAL_ROLES: dict[str, dict[str, int]] = {
    "TFJob": {"Worker": 2},
    "PyTorchJob": {"Master": 1, "Worker": 1},
    "MPIJob": {"Launcher": 1, "Worker": 1},
    "XGBoostJob": {"Master": 1, "Worker": 1},
    "PaddleJob": {"Worker": 2},
    "JAXJob": {"Worker": 2},
    "MXJob": {"Scheduler": 1, "Worker": 1},
}
"""Two pods of each kind; the first role has the pod that decides."""

DECIDING_POD = {
    "TFJob": "worker-0",
    "PyTorchJob": "master-0",
    "MPIJob": "launcher",
    "XGBoostJob": "master-0",
    "PaddleJob": "worker-0",
    "JAXJob": "worker-0",
    "MXJob": "scheduler-0",
}
"""The pod whose running makes the job Running."""


def container(kind: str, **fields: Any) -> Object:
    """Returns the training container of a kind."""
    return {"name": FACTS[kind].container, "image": IMAGE, **fields}


def template(kind: str, *, metadata: Object | None = None, spec: Object | None = None, **fields: Any) -> Object:
    """Returns a pod template; `fields` go into the training container, `spec` beside it."""
    made: Object = {"spec": {"containers": [container(kind, **fields)], **(spec or {})}}
    return {"metadata": metadata, **made} if metadata else made


def role(kind: str, replicas: int | None = 1, policy: str = "", *, pod: Object | None = None, **fields: Any) -> Object:
    """Returns one replica spec; `pod` replaces the whole template, `fields` go into the training container."""
    made: Object = {"template": template(kind, **fields) if pod is None else pod}
    if replicas is not None:
        made["replicas"] = replicas
    if policy:
        made["restartPolicy"] = policy
    return made


def roles_of(kind: str, policy: str = "", **counts: int) -> Object:
    """Returns replica specs by role, all with one restart policy."""
    return {name: role(kind, count, policy) for name, count in (counts or USUAL_ROLES[kind]).items()}


def manifest(
    kind: str,
    name: str,
    roles: Object | None = None,
    *,
    run_policy: Object | None = None,
    metadata: Object | None = None,
    version: str = "v1",
    **spec: Any,
) -> Object:
    """Returns a whole job; a role given as a number gets the default template."""
    facts = FACTS[kind]
    given = USUAL_ROLES[kind] if roles is None else roles
    filled = {key: role(kind, one) if isinstance(one, int) else one for key, one in given.items()}
    if kind == "MXJob":
        spec.setdefault("jobMode", "MXTrain")
    if run_policy is not None:
        spec["runPolicy"] = run_policy
    return {
        "apiVersion": f"kubeflow.org/{version}",
        "kind": kind,
        "metadata": {"name": name, **(metadata or {})},
        "spec": {facts.map_field: filled, **spec},
    }
