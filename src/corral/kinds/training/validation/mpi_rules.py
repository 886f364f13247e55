"""Rules of MPIJob v1, which upstream's operator applied itself: no webhook ever saw this kind."""

from collections.abc import Iterator
from typing import Any

from corral.kinds.objects import Object
from corral.kinds.training.validation.field_error import FieldError, invalid, path_key, required, unsupported

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
    return found


def _role(role: str, given: Object) -> Iterator[FieldError]:
    path = f"{_PATH}[{path_key(role)}]"
    if role not in ROLES:
        yield unsupported(path, role, ROLES)
    containers: list[Any] = ((given.get("template") or {}).get("spec") or {}).get("containers") or []
    if not containers:
        yield required(f"{path}.template.spec.containers", "must be specified")
    for index, container in enumerate(containers):
        for field in ("image", "name"):
            if not container.get(field):
                yield required(f"{path}.template.spec.containers[{index}].{field}", "must be required")
