"""Rules of MPIJob v2beta1, which the operator applies itself: the server lets such jobs in, and an event tells what is wrong."""

import re
from collections.abc import Iterator
from typing import Any

from corral.kinds.objects import Object
from corral.kinds.training.mpi import CREATION_POLICIES, IMPLEMENTATIONS, MPI_OPERATOR
from corral.kinds.training.run_policy import MULTIKUEUE
from corral.kinds.training.validation.field_error import FieldError, invalid, quoted, required, unsupported
from corral.kinds.training.validation.job_rules import LABEL, LONGEST_NAME, NOT_A_LABEL

CLEAN_POLICIES = ("None", "Running", "All")
RESTART_POLICIES = ("Never", "OnFailure")

_TOO_LONG = f"must be no more than {LONGEST_NAME} characters"
_NEGATIVE = "must be greater than or equal to 0"


def mpi_v2_errors(obj: Object) -> list[FieldError]:
    """Returns everything that is wrong with an MPIJob of the second dialect; the server has filled in its defaults."""
    spec = obj.get("spec") or {}
    found = [*_name(obj, spec), *_replica_specs(spec.get("mpiReplicaSpecs")), *_policy(spec.get("runPolicy") or {})]
    found += _not_negative("spec.slotsPerWorker", spec.get("slotsPerWorker"))
    found += _one_of("spec.mpiImplementation", spec.get("mpiImplementation"), IMPLEMENTATIONS)
    found += _one_of("spec.launcherCreationPolicy", spec.get("launcherCreationPolicy"), CREATION_POLICIES)
    return found


def _name(obj: Object, spec: Object) -> Iterator[FieldError]:
    """The last worker has the longest name, and every pod's name is its host name."""
    name = str(obj["metadata"]["name"])
    worker = (spec.get("mpiReplicaSpecs") or {}).get("Worker") or {}
    last = f"{name}-worker-{max(1, worker.get('replicas') or 1) - 1}"
    faults = []
    if len(last) > LONGEST_NAME:
        faults.append(_TOO_LONG)
    if not re.fullmatch(LABEL, last):
        faults.append(NOT_A_LABEL)
    if faults:
        told = f"will not able to create pod and service with invalid DNS label {quoted(last)}: {', '.join(faults)}"
        yield invalid("metadata.name", name, told)


def _replica_specs(given: Any) -> Iterator[FieldError]:
    path = "spec.mpiReplicaSpecs"
    if not given:
        yield required(path, "must have replica specs")
        return
    for role in given:
        if role not in ("Launcher", "Worker"):
            yield unsupported(f"{path}[{role}]", role, ("Launcher", "Worker"))
    if not given.get("Launcher"):
        yield required(f"{path}[Launcher]", "must have Launcher replica spec")
    else:
        yield from _replicas(f"{path}[Launcher]", given["Launcher"])
        count = given["Launcher"].get("replicas")
        if count not in (None, 1):
            yield invalid(f"{path}[Launcher].replicas", count, "must be 1")
    if given.get("Worker") is not None:
        yield from _replicas(f"{path}[Worker]", given["Worker"])
        count = given["Worker"].get("replicas") or 0
        if count < 1:
            yield invalid(f"{path}[Worker].replicas", count, "must be greater than or equal to 1")


def _replicas(path: str, given: Object) -> Iterator[FieldError]:
    yield from _one_of(f"{path}.restartPolicy", given.get("restartPolicy"), RESTART_POLICIES)
    if not ((given.get("template") or {}).get("spec") or {}).get("containers"):
        yield required(f"{path}.template.spec.containers", "must define at least one container")


def _policy(given: Object) -> Iterator[FieldError]:
    path = "spec.runPolicy"
    yield from _one_of(f"{path}.cleanPodPolicy", given.get("cleanPodPolicy"), CLEAN_POLICIES)
    for field in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"):
        yield from _not_negative(f"{path}.{field}", given.get(field))
    yield from _one_of(f"{path}.managedBy", given.get("managedBy"), (MPI_OPERATOR, MULTIKUEUE))


def _one_of(path: str, value: Any, allowed: tuple[str, ...]) -> Iterator[FieldError]:
    """Absent and empty values have a default, so they are right."""
    if value and value not in allowed:
        yield unsupported(path, value, sorted(allowed))


def _not_negative(path: str, value: Any) -> Iterator[FieldError]:
    if isinstance(value, int) and value < 0:
        yield invalid(path, value, _NEGATIVE)
