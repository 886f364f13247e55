"""All training kinds, and how to find the one that an object is of."""

from corral.kinds.objects import Object
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.jax import JAX_JOB
from corral.kinds.training.mpi import MPI_JOB, MPI_JOB_V2
from corral.kinds.training.mxnet import MX_JOB
from corral.kinds.training.paddle import PADDLE_JOB
from corral.kinds.training.pytorch import PYTORCH_JOB
from corral.kinds.training.tensorflow import TF_JOB
from corral.kinds.training.xgboost import XGBOOST_JOB

TRAINING_KINDS: tuple[KindFacts, ...] = (
    TF_JOB,
    PYTORCH_JOB,
    MPI_JOB,
    XGBOOST_JOB,
    PADDLE_JOB,
    JAX_JOB,
    MX_JOB,
)
"""One for each CRD; MPIJob's second dialect is found by `facts_of`."""


def facts_of(obj: Object) -> KindFacts:
    """Returns the facts of the kind, and of the dialect, that a stored training job is of."""
    kind = obj.get("kind")
    if kind == MPI_JOB.kind and is_second_dialect(obj):
        return MPI_JOB_V2
    return next(facts for facts in TRAINING_KINDS if facts.kind == kind)


def is_second_dialect(obj: Object) -> bool:
    """Whether an MPIJob was written as v2beta1."""
    spec = obj.get("spec")
    return isinstance(spec, dict) and bool(spec.get("mpiImplementation"))
