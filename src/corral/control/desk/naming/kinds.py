"""Which resource people mean by a word, and which of what a server serves are training jobs.

The training kinds stand here by name only, since a list of jobs must not pay for loading everything about them, nor for
asking a server what it serves: a kind that is not served answers 404.
"""

from collections.abc import Iterator
from typing import Final

from corral.control.desk.naming.suggestions import did_you_mean
from corral.errors import PermanentError
from corral.kinds.catalogue import Catalogue, Served
from corral.kinds.references import ApiResource, split_api_version
from corral.kinds.well_known import (
    CONFIG_MAP,
    DEPLOYMENT,
    EVENT,
    JOB,
    NAMESPACE,
    NODE,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    SECRET,
    SERVICE,
)

TRAINING_GROUP: Final = "kubeflow.org"
TRAINING_KINDS: Final = ("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob")

TRAINING_RESOURCES: Final = tuple(
    ApiResource(TRAINING_GROUP, "v1", kind, f"{kind.lower()}s") for kind in TRAINING_KINDS
)
"""The training kinds as nearly every server serves them."""
OTHER_VERSIONS: Final = {"MPIJob": ("v2beta1", "v1alpha1")}
"""The versions of a kind that a server may serve instead of v1."""
OPERATORS: Final = {f"{kind.lower()}-controller": kind for kind in TRAINING_KINDS} | {"mpi-operator": "MPIJob"}
"""Which kind of jobs is meant by the name of an operator, which its pods carry as a label."""

_WORDS: Final = {
    word: resource
    for resource, short in (
        *((resource, ()) for resource in TRAINING_RESOURCES),
        (POD, ("po",)),
        (SERVICE, ("svc",)),
        (CONFIG_MAP, ("cm",)),
        (SECRET, ()),
        (PERSISTENT_VOLUME_CLAIM, ("pvc",)),
        (EVENT, ("ev",)),
        (NAMESPACE, ("ns",)),
        (NODE, ("no",)),
        (DEPLOYMENT, ("deploy",)),
        (JOB, ()),
    )
    for word in (resource.plural, resource.kind.lower(), *short)
}


def known_word(word: str) -> ApiResource | None:
    """Returns what a word means on every server, so that none has to be asked; None for all others."""
    return _WORDS.get(word.lower())


def is_training(resource: ApiResource) -> bool:
    """Whether objects of this resource are training jobs."""
    return resource.group == TRAINING_GROUP and resource.kind in TRAINING_KINDS


def versions_of(resource: ApiResource) -> list[ApiResource]:
    """Returns the resource and the other versions in which it may be served, the likeliest first."""
    others = OTHER_VERSIONS.get(resource.kind, ()) if is_training(resource) else ()
    return [resource, *(resource._replace(version=one) for one in others if one != resource.version)]


def resource_for(catalogue: Catalogue, word: str) -> ApiResource:
    """Returns what a word such as `po`, `pods`, `Pod` or `jobs.batch` means; an unknown one is told what is near."""
    try:
        return catalogue.find(word).resource
    except PermanentError as error:
        hint = did_you_mean(word, (name for entry in catalogue.served for name in _names(entry)))
        raise PermanentError(error.code, error.message, hint=hint or error.hint) from error


def resource_of_manifest(catalogue: Catalogue, api_version: str, kind: str) -> ApiResource:
    """Returns the resource of a manifest; an unknown one is told what was perhaps meant."""
    try:
        return catalogue.for_kind(api_version, kind)
    except PermanentError as error:
        hint = _versions_hint(catalogue, api_version, kind) or error.hint
        raise PermanentError(error.code, error.message, hint=hint) from error


def _versions_hint(catalogue: Catalogue, api_version: str, kind: str) -> str:
    served = {entry.resource.api_version for entry in catalogue.served if entry.resource.kind == kind}
    if served:
        return f"{kind} is served as {', '.join(sorted(served))}"
    group, _ = split_api_version(api_version)
    near = did_you_mean(kind, (e.resource.kind for e in catalogue.served if e.resource.group == group))
    return near or did_you_mean(kind, (e.resource.kind for e in catalogue.served))


def _names(entry: Served) -> Iterator[str]:
    yield entry.resource.plural
    yield entry.singular


def shown_name(resource: ApiResource, name: str) -> str:
    """Returns an object the way people and kubectl name it: `pod/x`, `pytorchjob.kubeflow.org/x`."""
    group = f".{resource.group}" if resource.group else ""
    return f"{resource.kind.lower()}{group}/{name}"
