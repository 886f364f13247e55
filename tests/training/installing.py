"""Installs the training kinds and their rules on a server that does not bring them, and waits until both are in force."""

import time
from typing import Any

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.object_store import Patch, WriteOptions
from corral.ports.refusals import InvalidError, NotFoundError, OverloadedError
from tests.training.manifests import EVERY_KIND, INDEXED_KINDS, manifest
from tests.training.stage import job_resource

_WITHIN = 60.0
_FORCED = WriteOptions(manager="tests", force=True)


def install_training_kinds(access: Access) -> None:
    """Applies definitions and policies and returns when the server acts on them."""
    from corral.kinds.installed import definitions, policies

    with SyncClient(access) as client:
        for obj in [*definitions(), *policies()]:
            _apply(client, obj)
        for kind in EVERY_KIND:
            _until(lambda kind=kind: _is_served(client, kind), f"{kind} is served")
        for kind in INDEXED_KINDS:
            _until(lambda kind=kind: _refuses(client, kind), f"bad {kind}s are refused")


def _apply(client: SyncClient, obj: Object) -> None:
    kind = obj["kind"]
    if kind == CUSTOM_RESOURCE_DEFINITION.kind:
        resource = CUSTOM_RESOURCE_DEFINITION
    else:
        group, _, version = obj["apiVersion"].rpartition("/")
        plural = kind.lower().removesuffix("y") + ("ies" if kind.endswith("y") else "s")
        resource = ApiResource(group, version, kind, plural, namespaced=False)
    client.patch(resource, ObjectKey("", obj["metadata"]["name"]), Patch("apply", obj), options=_FORCED)


def _is_served(client: SyncClient, kind: str) -> bool:
    try:
        client.list(job_resource(kind))
    except NotFoundError:
        return False
    return True


def _refuses(client: SyncClient, kind: str) -> bool:
    """Whether the rule about training containers is in force, by a job that must not be let in."""
    bad: dict[str, Any] = manifest(kind, "bad")
    for one in bad["spec"][job_map(bad)].values():
        one["template"]["spec"]["containers"][0]["name"] = "another"
    bad["metadata"]["namespace"] = "default"
    try:
        client.create(job_resource(kind), bad, WriteOptions(dry_run=True))
    except InvalidError:
        return True
    except (NotFoundError, OverloadedError):
        return False
    return False


def job_map(job: Object) -> str:
    """Returns the field of spec that holds the roles."""
    return next(str(field) for field in job["spec"] if field.endswith("ReplicaSpecs"))


def _until(holds: Any, what: str) -> None:
    deadline = time.monotonic() + _WITHIN
    while not holds():
        assert time.monotonic() < deadline, f"not within {_WITHIN:g} s: {what}"
        time.sleep(0.1)
