"""The types of training jobs as Arena's users call them, and which kind of the API each of them is. Pure.

Several types may be one kind: an elastic job or one of DeepSpeed is an MPIJob. The annotation tells which it was submitted
as; a job that nobody submitted through us goes by its kind.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from corral.kinds.objects import Object

TRAINER: Final = "corral.dev/trainer"
"""The annotation of a job with the type under which it was submitted, when the kind does not tell."""


class Trainer(NamedTuple):
    """One type."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()


TRAINERS: Final = (
    Trainer("tfjob", "TFJob", ("tf", "tensorflow", "tensorflowjob")),
    Trainer("pytorchjob", "PyTorchJob", ("pytorch", "py", "torch")),
    Trainer("mpijob", "MPIJob", ("mpi",)),
    Trainer("etjob", "MPIJob", ("et", "elastictraining")),
    Trainer("horovodjob", "MPIJob", ("horovod", "hj")),
    Trainer("deepspeedjob", "MPIJob", ("deepspeed", "dp")),
    Trainer("xgboostjob", "XGBoostJob", ("xgboost", "xgb")),
    Trainer("paddlejob", "PaddleJob", ("paddle",)),
    Trainer("jaxjob", "JAXJob", ("jax",)),
    Trainer("mxjob", "MXJob", ("mx", "mxnet", "mxnetjob")),
)
ABSENT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("sparkjob", "spark"), "SparkApplications"),
    **dict.fromkeys(("volcanojob", "volcano", "vj"), "jobs of Volcano"),
    **dict.fromkeys(("rayjob", "ray", "rj"), "RayJobs"),
}
"""Types of Arena that Corral does not run, and what they are."""

_BY_KIND: Final = {one.kind: one.name for one in reversed(TRAINERS)}
"""The first type of each kind."""
_BY_WORD: Final = {word: one for one in TRAINERS for word in (one.name, *one.aliases)}


def trainer_named(word: str) -> Trainer | None:
    """Returns the type that a word such as `tf` or `tfjob` means, None when there is none."""
    return _BY_WORD.get(word.lower())


def trainer_of(kind: str, obj: Object) -> str:
    """Returns the type of a job: the one under which it was submitted, else that of its kind."""
    annotations: Mapping[str, Any] = obj["metadata"].get("annotations") or {}
    if TRAINER in annotations:
        submitted = _BY_WORD.get(str(annotations[TRAINER]))
        if submitted is not None and submitted.kind == kind:
            return submitted.name
    return _BY_KIND.get(kind) or kind.lower()
