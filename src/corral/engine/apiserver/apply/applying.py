"""Server-side apply: merging a configuration into the live object under its managers' eyes."""

from functools import reduce
from typing import Any, NamedTuple

from corral.engine.apiserver.apply import last_applied, ownership
from corral.engine.apiserver.apply.comparison import Change, claimed
from corral.engine.apiserver.apply.config_check import check_config, check_live
from corral.engine.apiserver.apply.conflicts import Conflict, conflict_failure
from corral.engine.apiserver.apply.field_set import Fields, difference, intersection, union, without_trees
from corral.engine.apiserver.apply.list_items import UnkeyedItemError
from corral.engine.apiserver.apply.merging import merge
from corral.engine.apiserver.apply.ownership import BEFORE_FIRST_APPLY, Entry, Owner
from corral.engine.apiserver.apply.removal import pruned
from corral.engine.apiserver.apply.tracking import UNOWNED, FieldTracking, updated, without_managers


class Applied(NamedTuple):
    """The object after an apply, with its managers; `changed` is False when there is nothing to write."""

    object: dict[str, Any]
    changed: bool


class Request(NamedTuple):
    """One apply request: what is applied, by whom, whether it takes fields from others, and when (RFC 3339)."""

    config: dict[str, Any]
    manager: str
    force: bool
    now: str


def apply(tracking: FieldTracking, live: dict[str, Any] | None, request: Request) -> Applied:
    """Returns the live object with the configuration applied; conflicts that are not forced are a 409.

    `live` is None when the object does not exist yet. The configuration is what the client sent, without defaults:
    the manager owns every field in it. Defaults are not set here either: the caller does that to the result.
    """
    check_config(tracking, request.config)
    before = without_managers(live or {})
    try:
        entries = _entries(tracking, live, before, request.now)
    except UnkeyedItemError:
        check_live(tracking, before)
        raise
    owner = Owner(request.manager, "Apply", "", tracking.subresource)
    mine = next((entry for entry in entries if ownership.owner_of(entry) == owner), None)
    others = [entry for entry in entries if entry is not mine]
    fields = without_trees(claimed(request.config, tracking.schema), tracking.reset_fields)
    after = merge(before, request.config, tracking.schema)
    if mine is not None:
        owned = reduce(union, (entry["fieldsV1"] for entry in others), fields)
        after = pruned(after, mine["fieldsV1"], owned, tracking.schema, nulls=tracking.custom)
    change = tracking.change(before, after)
    if not request.force:
        _refuse_conflicts(tracking, before, request, _conflicts(others, change.touched))
    time = request.now if after != before else (mine or {}).get("time")
    settled = _settled(others, change)
    if kept := difference(fields, UNOWNED):
        settled.append(ownership.entry_for(owner, tracking.api_version, kept, time))
    if request.manager == last_applied.MANAGER:
        after = last_applied.synchronised(after, request.config)
    result = _with_managers(after, ownership.in_order(settled))
    return Applied(result, result != live)


def _entries(tracking: FieldTracking, live: dict[str, Any] | None, before: dict[str, Any], now: str) -> list[Entry]:
    found: list[Entry] = (live or {}).get("metadata", {}).get("managedFields") or []
    if found or live is None:
        return found
    # The object was not tracked so far: everything in it belongs to whoever wrote it before.
    owner = Owner(BEFORE_FIRST_APPLY, "Update", tracking.api_version, tracking.subresource)
    return updated([], tracking.change({}, before), owner, now)


def _conflicts(others: list[Entry], touched: Fields) -> list[Conflict]:
    met = [Conflict(ownership.owner_of(entry), intersection(entry["fieldsV1"], touched)) for entry in others]
    return [conflict for conflict in met if conflict.fields]


def _refuse_conflicts(
    tracking: FieldTracking, live: dict[str, Any], request: Request, conflicts: list[Conflict]
) -> None:
    if conflicts and request.manager == last_applied.MANAGER:
        allowed = last_applied.allowed_conflicts(tracking, live)
        left = (Conflict(owner, difference(fields, allowed)) for owner, fields in conflicts)
        conflicts = [conflict for conflict in left if conflict.fields]
    if conflicts:
        raise conflict_failure(conflicts)


def _settled(others: list[Entry], change: Change) -> list[Entry]:
    """Returns the other managers without what the apply took from them or removed."""
    result = []
    for entry in others:
        fields = difference(difference(entry["fieldsV1"], change.touched), change.removed)
        if fields:
            result.append(entry if fields is entry["fieldsV1"] else ownership.with_fields(entry, fields))
    return result


def _with_managers(obj: dict[str, Any], entries: list[Entry]) -> dict[str, Any]:
    if not entries:
        return obj
    return {**obj, "metadata": {**(obj.get("metadata") or {}), "managedFields": entries}}
