"""Each volume has its place on this machine, and kinds that have none are refused with what to use instead."""

from typing import Any

import pytest

from corral.engine.node.containers.launch import Mount, StartRefusedError
from corral.engine.node.fetched import Fetched, Reference
from corral.engine.node.folder import NodeFolder
from corral.engine.node.volumes.mounts import intended_mounts
from corral.engine.node.volumes.plan import EXISTING, Volume, plan_volumes
from corral.engine.node.volumes.references import TokenRequest, references_of, tokens_of
from corral.kinds.objects import Object

FOLDER = NodeFolder("/node")
NOTHING = Fetched()


def pod_with(*volumes: dict[str, Any], mounted: bool = True) -> Object:
    mounts = [{"name": volume["name"], "mountPath": f"/m/{volume['name']}"} for volume in volumes if mounted]
    return {
        "metadata": {"name": "p", "namespace": "team", "uid": "u"},
        "spec": {"containers": [{"name": "main", "volumeMounts": mounts}], "volumes": list(volumes)},
    }


def planned(volume: dict[str, Any], fetched: Fetched = NOTHING) -> Volume:
    return plan_volumes(pod_with({"name": "v", **volume}), fetched, FOLDER)["v"]


def refused(*volumes: dict[str, Any], fetched: Fetched = NOTHING) -> str:
    with pytest.raises(StartRefusedError) as refusal:
        plan_volumes(pod_with(*volumes), fetched, FOLDER)
    assert refusal.value.reason == "FailedMount"
    return refusal.value.message


def claim(**spec: Any) -> Object:
    return {"metadata": {"name": "c"}, "spec": spec}


CLAIM = {"persistentVolumeClaim": {"claimName": "c"}}


@pytest.mark.parametrize("volume", [{"emptyDir": {}}, {"emptyDir": {"medium": "Memory"}}, {}, {"ephemeral": {}}])
def test_a_volume_of_the_pod_alone_is_in_its_folder(volume: dict[str, Any]) -> None:
    assert planned(volume).path == "/node/pods/u/volumes/v"


def test_the_size_of_an_empty_directory_is_noted() -> None:
    assert planned({"emptyDir": {"sizeLimit": "1Ki"}}).size_limit == 1024
    assert planned({"emptyDir": {}}).size_limit is None
    assert "is no" in refused({"name": "v/../x", "emptyDir": {}})
    assert "sizeLimit 'much'" in refused({"name": "v", "emptyDir": {"sizeLimit": "much"}})


@pytest.mark.parametrize("kind", ["configMap", "secret", "projected", "downwardAPI"])
def test_a_volume_made_of_objects_is_read_only(kind: str) -> None:
    volume = planned({kind: {}})
    assert (volume.path, volume.is_read_only) == ("/node/pods/u/volumes/v", True)


def test_a_path_of_the_machine_is_itself() -> None:
    volume = planned({"hostPath": {"path": "/data//sets/", "type": "Directory"}})
    assert (volume.path, volume.host_type) == ("/data/sets", "Directory")
    assert "no absolute path" in refused({"name": "v", "hostPath": {"path": "data"}})
    assert "must not contain '..'" in refused({"name": "v", "hostPath": {"path": "/data/../etc"}})


def test_a_claim_is_a_directory_of_its_own() -> None:
    volume = planned({"persistentVolumeClaim": {"claimName": "c", "readOnly": True}}, Fetched(claims={"c": claim()}))
    assert (volume.path, volume.is_read_only, volume.host_type) == ("/node/claims/team/c", True, "")


def test_a_claim_bound_to_a_path_is_that_path() -> None:
    bound = {"metadata": {"name": "pv"}, "spec": {"hostPath": {"path": "/disks/1"}}}
    local = {"metadata": {"name": "pv"}, "spec": {"local": {"path": "/disks/2"}}}
    for volume, want in ((bound, ("/disks/1", "DirectoryOrCreate")), (local, ("/disks/2", EXISTING))):
        found = planned(CLAIM, Fetched(claims={"c": claim(volumeName="pv")}, persistent_volumes={"pv": volume}))
        assert (found.path, found.host_type) == want


def test_claims_that_cannot_be_had_are_refused() -> None:
    def said(found: Object | None, volume: Object | None = None) -> str:
        fetched = Fetched(claims={"c": found} if found else {}, persistent_volumes={"pv": volume} if volume else {})
        return refused({"name": "v", **CLAIM}, fetched=fetched)

    assert said(None) == 'MountVolume.SetUp failed for volume "v" : persistentvolumeclaim "c" not found'
    assert "is being deleted" in said({"metadata": {"name": "c", "deletionTimestamp": "now"}})
    assert "is a block device" in said(claim(volumeMode="Block"))
    remote = {"metadata": {"name": "pv"}, "spec": {"nfs": {}}}
    assert 'PersistentVolume "pv" is no hostPath and no local path' in said(claim(volumeName="pv"), remote)


