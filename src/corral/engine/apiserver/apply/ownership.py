"""The managers of one object: the entries of `metadata.managedFields`, read, changed and put in order.

Entries are the dicts of the API themselves. An entry that does not change is passed on as it is, so that an update of
one field costs little however many managers there are.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from corral.engine.apiserver.apply.field_set import Fields, MalformedFieldsError, canonical, union

Entry = dict[str, Any]

MAX_UPDATE_MANAGERS = 10
ANCIENT = "ancient-changes"
BEFORE_FIRST_APPLY = "before-first-apply"


class Owner(NamedTuple):
    """Who an entry belongs to; an applier is the same whatever version it speaks, an updater is not."""

    manager: str
    operation: str
    api_version: str
    subresource: str


def owner_of(entry: Entry) -> Owner:
    """Returns the owner of an entry."""
    operation = entry["operation"]
    version = "" if operation == "Apply" else entry.get("apiVersion", "")
    return Owner(entry.get("manager", ""), operation, version, entry.get("subresource", ""))


def entry_for(owner: Owner, api_version: str, fields: Fields, time: str | None) -> Entry:
    """Returns the entry of an owner, its keys in the order of the wire."""
    entry: Entry = {"manager": owner.manager, "operation": owner.operation, "apiVersion": api_version}
    if time is not None:
        entry["time"] = time
    entry["fieldsType"] = "FieldsV1"
    entry["fieldsV1"] = fields
    if owner.subresource:
        entry["subresource"] = owner.subresource
    return entry


def with_fields(entry: Entry, fields: Fields) -> Entry:
    """Returns the entry with another set of fields."""
    return {**entry, "fieldsV1": fields}


def is_reset(entries: Any) -> bool:
    """Tells whether a client asks to forget all managers: an empty list, or one empty entry."""
    return isinstance(entries, list) and (not entries or entries == [{}])


def decoded(entries: Any) -> list[Entry] | None:
    """Returns the entries that a client sent, in our form, or None when they are malformed."""
    if not isinstance(entries, list):
        return None
    result: dict[Owner, Entry] = {}
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("operation") not in ("Apply", "Update"):
            return None
        if not entry.get("apiVersion") or entry.get("fieldsType") != "FieldsV1":
            return None
        try:
            fields = canonical(entry.get("fieldsV1") or {})
        except MalformedFieldsError:
            return None
        owner = owner_of(entry)
        result[owner] = entry_for(owner, entry["apiVersion"], fields, entry.get("time"))
    return list(result.values())


def current(old: dict[str, Any] | None, new: dict[str, Any], *, subresource: bool) -> list[Entry]:
    """Returns the entries that a plain write starts from.

    A client may change the managers of the object itself, but not through a subresource, and what it sends by
    mistake (nothing, or something malformed) does not count.
    """
    stored = (old or {}).get("metadata", {}).get("managedFields") or []
    sent = new.get("metadata", {}).get("managedFields")
    if subresource or sent is None or sent is stored or sent == stored:
        return stored
    if is_reset(sent):
        return []
    return decoded(sent) or stored


def with_old_times(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Returns the stored object itself when a write changes nothing in it but times of managers, else the new one.

    To be asked last, after defaults: applying a value that defaults undo again must not make a new version.
    """
    was, now = old["metadata"].get("managedFields") or [], new["metadata"].get("managedFields") or []
    if not now or len(was) != len(now):
        return new
    for before, after in zip(was, now, strict=True):
        if before.keys() | {"time"} != after.keys() | {"time"}:
            return new
        if any(before[key] != after[key] for key in before if key != "time"):
            return new
    return old if {**new, "metadata": {**new["metadata"], "managedFields": was}} == old else new


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Returns the entries as the real server lists them: appliers first, then by time, name and version."""
    return sorted(entries, key=_place)


def _place(entry: Entry) -> tuple[str, str, str, str, str]:
    # Times are RFC 3339 in UTC with seconds, so their order is that of their texts; none at all comes first.
    return (
        entry["operation"],
        entry.get("time") or "",
        entry.get("manager", ""),
        entry.get("apiVersion", ""),
        entry.get("subresource", ""),
    )


def capped(entries: Sequence[Entry]) -> list[Entry]:
    """Returns the entries with the oldest updaters of each version merged, so that at most ten updaters remain."""
    updaters = sorted((e for e in entries if e["operation"] == "Update"), key=_age)
    excess = len(updaters) - MAX_UPDATE_MANAGERS
    if excess <= 0:
        return list(entries)
    kept = {owner_of(entry): entry for entry in entries}
    first: dict[str, Owner] = {}
    for entry in updaters:
        if excess <= 0:
            break
        version, owner = entry["apiVersion"], owner_of(entry)
        if version not in first:
            first[version] = owner
            continue
        bucket = Owner(ANCIENT, "Update", version, "")
        if bucket not in kept:
            kept[bucket] = kept.pop(first[version])
        merged = union(entry["fieldsV1"], kept[bucket]["fieldsV1"])
        kept[bucket] = entry_for(bucket, version, merged, entry.get("time"))
        if owner != bucket:
            del kept[owner]
        excess -= 1
    return list(kept.values())


def _age(entry: Entry) -> tuple[str, Owner]:
    return (entry.get("time") or "", owner_of(entry))
