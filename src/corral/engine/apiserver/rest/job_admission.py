"""Training jobs, crons and queues are judged on their way in, as a cluster with Corral's definitions and admission policies judges them.

There the server works out CEL; here the same rules are worked out directly, and the answer is the same: code, reason,
message, causes and warnings.
"""

from collections.abc import Callable, Sequence
from typing import Final

from corral.engine.apiserver import failures
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest.identity import key_for
from corral.engine.apiserver.world import World
from corral.kinds.cron.cron import CRON
from corral.kinds.cron.judgement import admission_errors_of as errors_of_cron
from corral.kinds.queues.judgement import admission_errors_of as errors_of_queue
from corral.kinds.queues.queue import QUEUE
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import GROUP
from corral.kinds.training.policies.wording import refusal, warning
from corral.kinds.training.validation import admission_errors_of, is_judged, warnings_of
from corral.kinds.training.validation.field_error import FieldError, forbidden

_KINDS: Final = frozenset(facts.kind for facts in TRAINING_KINDS)
_OTHERS: Final[dict[tuple[str, str], Callable[[Object, Object | None], list[FieldError]]]] = {
    (CRON.group, CRON.kind): errors_of_cron,
    (QUEUE.group, QUEUE.kind): errors_of_queue,
}
_NAMESPACES: Final = "/namespaces"


def is_training_job(resource: Resource) -> bool:
    """Whether objects of a resource are judged here."""
    return resource.group == GROUP and resource.kind in _KINDS


def admit(world: World, resource: Resource, obj: Object, old: Object | None) -> tuple[str, ...]:
    """Refuses a wrong object; returns the warnings to send for one that is taken."""
    judge = _OTHERS.get((resource.group, resource.kind))
    if judge is not None:
        _refuse(resource, obj, judge(obj, old))
        return ()
    if not is_training_job(resource) or not is_judged(obj, old):
        return ()
    warnings = tuple(warning(resource.kind.lower(), text) for text in warnings_of(obj))
    entry = world.store.collection(_NAMESPACES).get(key_for("", obj["metadata"]["namespace"]))
    try:
        errors = admission_errors_of(obj, old, entry.decoded() if entry else None)
    except (AttributeError, KeyError, TypeError):  # its definition is not ours and lets anything in
        errors = [forbidden("spec", "does not have the shape of its kind")]
    _refuse(resource, obj, errors, warnings)
    return warnings


def _refuse(resource: Resource, obj: Object, errors: Sequence[FieldError], warnings: tuple[str, ...] = ()) -> None:
    if not errors:
        return
    name, text = obj["metadata"].get("name") or "", refusal(resource.kind.lower(), errors)
    failure = failures.forbidden(resource.group, resource.plural, name, text)
    failure.code, failure.reason = 422, "Invalid"
    failure.details = {**(failure.details or {}), "causes": [{"message": text}]}
    failure.warnings += warnings
    raise failure
