"""The fixtures `machine` and `stage`: this machine as a node of the embedded server and of a real one."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE, SERVICE_ACCOUNT
from tests.node.ground import EmbeddedGround, MachineGround, RealGround, embedded_machine, real_machine
from tests.training.stage import Stage


@pytest.fixture(scope="session")
def embedded_node_ground() -> Iterator[EmbeddedGround]:
    """The embedded server with this machine as its node."""
    with embedded_machine() as ground:
        yield ground


@pytest.fixture(scope="session")
def real_node_ground(control_plane_binaries: Path) -> Iterator[RealGround]:
    """A real control plane with this machine as its node."""
    with real_machine(control_plane_binaries) as ground:
        yield ground


@pytest.fixture(params=["embedded", "real"])
def machine(request: pytest.FixtureRequest) -> MachineGround:
    """Both servers, one after the other."""
    ground = request.getfixturevalue(f"{request.param}_node_ground")
    assert isinstance(ground, MachineGround)
    return ground


@pytest.fixture
def stage(machine: MachineGround) -> Iterator[Stage]:
    """A namespace of the test's own."""
    yield from stage_on(machine)


def stage_on(machine: MachineGround) -> Iterator[Stage]:
    """Yields a namespace on a ground, and removes it."""
    namespace = f"stage-{secrets.token_hex(4)}"
    with SyncClient(machine.access) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        stage = Stage(client, namespace, is_real=machine.is_real, warnings=[])
        stage.wait(lambda: stage.find(SERVICE_ACCOUNT, "default"))
        yield stage
        client.delete(NAMESPACE, ObjectKey("", namespace))
