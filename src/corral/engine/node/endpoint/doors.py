"""The doors of a node: pods, logs and commands, answered from what the node holds of its pods."""

import os
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from corral.adapters.kubelet_api.doors import Command, DoorClosedError, Place, Streams
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.endpoint.choice_of_run import NoSuchLogError, chosen_run, container_spec
from corral.engine.node.endpoint.figures import PodUsage, Usage, summary_of
from corral.engine.node.logs.asked import asked_in
from corral.engine.node.logs.reading import read
from corral.engine.node.logs.run_log import RunLog
from corral.engine.small_files import is_plain
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.ports.clock import Clock


class Household(Protocol):
    """What the doors need to know of the pods of a node; pods come with the status that the node told last."""

    @property
    def node(self) -> str:
        """Returns the name of the node."""

    def ailment(self) -> str:
        """Returns what is wrong with the node; "" when it is well."""

    def pods(self) -> Iterable[Object]:
        """Returns all pods of the node."""

    def find(self, key: ObjectKey) -> Object | None:
        """Returns the pod of this name, None when there is none here."""

    def log(self, pod: Object, container: str, run: int) -> RunLog:
        """Returns the log of a run."""

    def is_running(self, pod: Object, container: str, run: int) -> bool:
        """Whether a run goes on."""

    async def join(self, pod: Object, container: str, argv: Sequence[str], streams: Streams) -> Command:
        """Starts a command in the running container; StartRefusedError says why not."""

    async def usage(self) -> tuple[Usage, list[PodUsage]]:
        """Returns what the machine and each pod use."""


class NodeDoors:
    """Answers for one node; made for `corral.adapters.kubelet_api.server`."""

    def __init__(self, household: Household, clock: Clock) -> None:
        self._household = household
        self._clock = clock

    def ailment(self) -> str:
        """Returns what is wrong with the node; "" when it is well."""
        return self._household.ailment()

    def pods(self) -> Sequence[Object]:
        """Returns the pods of the node."""
        return list(self._household.pods())

    async def summary(self) -> Object:
        """Returns what the node and its pods use."""
        whole, pods = await self._household.usage()
        return summary_of(self._household.node, whole, pods, self._clock.now())

    def log(self, place: Place, query: Mapping[str, str]) -> AsyncGenerator[bytes, None]:
        """Returns the part of a log that a query asks for."""
        pod = self._pod(place)
        try:
            asked = asked_in(query, datetime.fromtimestamp(self._clock.now(), UTC))
            run = chosen_run(pod, place.container, asked.previous)
        except (ValueError, NoSuchLogError) as problem:
            raise DoorClosedError(400, str(problem)) from None
        log = self._household.log(pod, place.container, run)
        who = f'the log of run {run} of container "{place.container}" in pod "{place.pod}"'
        if not os.path.lexists(log.path):
            raise DoorClosedError(400, f"{who} is kept no more")
        if not is_plain(log.path):
            raise DoorClosedError(
                400, f"{who} cannot be read: the container has put something else in place of the file"
            )
        return read(log, asked, lambda: not self._household.is_running(pod, place.container, run))

    async def run(self, place: Place, argv: Sequence[str], streams: Streams) -> Command:
        """Starts a command in a running container."""
        pod = self._pod(place)
        try:
            return await self._household.join(pod, place.container, argv, streams)
        except StartRefusedError as refusal:
            raise DoorClosedError(500, refusal.message) from None

    def _pod(self, place: Place) -> Object:
        pod = self._household.find(ObjectKey(place.namespace, place.pod))
        if pod is None:
            raise DoorClosedError(404, f'pod "{place.pod}" does not exist')
        if container_spec(pod, place.container) is None:
            raise DoorClosedError(404, f'container "{place.container}" not found in pod "{place.pod}"')
        return pod
