"""Create, and the one path that every change of an existing object takes: replace, patch, apply and status alike.

A change is a function from the old object to the new one; what follows is the same for all of them: version checks,
defaults, the strategy's preparation, validation, field ownership, and the store.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from corral.engine.apiserver import failures, field_errors
from corral.engine.apiserver.apply.ownership import with_old_times
from corral.engine.apiserver.apply.tracking import manager_of, track_update
from corral.engine.apiserver.http.options import WriteOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.metadata_validation import validate_metadata, validate_metadata_update
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest import admission, lifecycle
from corral.engine.apiserver.rest.identity import check_namespace, key_for, key_of, other_uid
from corral.engine.apiserver.rest.ownership import tracking_of
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.schema.completion import complete
from corral.engine.apiserver.schema.defaulting import apply_defaults, copied
from corral.engine.apiserver.schema.validation import validate as validate_schema
from corral.engine.apiserver.storage.entry import Entry
from corral.engine.apiserver.world import World

GENERATED_NAME_TRIES = 8

TRAINING_GROUP = "kubeflow.org"
CRON_GROUP = "corral.dev"


class Write(msgspec.Struct, frozen=True):
    """One write request: who asks, for what, with which options."""

    world: World
    view: View
    target: Target
    options: WriteOptions
    user_agent: str

    @property
    def resource(self) -> Resource:
        """Returns the resource that is written."""
        return self.view.resource

    @property
    def manager(self) -> str:
        """Returns the name under which this write owns fields."""
        return manager_of(self.options.field_manager, self.user_agent)

    @property
    def collection(self) -> str:
        """Returns where the object rests."""
        return self.resource.storage_key


class Written(msgspec.Struct, frozen=True):
    """The outcome: the object in the client's version, its entry, and what happened to it."""

    obj: Object
    entry: Entry
    created: bool = False
    warnings: tuple[str, ...] = ()


async def create(write: Write, obj: Object, tracked: bool = True) -> Written:
    """Stores a new object; `tracked` is false when its managed fields are set already (server-side apply)."""
    world, resource = write.world, write.resource
    namespace = write.target.namespace
    check_namespace(obj, namespace, resource)
    given = obj.get("metadata") or {}
    obj = lifecycle.born(obj, resource, namespace if resource.namespaced else "", world.new_uid(), world.timestamp())
    admission.check_surroundings(world, resource, obj)
    version = given.get("resourceVersion") or ""
    if given.get("name") or not given.get("generateName"):
        return await _create(write, obj, version, tracked)
    return await _create_generated(write, obj, version, tracked)


async def _create_generated(write: Write, obj: Object, version: str, tracked: bool) -> Written:
    """Tries names until one is free, each with an object of its own: much may follow from a name."""
    for left in reversed(range(GENERATED_NAME_TRIES)):
        named = copied(obj)
        named["metadata"]["name"] = write.world.generated_name(obj["metadata"]["generateName"])
        try:
            return await _create(write, lifecycle.ordered(named, named["metadata"]), version, tracked)
        except failures.ApiFailure as failure:
            if failure.reason != "AlreadyExists" or not left:
                raise
    raise AssertionError("the last try returns or raises")


async def _create(write: Write, obj: Object, version: str, tracked: bool) -> Written:
    """Makes and stores one object; `version` is a resourceVersion that the client gave, which only a dry run forgives."""
    async with admission.exclusively(write.world, write.resource, obj["metadata"].get("name") or ""):
        try:
            warnings = _prepare_new(write, obj, tracked)
            return msgspec.structs.replace(await _store_new(write, obj, version), warnings=warnings)
        finally:
            write.resource.strategy.release(obj["metadata"]["uid"])


def _prepare_new(write: Write, obj: Object, tracked: bool) -> tuple[str, ...]:
    """Makes a new object ready to be stored; returns the warnings to send."""
    resource, strategy = write.resource, write.resource.strategy
    if resource.structural:
        apply_defaults(resource.schema, obj)
    strategy.default(obj)
    if tracked:  # before the server adds what is its own: only the client's words have an owner
        _own(write, None, obj)
    _refuse(write, strategy.allocate(obj, None), obj)
    strategy.prepare_create(obj)
    admission.settle(write.world, resource, obj)
    errors = validate_metadata(obj, namespaced=resource.namespaced, name_rule=strategy.name_rule)
    if resource.structural:
        errors += validate_schema(resource.schema, obj)
    _refuse(write, strategy.judged(errors + strategy.validate(obj), obj, None), obj)
    warnings = _admit(write, obj, None)
    if not resource.structural:
        complete(resource.schema, obj)
    return warnings


def _refuse(write: Write, errors: list[field_errors.FieldError], obj: Object) -> None:
    if errors:
        resource = write.resource
        group = resource.group if resource.storage_group is None else resource.storage_group
        raise failures.invalid(group, resource.kind, obj["metadata"].get("name", ""), errors)


def _admit(write: Write, obj: Object, old: Object | None) -> tuple[str, ...]:
    """Lets kinds of Corral be judged by their own rules; returns the warnings to send."""
    if write.resource.group not in (TRAINING_GROUP, CRON_GROUP):
        return ()
    # Loaded with the first such job: the rules take a tenth of the whole start, and most starts are for other things.
    from corral.engine.apiserver.rest.job_admission import admit

    return admit(write.world, write.resource, obj, old)


