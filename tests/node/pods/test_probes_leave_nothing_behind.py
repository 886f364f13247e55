"""Commands of probes whose time is up are killed and reaped; a probe that cannot be asked is told and kills nobody."""

import pytest

from corral.engine.node.machine.processes import process_table
from corral.kinds.objects import Object
from corral.kinds.well_known import EVENT, POD
from corral.ports.object_store import Scope
from tests.node.bad_input.test_bad_input_is_told import container_of
from tests.node.ground import EmbeddedGround
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytestmark = pytest.mark.parametrize("machine", ["embedded"], indirect=True)


def times_said(stage: Stage, words: str) -> int:
    """Returns how often events of the namespace said something."""
    events = stage.client.list(EVENT, Scope(stage.namespace))
    return sum(int(one.get("count") or 1) for one in events if words in one["message"])


def test_a_command_that_takes_too_long(stage: Stage, machine: EmbeddedGround) -> None:
    probe = {"exec": {"command": ["sleep", "60"]}, "periodSeconds": 1, "timeoutSeconds": 1}
    stage.make(POD, "slow", spec=pod_spec(shell("sleep 60", readinessProbe=probe)))
    stage.wait(lambda: times_said(stage, "sleep did not end within 1 s"), lambda times: times >= 2)
    node = machine.pid("node")
    stage.wait(
        lambda: [one for one in process_table() if one.parent == node and one.is_zombie], lambda found: not found
    )
    assert container_of(stage, "slow", "main")["ready"] is False
    records = list(machine.folder.glob(f"pods/{uid_of(stage, 'slow')}/containers/main/0/execs/*"))
    assert len(records) <= 1


def test_a_command_that_is_not_there(stage: Stage) -> None:
    probe: Object = {"exec": {"command": ["no-such-program"]}, "periodSeconds": 1, "failureThreshold": 1}
    stage.make(POD, "unknown", spec=pod_spec(shell("sleep 60", livenessProbe=probe), policy="Always"))
    stage.wait(lambda: times_said(stage, "it could not be asked: executable file not found"), lambda times: times >= 2)
    status = container_of(stage, "unknown", "main")
    assert (list(status["state"]), status["restartCount"]) == (["running"], 0)


def uid_of(stage: Stage, pod: str) -> str:
    return str(stage.get(POD, pod)["metadata"]["uid"])
