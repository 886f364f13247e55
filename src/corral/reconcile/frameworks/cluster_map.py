"""The map of a whole job that each of its pods is given: written once per job, not once per pod.

A thousand pods with the addresses of a thousand pods are a million addresses; making each of them anew for every pod
would hold up all other jobs.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.addressing import Addressing

MapOf = Callable[[TrainingJob, Addressing], Mapping[str, Any]]


class ClusterMap:
    """Writes the JSON of a map of a job and the task of one pod in it.

    Only the map of the latest job is remembered: the pods of a job are made one after the other.
    """

    def __init__(self, map_of: MapOf, *, after_task: Mapping[str, Any] | None = None) -> None:
        self._map_of = map_of
        self._after = _members(after_task or {})
        self._latest: tuple[TrainingJob, Addressing, str] | None = None

    def told_to(self, job: TrainingJob, place: Place, addressing: Addressing) -> str:
        """Returns the map with the task of this pod."""
        task = _members({"task": {"type": place.role.lower(), "index": place.index}})
        return "{" + ",".join(part for part in (self._written(job, addressing), task, self._after) if part) + "}"

    def _written(self, job: TrainingJob, addressing: Addressing) -> str:
        latest = self._latest
        if latest is not None and latest[0] is job and _is_same(latest[1], addressing):
            return latest[2]
        written = _members(self._map_of(job, addressing))
        self._latest = (job, addressing, written)
        return written


def _is_same(one: Addressing, other: Addressing) -> bool:
    """Whether both give the same addresses; named tuples of two types may be equal without that."""
    return one is other or (type(one) is type(other) and one == other)


def _members(fields: Mapping[str, Any]) -> str:
    """Returns the members of a JSON object without its braces."""
    return msgspec.json.encode(fields).decode()[1:-1]
