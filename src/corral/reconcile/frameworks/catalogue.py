"""All frameworks, and how to find the one of a kind."""

from corral.kinds.training.facts import KindFacts
from corral.reconcile.frameworks.framework import Framework
from corral.reconcile.frameworks.jax import JAX
from corral.reconcile.frameworks.mpi import MPI
from corral.reconcile.frameworks.mxnet import MXNET
from corral.reconcile.frameworks.paddle import PADDLE
from corral.reconcile.frameworks.pytorch import PYTORCH
from corral.reconcile.frameworks.tensorflow import TENSORFLOW
from corral.reconcile.frameworks.xgboost import XGBOOST

FRAMEWORKS: dict[str, Framework] = {
    framework.facts.kind: framework for framework in (TENSORFLOW, PYTORCH, MPI, XGBOOST, PADDLE, JAX, MXNET)
}
"""By kind. MPIJob's second dialect has a reconciler of its own."""


def framework_of(facts: KindFacts) -> Framework:
    """Returns the framework that runs jobs of a kind."""
    return FRAMEWORKS[facts.kind]
