"""What a write may do in the light of other objects: its namespace, its definition, and others of its kind."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, nullcontext

from corral.engine.apiserver import failures
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest.identity import key_for
from corral.engine.apiserver.world import World

NAMESPACES = "/namespaces"
ACCOUNTS = "/serviceaccounts"
DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions"

_UNGUARDED = nullcontext()


def exclusively(world: World, resource: Resource, name: str) -> AbstractAsyncContextManager[object]:
    """Lets only one write at a time into the scope that the strategy names; taken before the lock of the key."""
    scope = resource.strategy.exclusive_scope(name)
    # Every key has a slash before its name, so a scope is never the key of an object.
    return world.store.locked(resource.storage_key, f"scope {scope}") if scope else _UNGUARDED


def settle(world: World, resource: Resource, obj: Object) -> None:
    """Lets the strategy decide what depends on the others; only kinds with an exclusive scope look at them."""
    if resource.strategy.exclusive_scope(obj["metadata"].get("name") or ""):
        others = (entry.decoded() for entry in world.store.collection(resource.storage_key).scan())
        resource.strategy.settle(obj, others, world.timestamp())


def check_surroundings(world: World, resource: Resource, obj: Object) -> None:
    """Refuses a new object whose definition or namespace is gone or going."""
    if resource.definition:
        _check_definition(world, resource, obj)
    if resource.namespaced:
        _check_namespace(world, resource, obj)
    account = resource.strategy.required_account(obj)
    if account:
        _check_account(world, resource, obj, account)


async def still_welcome(world: World, resource: Resource, obj: Object) -> None:
    """Checks the surroundings again, last: whoever goes on to store the object without waiting comes before their end.

    A deletion of the namespace or the definition holds its lock until it is committed, so after waiting for the locks
    nothing is under way; and what is handed to the store at once is committed before any deletion that follows.
    """
    store = world.store
    while changing := [place for place in _surroundings(resource, obj) if store.is_locked(*place)]:
        async with store.locked(*changing[0]):
            pass
    check_surroundings(world, resource, obj)


def _surroundings(resource: Resource, obj: Object) -> Iterator[tuple[str, str]]:
    if resource.definition:
        yield DEFINITIONS, key_for("", resource.definition)
    if resource.namespaced:
        yield NAMESPACES, key_for("", obj["metadata"]["namespace"])


def _check_definition(world: World, resource: Resource, obj: Object) -> None:
    entry = world.store.collection(DEFINITIONS).get(key_for("", resource.definition))
    if entry is None:
        raise failures.no_such_path()
    if entry.is_terminating():
        detail = "create not allowed while custom resource definition is terminating"
        raise failures.forbidden(resource.group, resource.plural, obj["metadata"].get("name") or "", detail)


def _check_account(world: World, resource: Resource, obj: Object, account: str) -> None:
    namespace = obj["metadata"]["namespace"]
    if world.store.collection(ACCOUNTS).get(key_for(namespace, account)) is None:
        missing = f'serviceaccount "{account}" not found'
        detail = f"error looking up service account {namespace}/{account}: {missing}"
        raise failures.forbidden(resource.group, resource.plural, obj["metadata"].get("name") or "", detail)


def _check_namespace(world: World, resource: Resource, obj: Object) -> None:
    namespace = obj["metadata"]["namespace"]
    entry = world.store.collection(NAMESPACES).get(key_for("", namespace))
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
