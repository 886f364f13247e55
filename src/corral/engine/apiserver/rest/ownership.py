"""Which fields of a resource are tracked how, for its main endpoint and for each subresource; made once."""

from weakref import WeakKeyDictionary

from corral.engine.apiserver.apply.field_set import Fields
from corral.engine.apiserver.apply.tracking import FieldTracking
from corral.engine.apiserver.resources.resource import Resource

_made: "WeakKeyDictionary[Resource, dict[str, FieldTracking]]" = WeakKeyDictionary()

_IGNORED_BY_STATUS: dict[str, Fields] = {
    "Pod": {"f:spec": {}, "f:metadata": {"f:deletionTimestamp": {}, "f:ownerReferences": {}}},
    "Deployment": {"f:spec": {}, "f:metadata": {"f:labels": {}}},
    "CustomResourceDefinition": {"f:spec": {}, "f:metadata": {}},
}
"""What the status endpoint of a kind ignores besides the specification, which all of them do."""


def tracking_of(resource: Resource, subresource: str) -> FieldTracking:
    """Returns how writes to an endpoint of a resource are tracked."""
    known = _made.setdefault(resource, {})
    if subresource not in known:
        known[subresource] = _tracking(resource, subresource)
    return known[subresource]


def _tracking(resource: Resource, subresource: str) -> FieldTracking:
    reset: Fields = {}
    if subresource == "status":
        reset = _IGNORED_BY_STATUS.get("" if resource.structural else resource.kind, {"f:spec": {}})
    elif subresource in ("", "finalize") and "status" in resource.subresources:
        reset = {"f:status": {}}
    return FieldTracking(resource.schema, resource.api_version, resource.kind, subresource, resource.structural, reset)