async def _store_new(write: Write, obj: Object, version: str) -> Written:
    store, resource = write.world.store, write.resource
    name = obj["metadata"]["name"]
    key = key_for(obj["metadata"].get("namespace", ""), name)
    if version and not write.options.dry_run:
        raise failures.ApiFailure(500, "", "resourceVersion should not be set on objects to be created")
    async with store.locked(write.collection, key) as existing:
        if existing is not None:
            failure = failures.already_exists(resource.group, resource.plural, name)
            if existing.is_terminating():
                failure.message = f"object is being deleted: {failure.message}"
            raise failure
        await admission.still_welcome(write.world, resource, obj)
        if write.options.dry_run:
            obj["metadata"]["resourceVersion"] = version
            if not version:
                del obj["metadata"]["resourceVersion"]
            return Written(obj, Entry.of(key, 0, stored(resource, obj)), created=True)
        entry = await store.put(write.collection, key, stored(resource, obj))
    obj["metadata"]["resourceVersion"] = str(entry.rev)
    return Written(obj, entry, created=True)


def stored(resource: Resource, obj: Object) -> Object:
    """Returns an object in the version in which it rests."""
    if resource.to_storage is not None:
        return resource.to_storage(obj)
    if resource.storage_version and resource.storage_version != resource.version:
        group = f"{resource.group}/" if resource.group else ""
        return {**obj, "apiVersion": f"{group}{resource.storage_version}"}
    return obj


Maker = Callable[[Object], Object]
"""Makes the new object from the old one, both in the client's version; may raise, must not change the old one."""


async def change(write: Write, make: Maker, *, tracked: bool = True) -> Written:
    """Changes an existing object; nothing is written when nothing differs."""
    store, resource, target = write.world.store, write.resource, write.target
    async with (
        admission.exclusively(write.world, resource, target.name),
        store.locked(write.collection, key_of(target)) as entry,
    ):
        if entry is None:
            raise failures.not_found(resource.group, resource.plural, target.name)
        old = write.view.decoded(entry)
        try:
            new = _prepared_change(write, make(old), old, tracked)
            warnings = () if target.subresource else _admit(write, new, old)
            return msgspec.structs.replace(await _store_change(write, entry, old, new), warnings=warnings)
        finally:
            resource.strategy.release(old["metadata"]["uid"])


async def _store_change(write: Write, entry: Entry, old: Object, new: Object) -> Written:
    store, resource, key = write.world.store, write.resource, entry.key
    if with_old_times(old, new) == old:
        return Written(old, entry)
    if lifecycle.is_finished(new, resource):
        if not write.options.dry_run:  # watchers see it go as it was before the change that let it go
            await store.remove(write.collection, key, stored(resource, old))
        return Written(new, Entry.of(key, entry.rev, stored(resource, new)))
    if write.options.dry_run:
        return Written(new, Entry.of(key, entry.rev, stored(resource, new)))
    written = await store.put(write.collection, key, stored(resource, new))
    new["metadata"]["resourceVersion"] = str(written.rev)
    return Written(new, written)


def _prepared_change(write: Write, new: Object, old: Object, tracked: bool) -> Object:
    resource, strategy = write.resource, write.resource.strategy
    _check_versions(write, new, old)
    _refuse(write, lifecycle.deletion_errors(new, old), new)
    new = lifecycle.carried_over(new, old)
    if resource.structural:
        apply_defaults(resource.schema, new)
    strategy.default(new)
    if tracked:
        _own(write, old, new)
    errors = strategy.change_through(write.target.subresource, new, old)
    _refuse(write, _changed_whole(write, new, old) if errors is None else errors, new)
    if not resource.structural:
        complete(resource.schema, new)
    return new


def _changed_whole(write: Write, new: Object, old: Object) -> list[field_errors.FieldError]:
    resource, strategy = write.resource, write.resource.strategy
    _refuse(write, strategy.allocate(new, old), new)
    strategy.prepare_update(new, old)
    admission.settle(write.world, resource, new)
    if strategy.generation:
        lifecycle.with_generation(new, old, resource)
    errors = validate_metadata(new, namespaced=resource.namespaced, name_rule=strategy.name_rule)
    errors += validate_metadata_update(new, old)
    if resource.structural:
        errors += validate_schema(resource.schema, new, old)
    return strategy.judged(errors + strategy.validate(new) + strategy.validate_update(new, old), new, old)


def _check_versions(write: Write, new: Object, old: Object) -> None:
    resource, name = write.resource, write.target.name
    meta: dict[str, Any] = new.get("metadata") or {}
    version, was = meta.get("resourceVersion") or "", old["metadata"]
    uid = meta.get("uid")
    if uid and uid != was["uid"]:
        raise other_uid(resource, write.target, uid, was["uid"])
    if version and not (version.isascii() and version.isdigit()):
        raise failures.ApiFailure(500, "", f'strconv.ParseUint: parsing "{version}": invalid syntax')
    if version in ("", "0") and not resource.strategy.allow_unconditional_update:
        error = field_errors.invalid("metadata.resourceVersion", 0, "must be specified for an update")
        raise failures.invalid(resource.group, resource.plural, name, [error])
    if version and version != "0" and version != was["resourceVersion"]:
        raise failures.conflict(resource.group, resource.plural, name, failures.MODIFIED)


def _own(write: Write, old: Object | None, new: Object) -> None:
    if not write.resource.structural:  # what Go's types always show is owned by whoever adds the item around it
        complete(write.resource.schema, new)
    tracking = tracking_of(write.resource, write.target.subresource)
    fields = track_update(tracking, old, new, write.manager, write.world.timestamp())
    if fields:
        new["metadata"]["managedFields"] = fields
    else:
        new["metadata"].pop("managedFields", None)


def with_subresource(write: Write, name: str) -> Write:
    """Returns the same write for a subresource of the same object."""
    return msgspec.structs.replace(write, target=msgspec.structs.replace(write.target, subresource=name))
