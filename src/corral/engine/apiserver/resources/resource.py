"""A resource as data: its names, where it is stored, and the strategy that holds its small differences.

The HTTP layer knows only this. A built-in kind is one `Resource` with a `Strategy` subclass; a custom resource is a
`Resource` made from a CustomResourceDefinition with the strategy of custom resources.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.schema.node import Schema

Object = dict[str, Any]
"""A Kubernetes object as decoded JSON; whoever holds one may not change it unless it made it."""


class Column(msgspec.Struct, frozen=True):
    """One column of a Table, as kubectl prints it; priority 0 is shown always, 1 only with `-o wide`."""

    name: str
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0


class Printer(msgspec.Struct, frozen=True):
    """How a kind looks in a Table: its columns, and the cells of one object at the time `now` (seconds, epoch)."""

    columns: tuple[Column, ...]
    cells: Callable[[Object, float], list[Any]]
    conditions: Callable[[Object], list[dict[str, str]] | None] | None = None
    """Conditions of a row, by which kubectl tells rows that have ended (pods); None when the kind has none."""


class Strategy:
    """The small differences of one kind. Every method may change the object it is given, which is always a fresh copy.

    Order on create: schema check, `default`, `prepare_create`, validation of metadata (done once, outside), then
    `validate`. On update: schema check, `default`, `prepare_update`, then `validate` and `validate_update`. `judged` comes
    last. Status updates use `prepare_status` and `validate_status` instead. Methods know no clock (creationTimestamp is set outside)
    and no I/O; all but `allocate` and `release` are pure.
    """

    generation = False
    """Whether metadata.generation starts at 1 and rises with each change of anything but metadata and status."""
    allow_create_on_update = False
    """Whether PUT of an absent name creates it."""
    allow_unconditional_update = True
    """Whether PUT without metadata.resourceVersion is accepted."""
    graceful = False
    """Whether objects are deleted after a grace period and carry its traces (pods)."""
    begins_deletion = False
    """Whether the first delete only begins a clean-up (namespaces, definitions): no grace is noted."""
    returns_deleted = False
    """Whether a delete that takes effect at once answers with the object instead of a Status."""
    default_propagation = ""
    """What a delete that names no propagation policy does with dependents; "" leaves them to the garbage collector."""
    never_owns = False
    """Whether objects have no dependents, so that no delete waits for any (events)."""
    name_rule = "subdomain"
    """The rule for metadata.name: subdomain, label, label1035 (services) or path (RBAC: any path segment)."""

    def default(self, obj: Object) -> None:
        """Sets the defaults that kube-apiserver sets in code (not those of the schema)."""

    def prepare_create(self, obj: Object) -> None:
        """Clears what users may not set on create, and sets what the server decides."""

    def prepare_update(self, new: Object, old: Object) -> None:
        """Carries over from `old` what an update may not change silently."""

    def prepare_status(self, new: Object, old: Object) -> None:
        """Keeps everything but status (and what a status update may also touch) from `old`."""
        status = new.get("status")
        kept = new["metadata"].get("managedFields")
        metadata = dict(old["metadata"])
        if kept is not None:
            metadata["managedFields"] = kept
        new.clear()
        new.update({k: v for k, v in old.items() if k != "status"})
        new["metadata"] = metadata
        if status is not None:
            new["status"] = status

    def validate(self, obj: Object) -> list[FieldError]:
        """Returns everything that is wrong with the object, metadata aside."""
        return []

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Returns every forbidden change."""
        return []

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Returns everything wrong with a new status."""
        return []

    def judged(self, findings: list[FieldError], new: Object, old: Object | None) -> list[FieldError]:
        """Returns the findings with those of rules that are asked last, in the light of all others."""
        return findings

    def change_through(self, subresource: str, new: Object, old: Object) -> list[FieldError] | None:
        """Prepares and checks a change that comes through a subresource; None when it is one of the whole object."""
        if subresource != "status":
            return None
        self.prepare_status(new, old)
        return self.validate_status(new, old)

    def exclusive_scope(self, name: str) -> str:
        """Returns the scope in which only one write at a time may decide; "" for kinds whose objects stand alone.

        Writes in a scope are one after the other, to the disk: each sees, in `settle`, what all former ones decided.
        """
        return ""

    def settle(self, obj: Object, others: Iterable[Object], now: str) -> None:
        """Decides what depends on the other objects of the kind; called only inside an exclusive scope."""

    def allocate(self, new: Object, old: Object | None) -> list[FieldError]:
        """Reserves what no two objects may have, under the object's uid; returns why that cannot be done."""
        return []

    def release(self, uid: str) -> None:
        """Forgets reservations when a write has ended: what was stored is known from the store by now."""

    def required_account(self, obj: Object) -> str:
        """Returns the service account that must exist before the object may; "" when none must."""
        return ""

    def deletion_refusal(self, name: str) -> str:
        """Returns why an object of this name may never be deleted; "" when it may."""
        return ""

    def begin_deletion(self, obj: Object, now: str) -> Object:
        """Returns the object as its first delete leaves it, deletionTimestamp aside; must not change `obj`."""
        return obj

    def is_held(self, obj: Object) -> bool:
        """Says whether something besides metadata.finalizers keeps a deleted object from going."""
        return False

    def deletion_warning(self, propagation: str) -> str:
        """Returns what a client should know about a delete that names this propagation policy, or none."""
        return ""

    def warnings(self, obj: Object) -> list[str]:
        """Returns what a client should know about an object that is valid all the same."""
        return []

    def grace_period(self, obj: Object, requested: int | None) -> int:
        """Returns the seconds to wait before removal; 0 removes at once (all kinds but pods)."""
        return 0

    def selectable(self, obj: Object) -> Mapping[str, str]:
        """Returns the fields usable in field selectors besides metadata.name and metadata.namespace."""
        return {}


