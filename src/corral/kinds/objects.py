"""Reading Kubernetes objects that are held as plain JSON values, and the trimmed form for caches that hold many.

Loops hold either whole objects (`Object`) or Structs that decode only what they use; both have the same metadata, and
`identity_of` reads either.
"""

from typing import Any, Protocol, cast, runtime_checkable

import msgspec

from corral.kinds.references import ApiResource, Identity, ObjectKey

Object = dict[str, Any]
"""A Kubernetes object as decoded JSON. Objects from a cache are shared: copy before changing one."""


class OwnerReference(msgspec.Struct, rename="camel", kw_only=True):
    """One owner of an object."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False
    block_owner_deletion: bool = False


class Metadata(msgspec.Struct, rename="camel", kw_only=True):
    """The part of object metadata that control loops read; everything else is skipped while decoding."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []


@runtime_checkable
class HasMetadata(Protocol):
    """Any trimmed object: a Struct with a `metadata` field."""

    metadata: Metadata


class MetadataOnly(msgspec.Struct, rename="camel", kw_only=True):
    """The smallest trimmed object, enough for garbage collection of any kind."""

    metadata: Metadata
    api_version: str = ""
    kind: str = ""


def copied(value: Any) -> Any:
    """Returns a copy of a JSON value that shares nothing that can be changed; many times faster than `deepcopy`."""
    if type(value) is dict:
        return {name: copied(one) for name, one in value.items()}
    if type(value) is list:
        return [copied(one) for one in value]
    return value


def identity_of(held: object) -> Identity:
    """Returns which object this is, for a whole object and a trimmed one alike."""
    if isinstance(held, dict):
        whole = held["metadata"]
        return Identity(
            whole.get("namespace", ""), whole["name"], whole.get("uid", ""), whole.get("resourceVersion", "")
        )
    trimmed = cast(HasMetadata, held).metadata
    return Identity(trimmed.namespace, trimmed.name, trimmed.uid, trimmed.resource_version)


def key_of(held: object) -> ObjectKey:
    """Returns namespace and name."""
    return identity_of(held).key


def uid_of(held: object) -> str:
    """Returns the uid, or nothing for an object that no server has seen."""
    return identity_of(held).uid


def labels_of(obj: Object) -> dict[str, str]:
    """Returns the labels, never None; not to be changed."""
    return cast("dict[str, str]", obj["metadata"].get("labels") or {})


def is_deleting(held: object) -> bool:
    """Whether deletion was asked for; such an object is already lost and only its finalizers are waited for."""
    if isinstance(held, dict):
        return bool(held["metadata"].get("deletionTimestamp"))
    return bool(cast(HasMetadata, held).metadata.deletion_timestamp)


def owners_of(obj: Object) -> list[Object]:
    """Returns the owner references, never None; not to be changed."""
    return cast("list[Object]", obj["metadata"].get("ownerReferences") or [])


def controller_of(obj: Object) -> Object | None:
    """Returns the one owner that manages this object, if any."""
    return next((owner for owner in owners_of(obj) if owner.get("controller")), None)


def is_controlled_by(obj: Object, uid: str) -> bool:
    """Whether the owner with this uid manages the object; the name does not count, since names are reused."""
    controller = controller_of(obj)
    return controller is not None and controller.get("uid") == uid


def owner_reference(resource: ApiResource, owner: Object, *, controller: bool = True) -> Object:
    """Returns the reference that makes `owner` the (managing) owner of a child."""
    metadata = owner["metadata"]
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": controller,
        "blockOwnerDeletion": True,
    }


def object_reference(resource: ApiResource, obj: Object) -> Object:
    """Returns the reference by which an Event says what it is about."""
    metadata = obj["metadata"]
    reference = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": metadata["name"],
        "namespace": metadata.get("namespace", ""),
        "uid": metadata.get("uid", ""),
        "resourceVersion": metadata.get("resourceVersion", ""),
    }
    return {field: value for field, value in reference.items() if value}


def matches_labels(labels: dict[str, str], wanted: dict[str, str]) -> bool:
    """Whether every wanted label is there with the wanted value."""
    return all(labels.get(name) == value for name, value in wanted.items())
