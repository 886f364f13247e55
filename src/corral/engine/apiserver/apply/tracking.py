"""Keeping track of who changed what by plain writes: create, update and the other kinds of patch.

Called once per write, after defaults are set and before anything else changes the object, so it is on the hot path:
an unchanged part costs one comparison.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from corral.engine.apiserver.apply import ownership
from corral.engine.apiserver.apply.comparison import Change, compare
from corral.engine.apiserver.apply.field_set import Fields, difference, union, without_trees
from corral.engine.apiserver.apply.list_items import UnkeyedItemError
from corral.engine.apiserver.apply.ownership import Entry, Owner
from corral.engine.apiserver.schema.builtin import object_meta
from corral.engine.apiserver.schema.node import Schema

MAX_MANAGER_LENGTH = 128

# Nobody owns what identifies an object or what the server itself keeps.
UNOWNED: Final[Fields] = {
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {
        ".": {},
        "f:name": {},
        "f:namespace": {},
        "f:creationTimestamp": {},
        "f:selfLink": {},
        "f:uid": {},
        "f:clusterName": {},
        "f:generation": {},
        "f:managedFields": {},
        "f:resourceVersion": {},
    },
}


@dataclass(frozen=True, slots=True)
class FieldTracking:
    """How the fields of one resource (or one subresource of it) are tracked; made once per served version.

    `custom` says that the kind is a custom resource. `reset_fields` is the set of fields that this endpoint ignores
    in what clients send, with everything below them: the status on the main endpoint, for example.
    """

    schema: Schema
    api_version: str
    kind: str
    subresource: str = ""
    custom: bool = False
    reset_fields: Fields = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.custom:
            # The schema of a definition leaves out what every object has.
            object.__setattr__(self, "schema", _with_metadata(self.schema))

    def change(self, old: dict[str, Any], new: dict[str, Any]) -> Change:
        """Returns what a write changed, as far as this endpoint lets it."""
        found = compare(old, new, self.schema, whole=not self.custom)
        if not self.reset_fields:
            return found
        return Change(without_trees(found.touched, self.reset_fields), without_trees(found.removed, self.reset_fields))


def _with_metadata(schema: Schema) -> Schema:
    whole = Schema("object")
    whole.preserve_unknown, whole.additional = schema.preserve_unknown, schema.additional
    whole.properties = {
        **schema.properties,
        "apiVersion": Schema("string"),
        "kind": Schema("string"),
        "metadata": object_meta(),
    }
    return whole


def track_update(
    tracking: FieldTracking, old: dict[str, Any] | None, new: dict[str, Any], manager: str, now: str
) -> list[Entry]:
    """Returns `metadata.managedFields` after a plain write by a manager at a time (RFC 3339, UTC, seconds).

    `old` is the live object, None on create. An object that is not tracked (it has no entries) stays so.
    """
    entries = ownership.current(old, new, subresource=bool(tracking.subresource))
    if old is not None and not entries:
        return []
    owner = Owner(manager or "unknown", "Update", tracking.api_version, tracking.subresource)
    try:
        change = tracking.change(without_managers(old or {}), without_managers(new))
    except UnkeyedItemError:
        # The real server gives up tracking an object whose list items it cannot tell apart, and stores the write.
        return []
    return updated(entries, change, owner, now)


def updated(entries: list[Entry], change: Change, owner: Owner, now: str) -> list[Entry]:
    """Returns the entries after a change by one owner: it takes what it touched, and what it removed nobody owns."""
    taken = difference(change.touched, UNOWNED)
    result: list[Entry] = []
    mine: Entry | None = None
    for entry in entries:
        fields = difference(difference(entry["fieldsV1"], change.touched), change.removed)
        kept = entry if fields is entry["fieldsV1"] else ownership.with_fields(entry, fields)
        if taken and mine is None and ownership.owner_of(entry) == owner:
            mine = kept
        elif fields:
            result.append(kept)
    if taken:
        fields = union(taken, mine["fieldsV1"]) if mine is not None else taken
        result.append(ownership.entry_for(owner, owner.api_version, fields, now))
    return ownership.in_order(ownership.capped(result))


def without_managers(obj: dict[str, Any]) -> dict[str, Any]:
    """Returns the object without its list of managers, which never owns itself."""
    metadata = obj.get("metadata")
    if not metadata or "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}


def manager_of(field_manager: str, user_agent: str) -> str:
    """Returns the manager's name for a plain write: the one given, or the first word of the User-Agent."""
    if field_manager:
        return field_manager
    name = "".join(char for char in user_agent.partition("/")[0] if char.isprintable())
    while len(name.encode()) > MAX_MANAGER_LENGTH:
        name = name[:-1]
    return name or "unknown"
