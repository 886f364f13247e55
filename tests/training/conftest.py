"""The fixture `stage`: each test on the embedded server and on a real one, with the operator as a process beside it.

A test module says `pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]`, where the real one comes from.
"""

import os
import secrets
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE, SERVICE_ACCOUNT
from corral.testing.control_plane.real_control_plane import RealControlPlane
from tests.training.ground import Ground, embedded_ground, ground_of, real_ground
from tests.training.stage import Stage

_LOG_TAIL = 6000
_EVERYTHING, _SAMPLE = 1500, 4
_LEFT_OUT = pytest.StashKey[int]()
_LOGS = pytest.StashKey[tuple[Ground, int]]()


@pytest.fixture(scope="session")
def embedded_training_ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """The embedded server of the session."""
    with embedded_ground(tmp_path_factory.mktemp("embedded")) as ground:
        yield ground


@pytest.fixture(scope="session")
def real_training_ground(
    real_control_plane: RealControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ground]:
    """The real control plane of the session."""
    with real_ground(real_control_plane.kubeconfig, tmp_path_factory.mktemp("real")) as ground:
        yield ground


@pytest.fixture(params=["embedded", "real"])
def ground(request: pytest.FixtureRequest) -> Ground:
    """Both servers, one after the other, each with the operator started as the test's marks say."""
    ground = ground_of(request, request.param)
    asked = request.node.get_closest_marker("started_with")
    ground.operator(asked.args if asked else (), asked.kwargs if asked else {})
    size = ground.log.stat().st_size if ground.log.exists() else 0
    request.node.stash[_LOGS] = (ground, size)
    return ground


@pytest.fixture
def stage(ground: Ground) -> Iterator[Stage]:
    """A namespace of the test's own."""
    namespace = f"stage-{secrets.token_hex(4)}"
    warnings: list[str] = []
    with SyncClient(ground.access, warn=warnings.append) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        stage = Stage(client, namespace, is_real=ground.is_real, warnings=warnings)
        stage.wait(lambda: stage.find(SERVICE_ACCOUNT, "default"))
        yield stage
        client.delete(NAMESPACE, ObjectKey("", namespace))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Outside of CI a run of everything takes one in four of the cases on a real server, to end within ten minutes."""
    if os.environ.get("CI") == "true" or os.environ.get("CORRAL_TEST_FULL") or len(items) < _EVERYTHING:
        return
    here = Path(__file__).parent
    real = [item for item in items if here in item.path.parents and "[real" in item.name]
    left_out = {item for place, item in enumerate(real) if place % _SAMPLE}
    config.hook.pytest_deselected(items=list(left_out))
    config.stash[_LEFT_OUT] = len(left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says what was left out."""
    if count := config.stash.get(_LEFT_OUT, 0):
        line = f"not run: {count} training tests on the real control plane; CI=true and test-full run them"
        terminalreporter.write_line(line)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows what the operator wrote while a test failed."""
    report = yield
    if report.failed and (noted := item.stash.get(_LOGS, None)):
        ground, start = noted
        with ground.log.open("rb") as log:
            log.seek(start)
            text = log.read().decode(errors="replace")[-_LOG_TAIL:]
        report.sections.append(("log of the operator", text))
    return report
