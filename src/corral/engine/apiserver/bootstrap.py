"""What exists from the start: the built-in resources, the first namespaces and the system's priority classes."""

from dataclasses import replace
from pathlib import Path

from corral.engine.apiserver import failures
from corral.engine.apiserver.catalog import Catalog
from corral.engine.apiserver.definitions import Definitions, definition_resource
from corral.engine.apiserver.http.negotiation import JSON
from corral.engine.apiserver.http.options import WriteOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.namespaces import BOOTSTRAP_NAMESPACES, namespace
from corral.engine.apiserver.resources.plain import plain_resources
from corral.engine.apiserver.resources.priorities import PriorityClasses, system_priority_classes
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.resources.service_ledger import Ledger
from corral.engine.apiserver.resources.tables.printers import printer_for
from corral.engine.apiserver.resources.workloads import workload_resources
from corral.engine.apiserver.rest.following import follow
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.rest.writing import Write, create
from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.storage.store import Store
from corral.engine.apiserver.training_definitions import ensure_definitions
from corral.engine.apiserver.world import World


async def started_world(directory: Path) -> World:
    """Returns a world with its state read, its definitions served and its first objects made."""
    store = Store(directory)
    world = World(store, Catalog(builtin_resources(store)))
    Definitions(world).begin()
    for name in BOOTSTRAP_NAMESPACES:
        await _ensured(world, "", "namespaces", namespace(name))
    for obj in system_priority_classes():
        await _ensured(world, "scheduling.k8s.io", "priorityclasses", obj)
    await ensure_definitions(world)
    return world


def builtin_resources(store: Store) -> tuple[Resource, ...]:
    """Returns every built-in resource with its printer, and with what it must know of others in the store."""
    ledger, priorities = Ledger(), PriorityClasses()
    follow(store, "/services", ledger.note)
    follow(store, "scheduling.k8s.io/priorityclasses", priorities.note)
    found = (
        *plain_resources(builtin_schema, ledger),
        *workload_resources(builtin_schema, priorities.find),
        definition_resource(),
    )
    return tuple(replace(r, printer=printer_for(r.group, r.kind)) for r in found)


async def _ensured(world: World, group: str, plural: str, obj: Object) -> None:
    resource = world.catalog.find(group, "v1", plural)
    assert resource is not None
    if world.store.collection(resource.storage_key).get(f"/{obj['metadata']['name']}") is not None:
        return
    options = WriteOptions(field_manager="kube-apiserver")
    try:
        await create(Write(world, View(resource, JSON), Target(group, "v1", plural), options, ""), obj)
    except failures.ApiFailure as failure:
        if failure.code != 507:  # on a full disk the server still serves what it has
            raise
