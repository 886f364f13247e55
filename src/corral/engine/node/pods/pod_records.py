"""What the disk knows of the pods of this node: names that programs look for, and the records of the last runs."""

import os
import shutil

import msgspec

from corral.engine.node.containers.clearing import end_pod
from corral.engine.node.containers.record import Run, adopt, settled_path
from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.pod_finding import DEFAULT_CONTAINER
from corral.engine.node.volumes.removal import remove
from corral.engine.small_files import note, read_text
from corral.kinds.objects import Object, uid_of
from corral.kinds.references import ObjectKey

KEPT_RUNS = 2
"""Runs of a container whose records are kept: the latest, and the one before."""
_KEPT_METADATA = ("name", "namespace", "uid", "labels")
_KEPT_SPEC = ("hostname", "subdomain")


class PodRecords:
    """The folders of pods."""

    def __init__(self, folder: NodeFolder) -> None:
        self._folder = folder

    def uids(self) -> list[str]:
        """Returns the uids of all pods that the disk knows."""
        return sorted(os.listdir(self._folder.pods)) if os.path.isdir(self._folder.pods) else []

    def key_of(self, uid: str) -> ObjectKey | None:
        """Returns the name of a pod that the disk knows, None when it is not told."""
        try:
            metadata = msgspec.json.decode(read_text(self._note_of(uid)))["metadata"]
            return ObjectKey(str(metadata["namespace"]), str(metadata["name"]))
        except (msgspec.DecodeError, LookupError, TypeError):
            return None

    def note(self, pod: Object) -> None:
        """Writes what is kept of a pod, once."""
        folder = self._folder.pod(uid_of(pod))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = self._note_of(uid_of(pod))
        if not os.path.exists(path):
            note(path, msgspec.json.encode(kept_part(pod)).decode())

    def runs(self, uid: str, container: str) -> list[tuple[int, Run]]:
        """Returns the last runs of a container with their numbers, the latest last."""
        numbers = self._numbers(uid, container)[-KEPT_RUNS:]
        found = ((number, adopt(self._folder.run(uid, container, number))) for number in numbers)
        return [(number, run) for number, run in found if run is not None]

    def drop_old_runs(self, uid: str, container: str) -> None:
        """Removes the records of runs before the last ones; what of them still runs is found by its record only."""
        for number in self._numbers(uid, container)[:-KEPT_RUNS]:
            folder = self._folder.run(uid, container, number)
            if os.path.exists(settled_path(folder)):
                shutil.rmtree(folder)

    def clear(self, uid: str) -> None:
        """Removes everything of a pod from this machine but its logs; what still runs of it is ended first.

        Raises RetryError, and removes nothing, while a process is left that cannot be killed: without its record, nobody
        would know it any more.
        """
        end_pod(self._folder, uid, 0.0).refuse_survivors()
        remove(self._folder, uid)

    def _note_of(self, uid: str) -> str:
        return os.path.join(self._folder.pod(uid), "pod.json")

    def _numbers(self, uid: str, container: str) -> list[int]:
        folder = self._folder.container(uid, container)
        return sorted(int(one) for one in os.listdir(folder) if one.isdigit()) if os.path.isdir(folder) else []


def kept_part(pod: Object) -> Object:
    """Returns the part of a pod that programs look for on this machine: names, never values."""
    metadata, spec = pod["metadata"], pod["spec"]
    default = (metadata.get("annotations") or {}).get(DEFAULT_CONTAINER)
    names = {kind: [{"name": one["name"]} for one in spec.get(kind) or []] for kind in ("initContainers", "containers")}
    return {
        "metadata": {
            **{field: metadata[field] for field in _KEPT_METADATA if metadata.get(field)},
            **({"annotations": {DEFAULT_CONTAINER: default}} if default else {}),
        },
        "spec": {**{field: spec[field] for field in _KEPT_SPEC if spec.get(field)}, **names},
    }
