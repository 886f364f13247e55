"""A claim on one machine is a directory: pods share it, it outlives them, and it goes with the claim."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM, POD
from tests.node.conftest import stage_on
from tests.node.ground import EmbeddedGround, wait_until
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage


@pytest.fixture
def own_stage(embedded_node_ground: EmbeddedGround) -> Iterator[Stage]:
    """A namespace on the embedded server, where claims need no volumes."""
    yield from stage_on(embedded_node_ground)


def using(line: str) -> Object:
    claim = {"name": "kept", "persistentVolumeClaim": {"claimName": "kept"}}
    return pod_spec(shell(line, volumeMounts=[{"name": "kept", "mountPath": "/kept"}]), volumes=[claim])


def test_a_claim_outlives_its_pods_and_goes_when_it_is_deleted(
    own_stage: Stage, embedded_node_ground: EmbeddedGround
) -> None:
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    own_stage.make(PERSISTENT_VOLUME_CLAIM, "kept", spec=spec)
    own_stage.make(POD, "writer", spec=using("echo something > /kept/file"))
    wait_succeeded(own_stage, "writer")
    own_stage.delete(POD, "writer")
    own_stage.wait_gone(POD, "writer")
    own_stage.make(POD, "reader", spec=using("grep something /kept/file && sleep 1"))
    folder = Path(embedded_node_ground.folder) / "claims" / own_stage.namespace / "kept"
    own_stage.wait(lambda: own_stage.get(POD, "reader").get("status", {}).get("phase"), lambda seen: seen == "Running")
    own_stage.delete(PERSISTENT_VOLUME_CLAIM, "kept")
    wait_succeeded(own_stage, "reader")
    assert folder.is_dir()
    own_stage.delete(POD, "reader")
    wait_until(lambda: not folder.exists(), "the directory of the claim is gone")


def test_a_claim_that_is_made_again_takes_nothing_from_those_who_use_the_former(
    own_stage: Stage, embedded_node_ground: EmbeddedGround, tmp_path: Path
) -> None:
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    own_stage.make(PERSISTENT_VOLUME_CLAIM, "kept", spec=spec)
    go = tmp_path / "go"
    patient = f"echo old > /kept/file; while [ ! -e {go} ]; do sleep 0.1; done; grep old /kept/file"
    own_stage.make(POD, "former", spec=using(patient))
    own_stage.wait(lambda: own_stage.get(POD, "former").get("status", {}).get("phase"), lambda seen: seen == "Running")
    own_stage.delete(PERSISTENT_VOLUME_CLAIM, "kept")
    own_stage.wait_gone(PERSISTENT_VOLUME_CLAIM, "kept")
    own_stage.make(PERSISTENT_VOLUME_CLAIM, "kept", spec=spec)
    own_stage.make(POD, "latter", spec=using("test ! -e /kept/file"))
    own_stage.wait(lambda: "deleted claim" in str(own_stage.get(POD, "latter").get("status")))
    go.touch()
    wait_succeeded(own_stage, "former")
    wait_succeeded(own_stage, "latter")


def wait_succeeded(stage: Stage, name: str) -> None:
    stage.wait(lambda: stage.get(POD, name).get("status", {}).get("phase"), lambda seen: seen == "Succeeded")
