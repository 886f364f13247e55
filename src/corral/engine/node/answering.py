"""What the doors of the node know of its pods: a household over the loop that keeps them."""

import asyncio
from collections.abc import Iterable, Sequence

from corral.adapters.kubelet_api.doors import Command, Streams
from corral.engine.node.containers import joining
from corral.engine.node.containers.joined_command import JoinedCommand
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.containers.record import Run
from corral.engine.node.endpoint.figures import PodUsage, Usage
from corral.engine.node.endpoint.measuring import machine_usage, usage_by_owner
from corral.engine.node.folder import NodeFolder
from corral.engine.node.logs.run_log import RunLog
from corral.engine.node.pods.keeper import PodKeeper
from corral.engine.node.pods.live_pod import LiveContainer, LivePod
from corral.engine.node.pods.pod_logs import log_of
from corral.kinds.objects import Object, uid_of
from corral.kinds.references import ObjectKey


class KeptPods:
    """The household of a node, for `corral.engine.node.endpoint.doors.NodeDoors`."""

    def __init__(self, node: str, keeper: PodKeeper, folder: NodeFolder) -> None:
        self.node = node
        self._keeper = keeper
        self._folder = folder

    def ailment(self) -> str:
        """Returns what is wrong with the node; nothing, as long as it answers at all."""
        return ""

    def pods(self) -> Iterable[Object]:
        """Returns all pods with the status that was told last."""
        return [_shown(live) for live in self._keeper.live.values()]

    def find(self, key: ObjectKey) -> Object | None:
        """Returns the pod of this name with the status that was told last."""
        live = self._keeper.find(key)
        return None if live is None else _shown(live)

    def log(self, pod: Object, container: str, run: int) -> RunLog:
        """Returns the log of a run."""
        return log_of(self._folder, pod, {"name": container}, run)

    def is_running(self, pod: Object, container: str, run: int) -> bool:
        """Whether a run goes on."""
        found = self._container(pod, container)
        return found is not None and found.latest is not None and found.latest.number == run and found.latest.is_running

    async def join(self, pod: Object, container: str, argv: Sequence[str], streams: Streams) -> Command:
        """Starts a command in the running container."""
        found = self._container(pod, container)
        run: Run | None = None if found is None else found.run
        if run is None:
            raise StartRefusedError(joining.NOT_RUNNING, f'container "{container}" does not run')
        given = joining.Streams(streams.stdin, streams.stdout, streams.stderr, streams.is_terminal)
        extra = {"TERM": "xterm"} if streams.is_terminal else None
        return JoinedCommand(joining.join(run.folder, argv, given, extra))

    async def usage(self) -> tuple[Usage, list[PodUsage]]:
        """Returns what the machine and each pod use."""
        by_owner = await asyncio.to_thread(usage_by_owner)
        return machine_usage(), [_used(live, by_owner) for live in self._keeper.live.values()]

    def _container(self, pod: Object, container: str) -> LiveContainer | None:
        live = self._keeper.live.get(uid_of(pod))
        return None if live is None else live.containers.get(container)


def _shown(live: LivePod) -> Object:
    return {**live.pod, "status": live.told or live.pod.get("status") or {}}


def _used(live: LivePod, by_owner: dict[str, Usage]) -> PodUsage:
    used: dict[str, Usage] = {}
    for name, container in live.containers.items():
        if container.run is not None:
            used[name] = by_owner.get(container.run.owner, Usage())
    return PodUsage(live.pod, used)
