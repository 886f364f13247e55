"""Pods that use more of the disk than they may: measured now and then, and ended as Evicted.

Only pods with a limit are measured: an emptyDir with a `sizeLimit`, or containers with a limit of `ephemeral-storage`. Of what
a process writes only that counts which the node gave it: its volumes, its log, and the folder it works in when nobody says
another. A pod whose folders take long to measure is measured less often.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

from corral.engine.node.folder import NodeFolder
from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.quantities import QuantityError, quantity_text, resource_quantity
from corral.ports.clock import Clock

LOOK_SECONDS = 10.0
_MEASURING_SHARE = 0.02
"""Of the time, what measuring one pod may take."""
_STORAGE = "ephemeral-storage"
_NANO = 10**9

_log = logging.getLogger("corral.engine.node.pods")


class StorageLimit(NamedTuple):
    """What some folders may take together, and the beginning of the sentence when they take more."""

    folders: tuple[str, ...]
    most_bytes: int
    sentence: str


def storage_limits(pod: Object, folder: NodeFolder) -> tuple[StorageLimit, ...]:
    """Returns the limits of a pod; none for most pods. The words are those of kubelet, by which jobs know whose fault it is."""
    uid = uid_of(pod)
    logs = folder.pod_logs(*key_of(pod), uid)
    volumes = [one for one in pod["spec"].get("volumes") or () if "emptyDir" in one]
    found = []
    for volume in volumes:
        given = (volume["emptyDir"] or {}).get("sizeLimit")
        if (most := _bytes(given)) is not None:
            sentence = f'Usage of EmptyDir volume "{volume["name"]}" exceeds the limit "{given}"'
            found.append(StorageLimit((folder.volume(uid, volume["name"]),), most, sentence))
    limits, at_start = _limits_of(pod["spec"]["containers"]), _limits_of(pod["spec"].get("initContainers") or ())
    for name, most in (at_start | limits).items():
        sentence = f'Container {name} exceeded its local ephemeral storage limit "{_readable(most)}"'
        found.append(StorageLimit((os.path.join(logs, name),), most, sentence))
    if limits:
        everything = (
            logs,
            os.path.join(folder.pod(uid), "work"),
            *(folder.volume(uid, one["name"]) for one in volumes),
        )
        most = sum(limits.values())
        sentence = f'Pod ephemeral local storage usage exceeds the total limit of containers "{_readable(most)}"'
        found.append(StorageLimit(everything, most, sentence))
    return tuple(found)


def excess(limits: Iterable[StorageLimit]) -> str:
    """Measures, and returns a sentence about the first limit that is exceeded, empty when none is."""
    for limit in limits:
        used = sum(taken_bytes(folder) for folder in limit.folders)
        if used > limit.most_bytes:
            return f"{limit.sentence}: {_readable(used)} are used."
    return ""


def taken_bytes(folder: str) -> int:
    """Returns what the files below a folder take of the disk; links are not followed, and what vanishes meanwhile is nothing.

    So is what cannot be looked into, such as folders that are nested too deeply to be named from outside of the container.
    """
    total, left = 0, [folder]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
        except OSError:
            continue
    return total


class StorageWatch:
    """Measures the pods of a node that have limits; `pods` returns those that run, `evict` is told uid and sentence."""

    def __init__(
        self,
        folder: NodeFolder,
        clock: Clock,
        pods: Callable[[], Iterable[Object]],
        evict: Callable[[str, str], None],
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._pods = pods
        self._evict = evict
        self._known: dict[str, tuple[StorageLimit, ...]] = {}
        self._due: dict[str, float] = {}

    async def run(self) -> None:
        """Looks every ten seconds until cancelled."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Measures each pod whose time has come."""
        self._known = self._limits_of_all()
        self._due = {uid: moment for uid, moment in self._due.items() if uid in self._known}
        for uid, limits in self._known.items():
            began = self._clock.monotonic()
            if not limits or began < self._due.get(uid, 0.0):
                continue
            told = await asyncio.to_thread(excess, limits)
            self._due[uid] = self._clock.monotonic() + (self._clock.monotonic() - began) / _MEASURING_SHARE
            if told:
                _log.info("pod uses more of the disk than it may", extra={"uid": uid, "why": told})
                self._evict(uid, told)

    def _limits_of_all(self) -> dict[str, tuple[StorageLimit, ...]]:
        found = {}
        for pod in self._pods():
            known = self._known.get(uid_of(pod))
            found[uid_of(pod)] = storage_limits(pod, self._folder) if known is None else known
        return found


def _limits_of(containers: Iterable[Object]) -> dict[str, int]:
    found = {}
    for container in containers:
        most = _bytes(((container.get("resources") or {}).get("limits") or {}).get(_STORAGE))
        if most is not None:
            found[str(container["name"])] = most
    return found


def _bytes(quantity: object) -> int | None:
    """Returns a quantity as bytes, None without one; nothing is no limit, as everywhere in Kubernetes."""
    try:
        return None if quantity is None else resource_quantity(quantity_text(quantity)).nanos // _NANO or None
    except QuantityError:
        # A pod with such a volume does not start, and says so.
        return None


def _readable(count: int) -> str:
    return f"{count / 2**20:.1f} MiB"
