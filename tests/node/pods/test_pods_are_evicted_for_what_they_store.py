"""Pods that take more of the disk than they may are Evicted, with the measured size; others are not even measured."""

import asyncio
import os
from pathlib import Path

from corral.engine.node.folder import NodeFolder
from corral.engine.node.pods.storage_limits import StorageWatch, taken_bytes
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE, POD
from corral.testing.manual_clock import ManualClock
from tests.node.ground import MachineGround
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

LATE = 40.0
"""Seconds within which a pod that stores too much is ended."""


def evicted(stage: Stage, name: str) -> Object:
    pod = stage.wait(
        lambda: stage.get(POD, name), lambda pod: (pod.get("status") or {}).get("phase") == "Failed", within=LATE
    )
    assert pod["status"]["reason"] == "Evicted"
    return pod


def test_what_is_too_much_is_evicted_and_what_is_not_is_left(stage: Stage) -> None:
    write = "dd if=/dev/zero of={}/big bs=1024 count=3072 2>/dev/null; sleep 600"
    seen: Object = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}

    def volume(limit: str) -> list[Object]:
        return [{"name": "v", "emptyDir": {"sizeLimit": limit}}]

    stage.make(POD, "volume", spec=pod_spec(shell(write.format("/v"), **seen), volumes=volume("1Mi")))
    stage.make(POD, "fitting", spec=pod_spec(shell(write.format("/v"), **seen), volumes=volume("100Mi")))
    limits: Object = {"resources": {"limits": {"ephemeral-storage": "2Mi"}, "requests": {"ephemeral-storage": "1"}}}
    stage.make(POD, "work", spec=pod_spec(shell(write.format("."), **limits)))
    told = evicted(stage, "volume")["status"]["message"]
    assert told.startswith('Usage of EmptyDir volume "v" exceeds the limit "1Mi": 3.')
    assert told.endswith(" MiB are used.")
    told = evicted(stage, "work")["status"]["message"]
    assert told.startswith('Pod ephemeral local storage usage exceeds the total limit of containers "2.0 MiB": 3.')
    assert stage.get(POD, "fitting")["status"]["phase"] == "Running"


def test_a_node_with_room_tells_no_pressure(stage: Stage, machine: MachineGround) -> None:
    conditions = {
        one["type"]: one["status"]
        for one in stage.client.get(NODE, ObjectKey("", machine.node))["status"]["conditions"]
    }
    assert conditions == {"Ready": "True", "DiskPressure": "False", "MemoryPressure": "False", "PIDPressure": "False"}


def test_only_pods_with_limits_are_measured(tmp_path: Path) -> None:
    folder = NodeFolder(str(tmp_path))
    told: list[tuple[str, str]] = []
    limits: dict[str, Object] = {"free": {}, "bound": {"sizeLimit": "1Ki"}}
    for uid in limits:
        place = Path(folder.volume(uid, "v"))
        place.mkdir(parents=True)
        (place / "file").write_bytes(b"x" * 8192)
    pods: list[Object] = [
        {
            "metadata": {"namespace": "n", "name": uid, "uid": uid},
            "spec": {"containers": [], "volumes": [{"name": "v", "emptyDir": limit}]},
        }
        for uid, limit in limits.items()
    ]
    watch = StorageWatch(folder, ManualClock(), lambda: pods, lambda uid, why: told.append((uid, why)))
    asyncio.run(watch.look())
    assert [uid for uid, _ in told] == ["bound"]
    assert told[0][1].startswith('Usage of EmptyDir volume "v" exceeds the limit "1Ki"')


def test_links_and_what_cannot_be_read_count_nothing(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "file").write_bytes(b"x" * 40_960)
    os.symlink("/usr", tmp_path / "out")
    assert 40_960 <= taken_bytes(str(tmp_path)) < 100_000
    assert taken_bytes(str(tmp_path / "absent")) == 0
