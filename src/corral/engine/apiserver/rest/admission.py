"""What the server decides about a new object by looking at others: its namespace, its priority, its addresses."""

from contextlib import AbstractAsyncContextManager, nullcontext

from corral.engine.apiserver import failures
from corral.engine.apiserver.custom.naming import establish
from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.resources.pod_admission import Priority
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.resources.service_addresses import allocate as allocate_addresses
from corral.engine.apiserver.resources.service_addresses import held_by
from corral.engine.apiserver.storage.store import Store
from corral.engine.apiserver.world import World

_UNGUARDED = nullcontext()


def admit_create(world: World, resource: Resource, obj: Object) -> None:
    """Completes or refuses a new object in the light of the others."""
    if resource.namespaced:
        _check_namespace(world, resource, obj)


def allocate(world: World, resource: Resource, obj: Object, old: Object | None = None) -> list[FieldError]:
    """Gives a Service the addresses and ports it asks for; last, so that nothing is taken by an invalid one."""
    if resource.group != "" or resource.kind != "Service":
        return []
    uid = obj["metadata"].get("uid")
    services = (e.decoded() for e in world.store.collection(resource.storage_key).scan())
    return allocate_addresses(obj, old, held_by(s for s in services if s["metadata"]["uid"] != uid))


def allocating(world: World, resource: Resource) -> AbstractAsyncContextManager[object]:
    """Lets only one write at a time give out what must be unique over all objects of a kind: addresses of Services."""
    return world.store.locked("addresses", "") if resource.storage_key == "/services" else _UNGUARDED


def conclude(world: World, resource: Resource, obj: Object) -> None:
    """Does what controllers of a real cluster do a moment after the write, for the kinds that the server itself needs."""
    if resource.kind == "CustomResourceDefinition" and resource.group == "apiextensions.k8s.io":
        others = (e.decoded() for e in world.store.collection(resource.storage_key).scan())
        establish(obj, others, world.timestamp())


def _check_namespace(world: World, resource: Resource, obj: Object) -> None:
    namespace = obj["metadata"]["namespace"]
    entry = world.store.collection("/namespaces").get(f"/{namespace}")
    if entry is None:
        raise failures.not_found("", "namespaces", namespace)
    if not entry.is_terminating():
        return
    name = obj["metadata"].get("name") or ""
    detail = f"unable to create new content in namespace {namespace} because it is being terminated"
    failure = failures.forbidden(resource.group, resource.plural, name, detail)
    cause = f"namespace {namespace} is being terminated"
    if failure.details is not None:
        failure.details["causes"] = [
            {"reason": "NamespaceTerminating", "message": cause, "field": "metadata.namespace"}
        ]
    raise failure


def priority_class(store: Store, name: str) -> Priority | None:
    """Returns the priority class of a name; "" asks for the default one, which is 0 where none is marked so."""
    classes = store.collection("scheduling.k8s.io/priorityclasses")
    if name:
        entry = classes.get(f"/{name}")
        return _priority(entry.decoded()) if entry else None
    defaults = [o for o in (e.decoded() for e in classes.scan()) if o.get("globalDefault")]
    return _priority(min(defaults, key=lambda o: int(o["value"]))) if defaults else Priority("", 0)


def _priority(found: Object) -> Priority:
    return Priority(found["metadata"]["name"], int(found["value"]), found["preemptionPolicy"])
