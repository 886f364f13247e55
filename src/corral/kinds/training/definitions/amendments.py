"""What single kinds and versions add to the schema of their types, as data: a path below `spec`, and keywords for it.

`*` in a path is every role of the replica map.
"""

from typing import Any, Final

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.mpi import CREATION_POLICIES, IMPLEMENTATIONS, MPI_JOB
from corral.kinds.training.run_policy import CLEAN_POD_POLICIES
from corral.kinds.training.schema_marks import default, one_of
from corral.kinds.training.tensorflow import TF_JOB

Path = tuple[str, ...]
Amendments = dict[Path, dict[str, Any]]

RESTART_POLICIES: Final = ("Always", "OnFailure", "Never", "ExitCode")

_ALL: Final[Amendments] = {("runPolicy",): default({})}
"""The SDK reads runPolicy without asking whether it is there."""
_LIMITS: Final[Amendments] = {
    ("runPolicy", "cleanPodPolicy"): one_of(*CLEAN_POD_POLICIES),
    ("runPolicy", "ttlSecondsAfterFinished"): {"minimum": 0},
    ("runPolicy", "activeDeadlineSeconds"): {"minimum": 0},
    ("runPolicy", "backoffLimit"): {"minimum": 0},
}
_MPI_V2: Final[Amendments] = {
    ("mpiImplementation",): {**default(IMPLEMENTATIONS[0]), **one_of(*IMPLEMENTATIONS)},
    ("launcherCreationPolicy",): default(CREATION_POLICIES[0]),
    ("sshAuthMountPath",): default("/root/.ssh"),
    ("slotsPerWorker",): default(1),
    ("runLauncherAsWorker",): default(False),
}
"""By the first of them the operator knows an object that was written as v2beta1."""


def amendments_of(facts: KindFacts, version: str) -> Amendments:
    """Returns what a version of a kind adds; an MPIJob is checked by the operator, which says what is wrong in an event."""
    if facts.kind == MPI_JOB.kind:
        return {**_ALL, **(_MPI_V2 if version == "v2beta1" else {})}
    early = {path[1:]: keywords for path, keywords in _LIMITS.items()} if facts.kind == TF_JOB.kind else {}
    return {**_ALL, **_LIMITS, **early, (facts.map_field, "*", "restartPolicy"): one_of(*RESTART_POLICIES)}


def amend(schema: dict[str, Any], amendments: Amendments) -> None:
    """Adds the keywords to the schema of a spec, in place."""
    for path, keywords in amendments.items():
        found = schema
        for part in path:
            found = found["additionalProperties"] if part == "*" else found["properties"][part]
        found.update(keywords)
