"""The frameworks that a script can be run for, as data: the type of job that it becomes, and how it is known."""

from typing import Final, NamedTuple

from corral.errors import PermanentError


class Framework(NamedTuple):
    """One framework."""

    name: str
    type: str
    """The type of job that a script of it becomes."""
    modules: frozenset[str]
    """The packages by whose import a script is known to be for it."""
    other_names: tuple[str, ...] = ()


PYTORCH: Final = Framework(
    "pytorch",
    "pytorchjob",
    frozenset(
        ("torch", "torchvision", "pytorch_lightning", "lightning", "transformers", "accelerate", "deepspeed", "fastai")
    ),
    ("torch",),
)
TENSORFLOW: Final = Framework("tensorflow", "tfjob", frozenset(("tensorflow", "keras", "tf_keras")), ("tf",))
JAX: Final = Framework("jax", "jaxjob", frozenset(("jax", "flax", "haiku", "optax")))
XGBOOST: Final = Framework("xgboost", "xgboostjob", frozenset(("xgboost",)), ("xgb",))
MPI: Final = Framework("mpi", "mpijob", frozenset(("mpi4py", "horovod")), ("horovod", "mpi4py"))
PADDLE: Final = Framework("paddle", "paddlejob", frozenset(("paddle",)), ("paddlepaddle",))
MXNET: Final = Framework("mxnet", "mxjob", frozenset(("mxnet",)), ("mx",))

FRAMEWORKS: Final = (PYTORCH, TENSORFLOW, JAX, XGBOOST, MPI, PADDLE, MXNET)


def framework_named(word: str) -> Framework:
    """Returns the framework that a word such as `torch`, `pytorch` or `PyTorchJob` means."""
    asked = word.lower()
    for one in FRAMEWORKS:
        if asked in (one.name, one.type, f"{one.name}job", *one.other_names):
            return one
    known = ", ".join(one.name for one in FRAMEWORKS)
    raise PermanentError("unknown-framework", f'there is no framework "{word}"', hint=f"frameworks are {known}")
