"""Rules of MPIJob v1, which upstream's operator applied itself: no webhook ever saw this kind."""

import re
from collections.abc import Iterator
from typing import Any, get_args

from corral.kinds.objects import Object
from corral.kinds.training.facts import RestartPolicy
from corral.kinds.training.validation.field_error import FieldError, invalid, path_key, quoted, required, unsupported
from corral.kinds.training.validation.job_rules import CLEAN_POD_POLICIES, LABEL, LONGEST_NAME, NOT_A_LABEL

RESTART_POLICIES: tuple[str, ...] = get_args(RestartPolicy)
ROLES = ("Launcher", "Worker")
_PATH = "spec.mpiReplicaSpecs"


def mpi_errors(obj: Object) -> list[FieldError]:
    """Returns everything that is wrong with an MPIJob of the first dialect."""
    given = (obj.get("spec") or {}).get("mpiReplicaSpecs")
    if not given:
        return [required(_PATH, "must be required")]
    found = [error for role, one in given.items() for error in _role(role, one or {})]
    if "Launcher" not in given:
        found.append(required(f"{_PATH}[Launcher]", "must be present"))
    elif (given["Launcher"] or {}).get("replicas") not in (None, 1):
        found.append(invalid(f"{_PATH}[Launcher].replicas", given["Launcher"]["replicas"], "must be 1"))
    return [*_names(obj["metadata"]["name"], given), *found, *_policy((obj.get("spec") or {}).get("runPolicy") or {})]


def _names(name: str, given: Object) -> Iterator[FieldError]:
    """The name of every pod is its host name; the launcher and the last worker have the longest ones."""
    count = (given.get("Worker") or {}).get("replicas")
    last = f"{name}-worker-{max(1, 1 if count is None else count) - 1}"
    names = [f"{name}-launcher", *([last] if "Worker" in given and count != 0 else ())]
    longest = max(names, key=len)
    if not re.fullmatch(LABEL, longest):
        yield invalid("metadata.name", name, f"should match: {NOT_A_LABEL}")
    if len(longest) > LONGEST_NAME:
        told = (
            f"its pod {quoted(longest)} would have a name of {len(longest)} characters, and {LONGEST_NAME} are allowed"
        )
        yield invalid("metadata.name", name, f"is too long: {told}")


def _policy(given: Object) -> Iterator[FieldError]:
    path, policy = "spec.runPolicy", given.get("cleanPodPolicy")
    if policy and policy not in CLEAN_POD_POLICIES:
        yield unsupported(f"{path}.cleanPodPolicy", policy, CLEAN_POD_POLICIES)
    for field in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"):
        if isinstance(count := given.get(field), int) and count < 0:
            yield invalid(f"{path}.{field}", count, "must be greater than or equal to 0")


def _role(role: str, given: Object) -> Iterator[FieldError]:
    path = f"{_PATH}[{path_key(role)}]"
    if role not in ROLES:
        yield unsupported(path, role, ROLES)
    if (policy := given.get("restartPolicy")) and policy not in RESTART_POLICIES:
        yield unsupported(f"{path}.restartPolicy", policy, RESTART_POLICIES)
    containers: list[Any] = ((given.get("template") or {}).get("spec") or {}).get("containers") or []
    if not containers:
        yield required(f"{path}.template.spec.containers", "must be specified")
    for index, container in enumerate(containers):
        for field in ("image", "name"):
            if not container.get(field):
                yield required(f"{path}.template.spec.containers[{index}].{field}", "must be required")
