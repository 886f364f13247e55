"""A pod that cannot run says why in its status and in one event, and nobody else suffers.

All cases of `bad_pods` are submitted at once, to the embedded server; a sample of them to a real control plane as well. One
healthy pod runs beside them all.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import EVENT, POD
from corral.ports.object_store import Scope
from tests.node.bad_input.bad_pods import ON_BOTH, BadPod, bad_pods, write_files
from tests.node.conftest import stage_on
from tests.node.ground import MachineGround
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

NAMES = sorted(bad_pods(Path("/nowhere")))
HEALTHY = "healthy"
NOT_YET = ("ContainerCreating", "PodInitializing")


class Crowd(NamedTuple):
    """All bad pods and a healthy one, in one namespace."""

    stage: Stage
    cases: dict[str, BadPod]


def crowd_on(ground: MachineGround, folder: Path, names: list[str] | tuple[str, ...]) -> Iterator[Crowd]:
    write_files(folder)
    cases = {name: case for name, case in bad_pods(folder).items() if name in names}
    for stage in stage_on(ground):
        stage.make(POD, HEALTHY, spec=pod_spec(shell("while :; do echo fine; sleep 0.2; done")))
        for name, case in cases.items():
            stage.make(POD, name, spec=case.spec)
        yield Crowd(stage, cases)


@pytest.fixture(scope="module")
def embedded_crowd(embedded_node_ground: MachineGround, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crowd]:
    yield from crowd_on(embedded_node_ground, tmp_path_factory.mktemp("bad"), NAMES)


@pytest.fixture(scope="module")
def real_crowd(real_node_ground: MachineGround, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crowd]:
    yield from crowd_on(real_node_ground, tmp_path_factory.mktemp("bad"), ON_BOTH)


@pytest.mark.parametrize("name", NAMES)
def test_status_and_event_say_what_is_wrong(embedded_crowd: Crowd, name: str) -> None:
    examine(embedded_crowd, name)


@pytest.mark.parametrize("name", ON_BOTH)
def test_it_is_the_same_on_a_real_control_plane(real_crowd: Crowd, name: str) -> None:
    examine(real_crowd, name)


def examine(crowd: Crowd, name: str) -> None:
    stage, case = crowd.stage, crowd.cases[name]
    told = stage.wait(lambda: container_of(stage, name, case.container)["state"].get(case.want_state), is_told)
    assert told is not None
    assert told["reason"] == case.want_reason
    for words in case.want_words:
        assert words in told["message"]
    phase = stage.get(POD, name)["status"]["phase"]
    assert phase == ("Failed" if case.want_state == "terminated" else "Pending")
    if case.want_state == "terminated":
        assert told["exitCode"] == 128
    found = stage.wait(lambda: warnings_about(stage, name))
    assert [(one["reason"], one["type"]) for one in found] == [(case.want_event, "Warning")]
    for words in case.want_words:
        assert words in found[0]["message"]


def is_told(state: Object | None) -> bool:
    return state is not None and state["reason"] not in NOT_YET


def container_of(stage: Stage, pod: str, which: str) -> Object:
    status = stage.get(POD, pod).get("status") or {}
    found = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return next((one for one in found if one["name"] == which), {"state": {}})


def warnings_about(stage: Stage, pod: str) -> list[Object]:
    """Returns the warnings about a pod, without those of the scheduler."""
    about = stage.client.list(EVENT, Scope(stage.namespace, fields=f"involvedObject.name={pod}"))
    return [one for one in about if one["type"] == "Warning" and one["reason"] != "FailedScheduling"]


def test_the_healthy_pod_beside_them_runs_on(embedded_crowd: Crowd) -> None:
    stage = embedded_crowd.stage
    status = stage.wait(lambda: container_of(stage, HEALTHY, "main"), lambda one: "running" in one["state"])
    assert status["restartCount"] == 0
    path = f"/api/v1/namespaces/{stage.namespace}/pods/{HEALTHY}/log?tailLines=1"
    assert stage.client.raw("GET", path) == b"fine\n"


def test_nothing_of_it_is_a_trace_in_the_log_of_the_node(
    embedded_crowd: Crowd, embedded_node_ground: MachineGround
) -> None:
    stage, cases = embedded_crowd.stage, embedded_crowd.cases
    stage.wait(
        lambda: [name for name, case in cases.items() if not container_of(stage, name, case.container)["state"]],
        is_empty,
    )
    assert "Traceback" not in embedded_node_ground.log_of_node()


def is_empty(names: list[str]) -> bool:
    return not names
