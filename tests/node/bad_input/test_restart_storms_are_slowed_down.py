"""Containers that end at once are started again more and more slowly, and their pods say why they wait."""

import pytest

from corral.kinds.well_known import EVENT, POD
from corral.ports.object_store import Scope
from tests.node.bad_input.test_bad_input_is_told import container_of
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytestmark = pytest.mark.parametrize("machine", ["embedded"], indirect=True)

STORMS = {
    "failing": (shell("echo no; exit 3"), "ended with 3 (Error)"),
    "ending": (shell("exit 0"), "it has ended"),
    "mistyped": ({"name": "main", "image": "x", "command": ["no-such-program"]}, "executable file not found"),
}


def test_each_waits_after_its_second_run_and_says_why(stage: Stage) -> None:
    for name, (container, _) in STORMS.items():
        stage.make(POD, name, spec=pod_spec(container, policy="Always"))
    for name, (_, words) in STORMS.items():
        status = stage.wait(
            lambda name=name: container_of(stage, name, "main"),  # type: ignore[misc]
            lambda one: "CrashLoopBackOff" in str(one.get("state")),
        )
        assert words in status["state"]["waiting"]["message"]
        assert status["restartCount"] <= 2
        assert stage.get(POD, name)["status"]["phase"] == "Running"
    events = stage.client.list(EVENT, Scope(stage.namespace))
    assert len(events) <= 8 * len(STORMS)
