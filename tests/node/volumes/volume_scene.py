"""A pod with volumes on a node in a folder of the test."""

import os
from pathlib import Path
from typing import Any

from corral.engine.node.containers.launch import Mount
from corral.engine.node.downward import PodFacts
from corral.engine.node.fetched import Fetched
from corral.engine.node.folder import NodeFolder
from corral.engine.node.volumes.mounts import container_mounts
from corral.engine.node.volumes.payload import Ingredients
from corral.engine.node.volumes.plan import plan_volumes
from corral.engine.node.volumes.setting_up import set_up
from corral.kinds.objects import Object


class Scene:
    """One pod with one volume `v`, mounted as told."""

    def __init__(self, root: Path, volume: dict[str, Any], *mounts: dict[str, Any]) -> None:
        self.folder = NodeFolder(str(root / "node"))
        self.container: Object = {
            "name": "main",
            "volumeMounts": [{"name": "v", "mountPath": "/m", **mount} for mount in mounts or ({},)],
        }
        self.pod: Object = {
            "metadata": {"name": "p", "namespace": "team", "uid": "u", "labels": {"a": "1"}},
            "spec": {"containers": [self.container], "volumes": [{"name": "v", **volume}]},
        }
        self.path = Path(self.folder.volume("u", "v"))

    def make(self, fetched: Fetched | None = None, **more: Any) -> tuple[str, ...]:
        """Sets the volumes up and returns which have changed."""
        found = fetched or Fetched()
        volumes = plan_volumes(self.pod, found, self.folder)
        return set_up(volumes, Ingredients(PodFacts(self.pod), found, **more))

    def mounts(self, fetched: Fetched | None = None, values: dict[str, str] | None = None) -> tuple[Mount, ...]:
        """Returns what the container sees at a start, with these variables."""
        volumes = plan_volumes(self.pod, fetched or Fetched(), self.folder)
        return container_mounts(self.container, volumes, values or {})

    def files(self) -> dict[str, bytes]:
        """Returns what a reader finds in the volume, by the paths that a container would use."""
        found = {}
        for where, folders, names in os.walk(self.path, followlinks=True):
            folders[:] = [name for name in folders if not name.startswith("..")]
            for name in names:
                if not name.startswith(".."):
                    place = Path(where, name)
                    found[str(place.relative_to(self.path))] = place.read_bytes()
        return found


def config(**data: str) -> Fetched:
    """Returns one ConfigMap `c` with these keys, where an underscore stands for a dot."""
    return Fetched({"c": {"data": {key.replace("_", "."): text for key, text in data.items()}}})
