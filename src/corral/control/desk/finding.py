"""From the words of a command line to the object that is meant."""

from collections.abc import Iterable
from typing import NamedTuple

from corral.control.desk.kinds import TRAINING_KINDS, is_training, resource_for, shown_name, training_resources
from corral.control.desk.session import Session
from corral.control.desk.suggestions import did_you_mean
from corral.errors import PermanentError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.training.label_names import BATCH_JOB_NAME, JOB_NAME
from corral.kinds.well_known import JOB, POD
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, NotFoundError


class Found(NamedTuple):
    """An object and its resource."""

    resource: ApiResource
    object: Object

    @property
    def key(self) -> ObjectKey:
        """Returns namespace and name."""
        metadata = self.object["metadata"]
        return ObjectKey(metadata.get("namespace") or "", metadata["name"])

    @property
    def is_training(self) -> bool:
        """Whether it is a training job."""
        return is_training(self.resource)

    @property
    def shown(self) -> str:
        """Returns `pytorchjob.kubeflow.org/digits`."""
        return shown_name(self.resource, self.key.name)

    @property
    def pods(self) -> Scope:
        """Returns where its pods are: by label for a job, by name for a pod."""
        namespace, name = self.key
        if self.resource.kind == POD.kind:
            return Scope(namespace, fields=f"metadata.name={name}")
        return Scope(namespace, labels=f"{JOB_NAME if self.is_training else BATCH_JOB_NAME}={name}")


def named(session: Session, resource: ApiResource, name: str) -> Found:
    """Returns the object of this name; an absent one is told what is near."""
    key = ObjectKey(session.namespace if resource.namespaced else "", name)
    try:
        return Found(resource, session.store.get(resource, key))
    except NotFoundError as error:
        raise _not_found(session, [resource], name, f"there is no {shown_name(resource, name)}") from error


def job_or_pod(session: Session, word: str, *, pods: bool = True) -> Found:
    """Returns what `digits` or `pytorchjob/digits` means: a training job, else a plain Job, else a pod."""
    kind, slash, name = word.partition("/")
    if slash:
        return named(session, resource_for(session.store.catalogue(), kind), name)
    kinds = [*training_resources(session.store.catalogue()), JOB, *([POD] if pods else [])]
    training = [found for kind in kinds if is_training(kind) for found in _at(session, kind, word)]
    if len(training) > 1:
        names = " and ".join(found.shown for found in training)
        hint = f"say which: {training[0].resource.kind.lower()}/{word}"
        raise PermanentError("ambiguous-name", f'"{word}" is the name of {names}', hint=hint)
    if training:
        return training[0]
    for found in (found for kind in kinds if not is_training(kind) for found in _at(session, kind, word)):
        return found
    what = "job and no pod" if pods else "job"
    raise _not_found(session, kinds, word, f'there is no {what} "{word}"')


def _at(session: Session, resource: ApiResource, name: str) -> list[Found]:
    try:
        return [Found(resource, session.store.get(resource, ObjectKey(session.namespace, name)))]
    except (NotFoundError, ForbiddenError):
        return []


def _not_found(session: Session, resources: Iterable[ApiResource], name: str, what: str) -> NotFoundError:
    where = f" in namespace {session.namespace}" if any(one.namespaced for one in resources) else ""
    known = [each for resource in resources for each in _names(session, resource)]
    otherwise = "`corral get -A` shows the training jobs of all namespaces" if where else ""
    return NotFoundError(f"{what}{where}", hint=did_you_mean(name, known) or otherwise)


def _names(session: Session, resource: ApiResource) -> list[str]:
    scope = Scope(session.namespace if resource.namespaced else "", metadata_only=True)
    try:
        return [one["metadata"]["name"] for one in session.store.list(resource, scope)]
    except (NotFoundError, ForbiddenError):
        return []


def training_jobs(session: Session, resources: Iterable[ApiResource], *, everywhere: bool) -> list[Found]:
    """Returns all training jobs of these kinds, whoever made them; a kind that we may not read is left out."""
    scope = Scope("" if everywhere else session.namespace)
    found: list[Found] = []
    refused: list[ForbiddenError] = []
    tried = 0
    for resource in resources:
        tried += 1
        try:
            found += [Found(resource, one) for one in session.store.list(resource, scope)]
        except NotFoundError:
            continue
        except ForbiddenError as error:
            refused.append(error)
    if refused and len(refused) == tried:
        raise refused[0]
    if not tried:
        message = f"this API server serves no training kinds ({', '.join(TRAINING_KINDS[:3])}, ...)"
        raise PermanentError("unknown-kind", message, hint="`corral install` puts their definitions on a cluster")
    return found