@pytest.mark.parametrize("kind", ["nfs", "csi", "image", "iscsi", "gitRepo", "cephfs", "awsElasticBlockStore"])
def test_kinds_that_this_node_lacks_are_named_with_what_to_use_instead(kind: str) -> None:
    said = refused({"name": "v", kind: {"server": "x"}})
    assert f"volumes of kind {kind} are not supported on this node; " in said
    assert any(word in said for word in ("hostPath", "emptyDir", "persistentVolumeClaim"))


def test_all_that_cannot_be_is_told_at_once() -> None:
    said = refused({"name": "a", "nfs": {}}, {"name": "b", "csi": {}})
    assert 'volume "a"' in said
    assert 'volume "b"' in said


def test_volumes_that_no_container_sees_are_passed_over() -> None:
    pod = pod_with({"name": "v", "nfs": {}}, {"name": "c", "configMap": {"name": "x"}}, mounted=False)
    assert plan_volumes(pod, Fetched(), FOLDER) == {}
    assert references_of(pod) == frozenset()


def test_what_volumes_refer_to_is_told_before_anything_is_fetched() -> None:
    sources = [
        {"configMap": {"name": "b", "optional": True}},
        {"secret": {"name": "t"}},
        {"serviceAccountToken": {"path": "token"}},
    ]
    pod = pod_with(
        {"name": "1", "configMap": {"name": "a"}},
        {"name": "2", "secret": {"secretName": "s", "optional": True}},
        {"name": "3", "projected": {"sources": sources}},
        {"name": "4", **CLAIM},
        {"name": "5", "emptyDir": {}},
    )
    assert references_of(pod) == {
        Reference("ConfigMap", "a"),
        Reference("Secret", "s", True),
        Reference("ConfigMap", "b", True),
        Reference("Secret", "t"),
        Reference("PersistentVolumeClaim", "c"),
    }
    assert tokens_of(pod) == {TokenRequest("", 3600)}


def test_mounts_are_known_before_the_disk_is_touched() -> None:
    volumes = plan_volumes(
        pod_with({"name": "e", "emptyDir": {}}, {"name": "c", "configMap": {"name": "x"}}), Fetched(), FOLDER
    )
    container = {
        "name": "main",
        "volumeMounts": [
            {"name": "e", "mountPath": "/data/deep/", "subPathExpr": "run-$(ID)", "readOnly": True},
            {"name": "e", "mountPath": "/data"},
            {"name": "c", "mountPath": "etc/app.conf", "subPath": "deep/app.conf"},
        ],
    }
    assert intended_mounts(container, volumes, {"ID": "7"}) == (
        Mount("/node/pods/u/volumes/e", "/data", False),
        Mount("/node/pods/u/volumes/e/run-7", "/data/deep", True),
        Mount("/node/pods/u/subpaths/c/main/2/app.conf", "/etc/app.conf", True),
    )


MOUNT_FAULTS = {
    "absolute": ({"subPath": "/etc"}, "must not be an absolute path"),
    "backwards": ({"subPath": "a/../../b"}, "must not contain '..'"),
    "backwards by a variable": ({"subPathExpr": "$(UP)/b"}, "must not contain '..'"),
    "absolute by a variable": ({"subPathExpr": "$(ROOT)"}, "must not be an absolute path"),
    "a variable without a value": ({"subPathExpr": "$(NOPE)/$(EMPTY)"}, "missing value for EMPTY, NOPE"),
    "a zero byte": ({"subPath": "a\0b"}, "zero byte"),
    "a volume that is not there": ({"name": "other"}, 'cannot find volume "other" to mount into container "main"'),
}


@pytest.mark.parametrize(("entry", "want"), MOUNT_FAULTS.values(), ids=MOUNT_FAULTS)
def test_mounts_that_lead_elsewhere_are_refused(entry: dict[str, Any], want: str) -> None:
    volumes = plan_volumes(pod_with({"name": "v", "emptyDir": {}}), Fetched(), FOLDER)
    container = {"name": "main", "volumeMounts": [{"name": "v", "mountPath": "/m", **entry}]}
    with pytest.raises(StartRefusedError) as refusal:
        intended_mounts(container, volumes, {"UP": "..", "ROOT": "/etc", "EMPTY": ""})
    assert refusal.value.reason == "CreateContainerConfigError"
    assert want in refusal.value.message


def test_block_devices_are_refused() -> None:
    with pytest.raises(StartRefusedError, match="volumeDevices"):
        intended_mounts({"name": "main", "volumeDevices": [{"name": "v"}]}, {}, {})
