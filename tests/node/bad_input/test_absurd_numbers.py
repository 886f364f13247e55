"""Numbers that make no sense: the API refuses most of them, and the node keeps its head with the rest."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from corral.ports.object_store import DeleteOptions
from corral.ports.refusals import InvalidError
from tests.node.bad_input.test_bad_input_is_told import container_of
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

REFUSED: dict[str, tuple[Object, str]] = {
    "a deadline below nothing": (pod_spec(shell("true"), activeDeadlineSeconds=-1), "activeDeadlineSeconds"),
    "a port beyond all ports": (
        pod_spec(shell("true", readinessProbe={"tcpSocket": {"port": 99999}})),
        "readinessProbe.tcpSocket.port",
    ),
    "a probe that does nothing": (
        pod_spec(shell("true", livenessProbe={"periodSeconds": 1})),
        "must specify a handler type",
    ),
    "less memory than nothing": (
        pod_spec(shell("true", resources={"limits": {"memory": "-1"}})),
        "resources.limits[memory]",
    ),
    "memory that is no number": (pod_spec(shell("true", resources={"limits": {"memory": "much"}})), "quantities"),
    "an unknown field": (
        pod_spec(shell("true", env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.nothing"}}}])),
        "fieldPath",
    ),
    "an unknown resource": (
        pod_spec(shell("true", env=[{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.x"}}}])),
        "resourceFieldRef.resource",
    ),
    "a part of a volume outside of it": (
        pod_spec(
            shell("true", volumeMounts=[{"name": "v", "mountPath": "/v", "subPath": "../etc"}]),
            volumes=[{"name": "v", "emptyDir": {}}],
        ),
        "must not contain '..'",
    ),
    "an absolute part of a volume": (
        pod_spec(
            shell("true", volumeMounts=[{"name": "v", "mountPath": "/v", "subPath": "/etc"}]),
            volumes=[{"name": "v", "emptyDir": {}}],
        ),
        "must be a relative path",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_the_api_refuses(stage: Stage, case: str) -> None:
    spec, words = REFUSED[case]
    with pytest.raises(InvalidError) as caught:
        stage.make(POD, "absurd", spec=spec)
    assert words in caught.value.message


@pytest.mark.parametrize("grace", [-5, 2**63 - 1])
@pytest.mark.parametrize("machine", ["embedded"], indirect=True)
def test_a_pod_with_an_absurd_grace_ends_when_it_is_deleted(stage: Stage, grace: int) -> None:
    spec = {**pod_spec(shell("sleep 60")), "terminationGracePeriodSeconds": grace}
    stage.make(POD, "absurd", spec=spec)
    stage.wait(lambda: container_of(stage, "absurd", "main")["state"], lambda state: "running" in state)
    stage.delete(POD, "absurd")
    stage.wait_gone(POD, "absurd")


@pytest.mark.parametrize("machine", ["embedded"], indirect=True)
def test_a_long_grace_is_cut_short_by_a_shorter_one(stage: Stage) -> None:
    deaf = shell("trap '' TERM; while :; do sleep 0.05; done")
    stage.make(POD, "deaf", spec={**pod_spec(deaf), "terminationGracePeriodSeconds": 2**63 - 1})
    stage.wait(lambda: container_of(stage, "deaf", "main")["state"], lambda state: "running" in state)
    stage.delete(POD, "deaf")
    stage.delete(POD, "deaf", DeleteOptions(grace_seconds=1))
    stage.wait_gone(POD, "deaf")


@pytest.mark.parametrize(("memory", "want"), [("0", "Completed"), ("1", "OOMKilled"), ("1000Ei", "Completed")])
@pytest.mark.parametrize("machine", ["embedded"], indirect=True)
def test_memory_limits_of_nothing_and_of_everything(stage: Stage, memory: str, want: str) -> None:
    limits = {"limits": {"memory": memory}, "requests": {"memory": "0"}}
    stage.make(POD, "absurd", spec=pod_spec(shell("true", resources=limits)))
    state = stage.wait(lambda: container_of(stage, "absurd", "main")["state"], lambda state: "terminated" in state)
    assert state["terminated"]["reason"] == want


@pytest.mark.parametrize("machine", ["embedded"], indirect=True)
def test_a_probe_of_a_port_that_nobody_named_is_told_and_kills_nobody(stage: Stage) -> None:
    asked = {"tcpSocket": {"port": "nobody"}, "periodSeconds": 1, "failureThreshold": 1}
    stage.make(POD, "probed", spec=pod_spec(shell("sleep 60", livenessProbe=asked), policy="Always"))
    words = "has no port named 'nobody'"
    stage.wait(lambda: messages(stage, "probed"), lambda seen: any(words in one for one in seen))
    status = container_of(stage, "probed", "main")
    assert (status["restartCount"], list(status["state"])) == (0, ["running"])


def messages(stage: Stage, pod: str) -> list[str]:
    from tests.node.bad_input.test_bad_input_is_told import warnings_about

    return [str(one["message"]) for one in warnings_about(stage, pod)]
