"""Which resource people mean by a word, and which of what a server serves are training jobs.

The training kinds stand here by name only, since a list of jobs must not pay for loading everything about them.
"""

from collections.abc import Iterator
from typing import Final

from corral.control.desk.suggestions import did_you_mean
from corral.errors import PermanentError
from corral.kinds.catalogue import Catalogue, Served
from corral.kinds.references import ApiResource, split_api_version

TRAINING_GROUP: Final = "kubeflow.org"
TRAINING_KINDS: Final = ("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob")


def is_training(resource: ApiResource) -> bool:
    """Whether objects of this resource are training jobs."""
    return resource.group == TRAINING_GROUP and resource.kind in TRAINING_KINDS


def training_resources(catalogue: Catalogue) -> list[ApiResource]:
    """Returns the training kinds that a server serves, each in the version it prefers."""
    found: dict[str, ApiResource] = {}
    for entry in catalogue.served:
        if is_training(entry.resource):
            found.setdefault(entry.resource.kind, entry.resource)
    return [found[kind] for kind in TRAINING_KINDS if kind in found]


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
