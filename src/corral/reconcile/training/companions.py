"""Objects that a job needs beside its pods: what to do so that those that are there are those that are wanted.

Observed companions come from caches that hold only what carries the operator's labels. An object of somebody else under
a wanted name is therefore found out by the refusal to create it, and told as an event.
"""

from collections.abc import Sequence

from corral.kinds.objects import Object, is_controlled_by, is_deleting, labels_of, owner_reference, uid_of
from corral.kinds.references import ApiResource
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.validation.field_error import quoted
from corral.kinds.well_known import CONFIG_MAP, JOB, POD, ROLE, ROLE_BINDING, SECRET, SERVICE, SERVICE_ACCOUNT
from corral.reconcile.plan import Action, Create, EmitEvent, Told, Update
from corral.reconcile.training.labels import JOB_NAME, OPERATOR_NAME

COMPANIONS: tuple[ApiResource, ...] = (CONFIG_MAP, SERVICE, SERVICE_ACCOUNT, ROLE, ROLE_BINDING)
"""The kinds that are kept as wanted, in the order in which they are looked at."""

_RESOURCES = {resource.kind: resource for resource in (*COMPANIONS, SECRET, JOB, POD)}
_CONTENT = ("data", "rules", "subjects")
"""Fields that are ours as a whole; of `spec` only those are ours that the wanted object names."""


def companion_actions(
    owner_resource: ApiResource, job_object: Object, wanted: Sequence[Object], observed: Sequence[Object]
) -> list[Action]:
    """Returns what makes the companions of a job as wanted: nothing for those that are."""
    held = {_place(one): one for one in observed if is_controlled_by(one, uid_of(job_object))}
    labelled = [_labelled(job_object, one) for one in wanted]
    decided = (_action(owner_resource, job_object, one, held.get(_place(one))) for one in labelled)
    return [action for action in decided if action is not None]


def in_order(actions: Sequence[Action]) -> list[tuple[Action, ...]]:
    """Returns the actions in stages: a binding comes after its role, since a server asks what it would grant."""
    bindings = tuple(one for one in actions if isinstance(one, Create) and one.resource == ROLE_BINDING)
    others = tuple(one for one in actions if one not in bindings)
    return [stage for stage in (others, bindings) if stage]


def created(owner_resource: ApiResource, job_object: Object, wanted: Object, *, fill: str = "") -> Create:
    """Returns the creation of a companion, with its owner; an account of that name may be anybody's."""
    wanted = _labelled(job_object, wanted)
    metadata = {**wanted["metadata"], "ownerReferences": [owner_reference(owner_resource, job_object)]}
    resource = _RESOURCES[wanted["kind"]]
    told = Told(taken=name_taken(owner_resource, job_object, wanted))
    return Create(resource, {**wanted, "metadata": metadata}, fill, told, or_found=resource is SERVICE_ACCOUNT)


def name_taken(owner_resource: ApiResource, job_object: Object, wanted: Object) -> EmitEvent:
    """Returns what people hear when an object of somebody else stands where one of the job should."""
    name, kind = quoted(wanted["metadata"]["name"]), quoted(wanted["kind"])
    message = f"Resource {name} of Kind {kind} already exists and is not managed by {owner_resource.kind}"
    return EmitEvent(owner_resource, job_object, "ErrResourceExists", message, "Warning")


def _labelled(job_object: Object, wanted: Object) -> Object:
    """Returns a companion with the labels by which the operator's caches find it."""
    ours = {OPERATOR_NAME: facts_of(job_object).controller_name, JOB_NAME: job_object["metadata"]["name"]}
    metadata = {**wanted["metadata"], "labels": {**labels_of(wanted), **ours}}
    return {**wanted, "metadata": metadata}


def _place(one: Object) -> tuple[str, str]:
    return one["kind"], one["metadata"]["name"]


def _action(owner: ApiResource, job_object: Object, wanted: Object, held: Object | None) -> Action | None:
    if held is None:
        return created(owner, job_object, wanted)
    if is_deleting(held):
        return None
    corrected = _corrected(held, wanted)
    return None if corrected == held else Update(_RESOURCES[wanted["kind"]], corrected)


def _corrected(held: Object, wanted: Object) -> Object:
    """Returns what is there with our fields as wanted, in the version that was read."""
    metadata = {**held["metadata"], "labels": {**labels_of(held), **labels_of(wanted)}}
    content = {field: wanted[field] for field in _CONTENT if field in wanted}
    if "spec" in wanted:
        content["spec"] = {**held.get("spec", {}), **wanted["spec"]}
    return {**held, **content, "metadata": metadata}
