"""A pod that must not run as root waits with the reason where the node is root; what is not applied is told in one event."""

import os

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import EVENT, POD
from corral.ports.object_store import Scope
from tests.node.bad_input.test_bad_input_is_told import container_of
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytestmark = pytest.mark.parametrize("machine", ["embedded"], indirect=True)
OTHER_USER = os.geteuid() + 4711


def told_of(stage: Stage, name: str) -> list[str]:
    found: list[Object] = stage.client.list(EVENT, Scope(stage.namespace))
    of_pod = [one for one in found if one["involvedObject"]["name"] == name]
    return [str(one["message"]) for one in of_pod if one["reason"] == "SecurityContextNotApplied"]


def test_what_is_not_applied_is_told_once_and_the_pod_runs(stage: Stage) -> None:
    asked = {"runAsUser": OTHER_USER, "readOnlyRootFilesystem": True}
    spec = {**pod_spec({**shell("exit 3"), "securityContext": asked}), "restartPolicy": "OnFailure"}
    stage.make(POD, "other", spec=spec)
    stage.wait(lambda: container_of(stage, "other", "main"), lambda one: one.get("restartCount", 0) >= 1)
    told = stage.wait(lambda: told_of(stage, "other"))
    assert told == [
        f"main: not applied here, where it is a process of user {os.geteuid()}: runAsUser, readOnlyRootFilesystem"
    ]


def test_who_must_not_run_as_root_waits_with_the_reason(stage: Stage) -> None:
    if os.geteuid() != 0:
        pytest.skip("the node does not run as root")
    stage.make(POD, "modest", spec=pod_spec({**shell("exit 0"), "securityContext": {"runAsNonRoot": True}}))
    waiting = stage.wait(lambda: container_of(stage, "modest", "main")["state"].get("waiting"), is_refused)
    assert waiting is not None
    assert waiting["message"].startswith("container has runAsNonRoot and image will run as root")


def is_refused(waiting: Object | None) -> bool:
    return waiting is not None and waiting["reason"] == "CreateContainerConfigError"
