"""The end of a run in a form that can be compared with that of another: without uids, times and revisions."""

import json
import re
from dataclasses import dataclass
from typing import Any

from corral.kinds.objects import Object
from tests.training.sweeps.player import Player
from tests.training.sweeps.record import Record

_TOKEN_VOLUME = re.compile(r"kube-api-access-\w{5}")
"""The volume that a cluster adds to every pod, under a name of chance."""
_STATUS_TIMES = ("startTime", "completionTime", "lastReconcileTime")


@dataclass(frozen=True)
class End:
    """What a run has come to, and how."""

    state: Object
    made: list[str]
    deleted: list[str]
    calls: list[str]
    writes_at_rest: int
    complaints: list[str]


def end_of(state: Object, record: Record, calls: list[str], writes_at_rest: int) -> End:
    """Returns the end of a run that is over."""
    return End(state, record.made(), record.deleted(), calls, writes_at_rest, record.complaints())


async def state_of(player: Player, record: Record) -> Object:
    """Returns what there is now, as it can be compared."""
    job = await player.job()
    status = job.get("status") if job is not None else record.statuses()[-1]
    return {
        "is_there": job is not None,
        "status": normal_status(status or {}),
        "pods": by_name([normal_pod(pod) for pod in await player.pods()]),
        "services": by_name([normal_service(one) for one in await player.services()]),
    }


def normal_status(status: Object) -> Object:
    """Returns a status with only what must be the same in every run; of times, whether they are there."""
    kept = {name: value for name, value in status.items() if name not in (*_STATUS_TIMES, "counted")}
    kept["conditions"] = [_without(one, "lastUpdateTime", "lastTransitionTime") for one in kept.get("conditions") or []]
    kept["failures"] = [_without(one, "time", "podUid") for one in kept.get("failures") or []]
    return {**kept, **{name: name in status for name in _STATUS_TIMES}}


def normal_pod(pod: Object) -> Object:
    """Returns what is asked of a pod, and its phase."""
    metadata = pod["metadata"]
    return {
        "name": metadata["name"],
        "labels": metadata["labels"],
        "annotations": metadata.get("annotations") or {},
        "owners": [_without(one, "uid") for one in metadata["ownerReferences"]],
        "spec": json.loads(_TOKEN_VOLUME.sub("kube-api-access", json.dumps(pod["spec"]))),
        "phase": pod["status"]["phase"],
    }


def normal_service(service: Object) -> Object:
    """Returns what is asked of a service."""
    metadata, spec = service["metadata"], service["spec"]
    asked = {name: spec.get(name) for name in ("selector", "ports")}
    return {"name": metadata["name"], "labels": metadata["labels"], **asked, "is_headless": spec["clusterIP"] == "None"}


def by_name(objects: list[Object]) -> list[Object]:
    """Returns normal objects in a fixed order."""
    return sorted(objects, key=lambda one: str(one["name"]))


def _without(value: dict[str, Any], *names: str) -> Object:
    return {name: one for name, one in value.items() if name not in names}