@dataclass(frozen=True, eq=False)
class Resource:
    """One served resource in one version."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    schema: Schema
    strategy: Strategy
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = (
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    )
    subresources: tuple[str, ...] = ()
    """Of status, scale, binding, log, exec, attach, eviction, ephemeralcontainers, resize, finalize, approval, token."""
    printer: Printer | None = None
    storage_version: str = ""
    """The version in which objects rest; "" when it is this one."""
    to_storage: Callable[[Object], Object] | None = None
    from_storage: Callable[[Object], Object] | None = None
    """Conversions between this version and the stored one; None copies and renames apiVersion.

    One that has nothing to change returns the object that it was given; it changes none, but returns another instead.
    """
    storage_group: str | None = None
    """The group under which objects rest, when several groups share them (events)."""
    selectable_fields: tuple[str, ...] = ()
    """The field labels accepted in selectors besides metadata.name and metadata.namespace."""
    scale: "Scale | None" = None
    structural: bool = False
    """Whether this is a custom resource (pruned and defaulted by its schema)."""
    definition: str = ""
    """The definition that a custom resource comes from; nothing is created once that one is being deleted."""
    list_kind: str = ""
    """The kind of a list; by default that of an item with `List` behind it."""
    deprecation: str = ""
    """The warning that every answer carries when this version is deprecated."""

    def __post_init__(self) -> None:
        if not self.list_kind:
            object.__setattr__(self, "list_kind", f"{self.kind}List")

    @property
    def api_version(self) -> str:
        """Returns `v1` or `apps/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def go_type(self) -> str:
        """Returns what a real server calls the type of an object, which some messages tell."""
        if self.structural:
            return "unstructured.Unstructured"
        group = self.group if self.storage_group is None else self.storage_group
        return f"{group.split('.')[0] or 'core'}.{self.kind}"

    @property
    def storage_key(self) -> str:
        """Returns the first segment of every storage key of this resource, the same for all of its versions."""
        group = self.group if self.storage_group is None else self.storage_group
        return f"{group}/{self.plural}"


class Scale(msgspec.Struct, frozen=True):
    """Where the scale subresource finds its numbers, as JSON paths like `.spec.replicas`."""

    spec_replicas: str
    status_replicas: str
    selector: str = ""


Resources = Sequence[Resource]
