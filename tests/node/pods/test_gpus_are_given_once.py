"""Which GPUs of this machine a container is told of, kept over restarts of the node. Invariant N6."""

from pathlib import Path

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.folder import NodeFolder
from corral.engine.node.pods.devices import Devices
from corral.kinds.objects import Object

NAMES = ("NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


def wanting(count: int, name: str = "main") -> Object:
    return {"name": name, "resources": {"limits": {"nvidia.com/gpu": str(count)}} if count else {}}


@pytest.fixture
def folder(tmp_path: Path) -> NodeFolder:
    folder = NodeFolder(str(tmp_path))
    for uid in ("one", "two", "three"):
        Path(folder.pod(uid)).mkdir(parents=True)
    return folder


def test_pods_get_different_devices(folder: NodeFolder) -> None:
    devices = Devices(folder, ["0", "1", "2"])
    assert devices.variables("one", wanting(2), {"one"}) == dict.fromkeys(NAMES, "0,1")
    assert devices.variables("two", wanting(1), {"one", "two"}) == dict.fromkeys(NAMES, "2")


def test_a_restarted_node_gives_the_same_devices_again(folder: NodeFolder) -> None:
    Devices(folder, ["0", "1"]).variables("one", wanting(1), {"one"})
    again = Devices(folder, ["0", "1"])
    assert again.variables("two", wanting(1), {"one", "two"}) == dict.fromkeys(NAMES, "1")
    assert again.variables("one", wanting(1), {"one", "two"}) == dict.fromkeys(NAMES, "0")


def test_devices_of_a_pod_that_is_over_are_free(folder: NodeFolder) -> None:
    devices = Devices(folder, ["0"])
    devices.variables("one", wanting(1), {"one"})
    assert devices.variables("two", wanting(1), {"two"}) == dict.fromkeys(NAMES, "0")


def test_too_few_devices_are_refused_with_a_sentence(folder: NodeFolder) -> None:
    devices = Devices(folder, ["0"])
    with pytest.raises(StartRefusedError, match="2 GPUs are asked for, and not free here"):
        devices.variables("one", wanting(2), {"one"})


def test_who_asks_for_none_is_told_of_none(folder: NodeFolder) -> None:
    assert Devices(folder, ["0"]).variables("one", wanting(0), {"one"}) == dict.fromkeys(NAMES, "")
    assert Devices(folder, []).variables("one", wanting(0), {"one"}) == {}
