"""Examples of four frameworks train as well when a real control plane places their pods on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from corral.engine.node.pods.fetching import PERSISTENT_VOLUME
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from tests.examples.catalogue import Example, examples
from tests.examples.event_files import has_curve
from tests.examples.trial import Trial
from tests.node.conftest import stage_on
from tests.node.ground import RealGround, real_machine
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

# The first run of a framework installs it, and torch alone is some gigabytes.
pytestmark = pytest.mark.timeout(3600)

FOLDERS = ("02-jax", "03-mpi-allreduce", "10-pytorch-ddp", "12-tensorflow-ps")


@pytest.fixture(scope="module")
def ground(control_plane_binaries: Path) -> Iterator[RealGround]:
    """A control plane for these examples, with this machine as its only node."""
    with real_machine(control_plane_binaries) as ground:
        yield ground


@pytest.fixture
def stage(ground: RealGround, example: Example) -> Iterator[Stage]:
    """A namespace of the test's own, with volumes for the example's claims: nothing makes them on such a cluster."""
    for stage in stage_on(ground):
        volumes = [volume_for(claim, ground, stage) for claim in claims_of(example)]
        for volume in volumes:
            stage.client.create(PERSISTENT_VOLUME, volume)
        yield stage
        for volume in volumes:
            stage.client.delete(PERSISTENT_VOLUME, ObjectKey("", volume["metadata"]["name"]))


def claims_of(example: Example) -> list[Object]:
    """Returns the claims of a manifest."""
    documents = yaml.safe_load_all(example.manifest.read_text())
    return [one for one in documents if one["kind"] == "PersistentVolumeClaim"]


def volume_for(claim: Object, ground: RealGround, stage: Stage) -> Object:
    """Returns a folder of this machine as a volume that only one claim gets."""
    name = claim["metadata"]["name"]
    return {
        "metadata": {"name": f"{stage.namespace}-{name}"},
        "spec": {
            "accessModes": claim["spec"]["accessModes"],
            "capacity": claim["spec"]["resources"]["requests"],
            "claimRef": {"namespace": stage.namespace, "name": name},
            "hostPath": {"path": str(ground.folder / "claims" / stage.namespace / name)},
            "persistentVolumeReclaimPolicy": "Retain",
        },
    }


@pytest.mark.parametrize("example", [one for one in examples() if one.folder.name in FOLDERS], ids=str)
def test_an_example_reaches_its_accuracy_on_a_real_control_plane(example: Example, trial: Trial) -> None:
    trial.wait_for_success()
    trial.check_results()
    assert has_curve(trial.output / "events", "accuracy")
