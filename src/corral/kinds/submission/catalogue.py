"""All types of jobs by their words; the framework of a type is loaded when somebody asks for it."""

import importlib
from typing import Final

from corral.errors import PermanentError
from corral.kinds.submission.job_type import JobType

_FRAMEWORKS: Final = {
    "tfjob": "tensorflow",
    "pytorchjob": "pytorch",
    "mpijob": "mpi",
    "horovodjob": "mpi",
    "etjob": "mpi",
    "deepspeedjob": "mpi",
    "jaxjob": "jax",
    "xgboostjob": "xgboost",
    "paddlejob": "paddle",
    "mxjob": "mxnet",
}
WORDS: Final = tuple(_FRAMEWORKS)
"""The words for all types."""


def job_type(word: str) -> JobType:
    """Returns the type of a word."""
    if word not in _FRAMEWORKS:
        message = f'there is no type of jobs "{word}"'
        raise PermanentError("unknown-kind", message, hint=f"there are {', '.join(WORDS)}")
    module = importlib.import_module(f"corral.kinds.submission.frameworks.{_FRAMEWORKS[word]}")
    found: JobType = module.JOB_TYPES[word]
    return found
