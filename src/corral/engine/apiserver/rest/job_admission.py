"""Training jobs are judged on their way in, as a cluster with Corral's definitions and admission policies judges them.

There the server works out CEL; here the same rules are worked out directly, and the answer is the same: code, reason,
message, causes and warnings.
"""

from typing import Final

from corral.engine.apiserver import failures
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest.identity import key_for
from corral.engine.apiserver.world import World
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import GROUP
from corral.kinds.training.policies.wording import refusal, warning
from corral.kinds.training.validation import admission_errors_of, is_judged, warnings_of
from corral.kinds.training.validation.field_error import forbidden

_KINDS: Final = {facts.kind: facts for facts in TRAINING_KINDS}
_NAMESPACES: Final = "/namespaces"


def is_training_job(resource: Resource) -> bool:
    """Whether objects of a resource are judged here."""
    return resource.group == GROUP and resource.kind in _KINDS


def admit(world: World, resource: Resource, obj: Object, old: Object | None) -> tuple[str, ...]:
    """Refuses a wrong job; returns the warnings to send for one that is taken."""
    if not is_training_job(resource) or not is_judged(obj, old):
        return ()
    singular = _KINDS[resource.kind].singular
    warnings = tuple(warning(singular, text) for text in warnings_of(obj))
    entry = world.store.collection(_NAMESPACES).get(key_for("", obj["metadata"]["namespace"]))
    try:
        errors = admission_errors_of(obj, old, entry.decoded() if entry else None)
    except (AttributeError, KeyError, TypeError):  # its definition is not ours and lets anything in
        errors = [forbidden("spec", "does not have the shape of its kind")]
    if not errors:
        return warnings
    name, text = obj["metadata"].get("name") or "", refusal(singular, errors)
    failure = failures.forbidden(resource.group, resource.plural, name, text)
    failure.code, failure.reason = 422, "Invalid"
    failure.details = {**(failure.details or {}), "causes": [{"message": text}]}
    failure.warnings += warnings
    raise failure
