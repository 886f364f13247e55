"""Delete and delete collection."""

import asyncio
from collections.abc import Sequence

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.options import DeleteOptions, ListOptions
from corral.engine.apiserver.http.response import Response, document, encoded
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest import admission, lifecycle
from corral.engine.apiserver.rest.filter import Filter
from corral.engine.apiserver.rest.identity import key_of
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.rest.writing import stored
from corral.engine.apiserver.storage.entry import Entry
from corral.engine.apiserver.world import World

AT_ONCE = 32
"""How many objects of a collection are deleted at the same time."""
_LONGEST_GRACE = 10**10
"""Seconds, some three hundred years: a grace may be longer, but its end must be a date."""


async def delete(world: World, view: View, target: Target, options: DeleteOptions) -> Response:
    """Deletes one object, or begins to; answers with the object while it lives on, else with a Status."""
    resource = view.resource
    obj, gone = await _delete(world, view, target, options)
    if not gone or resource.strategy.returns_deleted:
        return encoded(200, view.shown(obj, world.now()), view.form)
    details = {"name": target.name, "group": resource.group, "kind": resource.plural, "uid": obj["metadata"]["uid"]}
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return document(200, {**status, "details": {k: v for k, v in details.items() if v}}, view.form)


async def delete_collection(
    world: World, view: View, target: Target, chosen: ListOptions, options: DeleteOptions
) -> Response:
    """Deletes every object that a list would show; answers with the list as it was."""
    resource = view.resource
    wanted = Filter(view, target, chosen)
    entries = list(wanted.among(world.store.collection(resource.storage_key).scan(wanted.namespace)))
    meta = {"resourceVersion": str(world.store.revision)}
    await delete_entries(world, view, entries, options)
    return encoded(200, view.many(entries, meta, world.now()), view.form)


async def delete_entries(world: World, view: View, entries: Sequence[Entry], options: DeleteOptions) -> int:
    """Deletes many objects, so many at a time that they share commits; returns how many were still there.

    After a failure nothing more is begun; it is raised when what was begun has ended.
    """
    deleted = 0
    for start in range(0, len(entries), AT_ONCE):
        batch = (_delete_entry(world, view, entry, options) for entry in entries[start : start + AT_ONCE])
        for outcome in await asyncio.gather(*batch, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome
            deleted += outcome
    return deleted


async def _delete_entry(world: World, view: View, entry: Entry, options: DeleteOptions) -> bool:
    resource = view.resource
    try:
        target = Target(resource.group, resource.version, resource.plural, entry.namespace, entry.name)
        await _delete(world, view, target, options)
    except failures.ApiFailure as failure:
        if failure.code != 404:
            raise
        return False
    return True


async def _delete(world: World, view: View, target: Target, options: DeleteOptions) -> tuple[Object, bool]:
    resource, store = view.resource, world.store
    refusal = resource.strategy.deletion_refusal(target.name)
    if refusal:
        raise failures.forbidden(resource.group, resource.plural, target.name, refusal)
    key = key_of(target)
    async with (
        admission.exclusively(world, resource, target.name),
        store.locked(resource.storage_key, key) as entry,
    ):
        if entry is None:
            raise failures.not_found(resource.group, resource.plural, target.name)
        obj = view.decoded(entry)
        _check_preconditions(resource, obj, options)
        if obj["metadata"].get("deletionTimestamp") and resource.strategy.is_held(obj):
            return obj, False
        grace = resource.strategy.grace_period(obj, options.grace_period)
        moments = (world.timestamp(), world.timestamp(min(grace, _LONGEST_GRACE)))
        outcome = lifecycle.deleted(obj, resource, options, moments, grace)
        if not outcome.changed or options.dry_run:
            return outcome.obj, outcome.gone
        kept = stored(resource, outcome.obj)
        if outcome.gone:
            last = await store.remove(resource.storage_key, key, kept)
        else:
            last = await store.put(resource.storage_key, key, kept)
    return view.decoded(last), outcome.gone


def _check_preconditions(resource: Resource, obj: Object, options: DeleteOptions) -> None:
    meta = obj["metadata"]
    for word, wanted, found in (
        ("UID", options.uid, meta["uid"]),
        ("ResourceVersion", options.resource_version, meta["resourceVersion"]),
    ):
        if wanted is not None and wanted != found:
            detail = (
                f"the {word} in the precondition ({wanted}) does not match the {word} in record ({found}). "
                f"The object might have been {'deleted and then recreated' if word == 'UID' else 'modified'}"
            )
            if resource.strategy.begins_deletion:  # these kinds have a way of their own in a real server
                detail = f"Precondition failed: {word} in precondition: {wanted}, {word} in object meta: {found}"
                raise failures.conflict(resource.group, resource.plural, meta["name"], detail)
            group = resource.group if resource.storage_group is None else resource.storage_group
            raise failures.conflict(group, resource.kind, meta["name"], detail)
