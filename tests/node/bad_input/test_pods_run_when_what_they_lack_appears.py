"""A pod that waits for something starts by itself when it is there, without anybody touching the pod."""

from pathlib import Path

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import CONFIG_MAP, POD, SECRET
from tests.node.bad_input.bad_pods import mounting
from tests.node.ground import MachineGround
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

FROM_MAP = {"name": "WORD", "valueFrom": {"configMapKeyRef": {"name": "words", "key": "wanted"}}}
FROM_SECRET = {"name": "WORD", "valueFrom": {"secretKeyRef": {"name": "words", "key": "wanted"}}}


def say(env: Object) -> Object:
    return pod_spec(shell('test "$WORD" = hello', env=[env]))


def wait_refused(stage: Stage, reason: str, words: str) -> None:
    def look() -> Object:
        statuses = (stage.get(POD, "lacking").get("status") or {}).get("containerStatuses") or [{}]
        found: Object = (statuses[0].get("state") or {}).get("waiting") or {}
        return found

    told = stage.wait(look, lambda seen: seen.get("reason") == reason)
    assert words in told["message"]


def wait_succeeded(stage: Stage) -> None:
    stage.wait(lambda: stage.get(POD, "lacking")["status"]["phase"], lambda phase: phase == "Succeeded")


def test_a_config_map_and_then_its_key(stage: Stage) -> None:
    stage.make(POD, "lacking", spec=say(FROM_MAP))
    wait_refused(stage, "CreateContainerConfigError", 'configmap "words" not found')
    stage.make(CONFIG_MAP, "words", data={"other": "x"})
    stage.wait(lambda: str(stage.get(POD, "lacking")["status"]), lambda seen: "couldn't find key wanted" in seen)
    stage.change(CONFIG_MAP, "words", {"data": {"wanted": "hello"}})
    wait_succeeded(stage)


def test_a_secret(stage: Stage) -> None:
    stage.make(POD, "lacking", spec=say(FROM_SECRET))
    wait_refused(stage, "CreateContainerConfigError", 'secret "words" not found')
    stage.make(SECRET, "words", stringData={"wanted": "hello"})
    wait_succeeded(stage)


def test_a_config_map_that_is_mounted(stage: Stage) -> None:
    spec = mounting({"configMap": {"name": "words"}})
    spec["containers"][0]["command"] = ["grep", "hello", "/v/wanted"]
    stage.make(POD, "lacking", spec=spec)
    wait_refused(stage, "FailedMount", 'configmap "words" not found')
    stage.make(CONFIG_MAP, "words", data={"wanted": "hello"})
    wait_succeeded(stage)


def test_a_folder_of_this_machine(stage: Stage, tmp_path: Path) -> None:
    place = tmp_path / "data"
    stage.make(POD, "lacking", spec=mounting({"hostPath": {"path": str(place), "type": "Directory"}}))
    wait_refused(stage, "FailedMount", f"hostPath {place}")
    place.mkdir()
    wait_succeeded(stage)


@pytest.mark.parametrize("machine", ["embedded"], indirect=True)
def test_the_line_that_is_shown_for_an_image_is_the_one_to_type(stage: Stage, machine: MachineGround) -> None:
    image = f"shop/{stage.namespace}:2"
    stage.make(POD, "lacking", spec=pod_spec({"name": "main", "image": image, "args": ["-c", "exit 0"]}))
    line = f"corral image map {image} --command"
    wait_refused(stage, "CreateContainerConfigError", line)
    done = machine.corral("image", "map", image, "--command", "/bin/sh")
    assert done.returncode == 0, done.stderr
    wait_succeeded(stage)
