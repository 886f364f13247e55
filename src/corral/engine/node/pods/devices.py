"""Which GPUs of this machine a container gets: chosen once, kept on disk, and free again when the pod is over.

Processes are told by variables, as containers are; a container that asks for no GPU is told that there is none, as on a
cluster.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.folder import NodeFolder
from corral.engine.small_files import note, read_text
from corral.kinds.nodes import GPU
from corral.kinds.objects import Object
from corral.kinds.quantities import quantity_text, resource_quantity

VARIABLES = ("NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
_NANO = 10**9


def asked_for(container: Object) -> int:
    """Returns how many GPUs a container asks for."""
    amount = ((container.get("resources") or {}).get("limits") or {}).get(GPU)
    return 0 if amount is None else resource_quantity(quantity_text(amount)).nanos // _NANO


def choose(count: int, devices: Sequence[str], taken: Collection[str]) -> tuple[str, ...] | None:
    """Returns the first free devices, None when there are too few."""
    free = [device for device in devices if device not in taken]
    return tuple(free[:count]) if len(free) >= count else None


class Devices:
    """The GPUs of this machine and who has them; what is on disk counts, so a restart changes nothing."""

    def __init__(self, folder: NodeFolder, gpus: Sequence[str]) -> None:
        self._folder = folder
        self._gpus = tuple(gpus)
        """By index, as the driver numbers them."""

    def variables(self, uid: str, container: Object, live: Collection[str]) -> dict[str, str]:
        """Returns what a container is told about GPUs; `live` are the uids of the pods that hold theirs.

        Nothing is told on a machine without GPUs to a container that wants none.
        """
        count = asked_for(container)
        if not count:
            return dict.fromkeys(VARIABLES, "") if self._gpus else {}
        held = self._held(uid)
        name = str(container["name"])
        if name not in held:
            chosen = choose(count, self._gpus, self._taken(live))
            if chosen is None:
                raise StartRefusedError("UnexpectedAdmissionError", f"{count} GPUs are asked for, and not free here")
            held = {**held, name: list(chosen)}
            note(self._path(uid), json.dumps(held))
        return dict.fromkeys(VARIABLES, ",".join(held[name]))

    def _taken(self, live: Collection[str]) -> set[str]:
        return {device for uid in live for devices in self._held(uid).values() for device in devices}

    def _held(self, uid: str) -> Mapping[str, list[str]]:
        text = read_text(self._path(uid))
        found: Mapping[str, list[str]] = json.loads(text) if text else {}
        return found

    def _path(self, uid: str) -> str:
        return os.path.join(self._folder.pod(uid), "devices.json")
