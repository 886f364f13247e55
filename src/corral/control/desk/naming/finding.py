"""From the words of a command line to the object that is meant."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from corral.control.desk.naming.kinds import (
    OPERATORS,
    TRAINING_KINDS,
    TRAINING_RESOURCES,
    is_training,
    known_word,
    resource_for,
    shown_name,
    versions_of,
)
from corral.control.desk.naming.suggestions import did_you_mean
from corral.control.desk.naming.trainers import trainer_named
from corral.control.desk.session import Session
from corral.control.desk.together import asked_together
from corral.errors import PermanentError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.training.label_names import BATCH_JOB_NAME, JOB_NAME, OPERATOR_NAME
from corral.kinds.well_known import JOB, POD
from corral.ports.direct_store import DirectStore
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, NotFoundError


def ignored(_: str) -> None:
    """Takes a note for which there is no reader."""


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
        if not self.is_training:
            return Scope(namespace, labels=f"{BATCH_JOB_NAME}={name}")
        # A job of another kind may have the same name.
        others = ",".join(operator for operator, kind in OPERATORS.items() if kind != self.resource.kind)
        return Scope(namespace, labels=f"{JOB_NAME}={name},{OPERATOR_NAME} notin ({others})")


def named(session: Session, resource: ApiResource, name: str) -> Found:
    """Returns the object of this name; an absent one is told what is near."""
    key = ObjectKey(session.namespace if resource.namespaced else "", name)
    try:
        return Found(resource, session.store.get(resource, key))
    except NotFoundError as error:
        raise _not_found(session, [resource], name, f"there is no {shown_name(resource, name)}") from error


def job_or_pod(session: Session, word: str, *, pods: bool = True, trainer: str = "") -> Found:
    """Returns what `digits` or `pytorchjob/digits` means: a training job, else a plain Job, else a pod.

    With a trainer (`tfjob`, `mpi`) only training jobs of that type are looked at.
    """
    kind, slash, name = word.partition("/")
    if slash:
        return named(session, kind_meant(session, kind), name)
    wanted = trainer_named(trainer)
    training = [one for one in TRAINING_RESOURCES if wanted is None or one.kind == wanted.kind]
    seen = asked_together(session, [partial(_look, resource, session.namespace, word) for resource in training])
    found = [one for one in seen if isinstance(one, Found)]
    if len(found) > 1:
        names = " and ".join(one.shown for one in found)
        hint = f"say which: {found[0].resource.kind.lower()}/{word}"
        raise PermanentError("ambiguous-name", f'"{word}" is the name of {names}', hint=hint)
    others = [] if wanted is not None else [JOB, *([POD] if pods else [])]
    found += [
        one
        for one in (_look(other, session.namespace, word, session.store) for other in ([] if found else others))
        if isinstance(one, Found)
    ]
    if found:
        return found[0]
    refused = [one for one in seen if isinstance(one, ForbiddenError)]
    if len(refused) == len(seen):
        raise refused[0]
    what = "job and no pod" if pods and not trainer else trainer or "job"
    raise _not_found(session, [*training, *others], word, f'there is no {what} "{word}"')


def those_of_name(session: Session, resources: Iterable[ApiResource], name: str) -> list[Found]:
    """Returns the objects of a name, of whichever of these kinds, as far as they may be seen."""
    seen = asked_together(session, [partial(_look, one, session.namespace, name) for one in resources])
    return [one for one in seen if isinstance(one, Found)]


def kind_meant(session: Session, word: str) -> ApiResource:
    """Returns what a word for a kind means; a server is asked only when the word does not mean the same everywhere."""
    return known_word(word) or resource_for(session.store.catalogue(), word)


def _look(resource: ApiResource, namespace: str, name: str, store: DirectStore) -> Found | ForbiddenError | None:
    """Returns the object of this name, in whichever version its kind is served, or the refusal to tell."""
    for version in versions_of(resource):
        try:
            return Found(version, store.get(version, ObjectKey(namespace, name)))
        except NotFoundError as error:
            if not error.kind_is_missing:
                return None
        except ForbiddenError as error:
            return error
    return None


def _not_found(session: Session, resources: Iterable[ApiResource], name: str, what: str) -> NotFoundError:
    where = f" in namespace {session.namespace}" if any(one.namespaced for one in resources) else ""
    known = [each for resource in resources for each in _names(session, resource)]
    otherwise = "`corral list -A` shows the training jobs of all namespaces" if where else ""
    return NotFoundError(f"{what}{where}", hint=did_you_mean(name, known) or otherwise)


def _names(session: Session, resource: ApiResource) -> list[str]:
    scope = Scope(session.namespace if resource.namespaced else "", metadata_only=True)
    try:
        return [one["metadata"]["name"] for one in session.store.list(resource, scope)]
    except (NotFoundError, ForbiddenError):
        return []


def training_jobs(
    session: Session,
    resources: Iterable[ApiResource],
    scope: Scope,
    *,
    shape: Any = dict[str, Any],
    on_note: Callable[[str], None] = ignored,
) -> list[Found]:
    """Returns all training jobs of these kinds, whoever made them; a kind that we may not read is left out and noted."""
    kinds = list(resources)
    answers = asked_together(session, [partial(_listed, resource, scope, shape) for resource in kinds])
    seen = list(zip(kinds, answers, strict=True))
    refused = {resource: told for resource, told in seen if isinstance(told, ForbiddenError)}
    if refused and len(refused) == len(seen):
        raise next(iter(refused.values()))
    if all(told is None for _, told in seen):
        raise _no_training_kinds()
    if refused:
        # Who has few rights is refused what a server does not even have; only discovery tells the two apart.
        served = {entry.resource.kind for entry in session.store.catalogue().served}
        left_out = [resource.plural for resource in refused if resource.kind in served]
        if left_out:
            on_note(f"left out, since you may not list them: {', '.join(left_out)}")
    return [one for _, told in seen if isinstance(told, list) for one in told]


def _listed(resource: ApiResource, scope: Scope, shape: Any, store: DirectStore) -> list[Found] | ForbiddenError | None:
    """Returns the jobs of a kind, the refusal, or None when it is not served."""
    for version in versions_of(resource):
        try:
            found: list[Found] = []
            for page in store.pages(version, scope, shape):
                found = ([] if page.is_first else found) + [Found(version, one) for one in page.items]
            return found
        except NotFoundError:
            continue
        except ForbiddenError as error:
            return error
    return None


def served_training(session: Session, resources: Iterable[ApiResource]) -> list[ApiResource]:
    """Returns those of the training kinds that a server serves, each in the first version that it has; none is an error."""
    served = {entry.resource for entry in session.store.catalogue().served}
    found = [next((one for one in versions_of(resource) if one in served), None) for resource in resources]
    if not any(found):
        raise _no_training_kinds()
    return [one for one in found if one is not None]


def _no_training_kinds() -> PermanentError:
    message = f"this API server serves no training kinds ({', '.join(TRAINING_KINDS[:3])}, ...)"
    return PermanentError("unknown-kind", message, hint="`corral install` puts their definitions on a cluster")
