"""PyTorch's workers wait until the name of their master is known, with nothing but the image that they have anyway."""

import copy
import os
import subprocess
from pathlib import Path

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.framework import Setting
from corral.reconcile.frameworks.pytorch import PYTORCH
from tests.domain.reconcile.training_builders import job, template


def dressed(of: TrainingJob, role: str = "Worker", setting: Setting | None = None) -> Object:
    """Returns the spec of a pod after the framework has changed it."""
    pod = copy.deepcopy(of.roles[role].template)
    PYTORCH.dress(of, Place(role, 0), pod, setting or Setting())
    spec: Object = pod["spec"]
    return spec


def test_a_worker_waits_with_the_image_that_it_trains_with() -> None:
    [waiting] = dressed(job("PyTorchJob", name="ddp", Master=1, Worker=1))["initContainers"]
    assert (waiting["name"], waiting["image"], waiting["imagePullPolicy"]) == (
        "init-pytorch",
        "train:1",
        "IfNotPresent",
    )
    assert waiting["args"][1:] == ["ddp-master-0:23456", "100"]
    assert waiting["resources"] == {
        "requests": {"cpu": "50m", "memory": "10Mi"},
        "limits": {"cpu": "100m", "memory": "20Mi"},
    }
    assert "securityContext" not in waiting


def test_the_image_and_the_number_of_tries_can_be_chosen() -> None:
    of = job("PyTorchJob", Master=1, Worker=1)
    [waiting] = dressed(of, setting=Setting(init_image="busybox:1", init_tries=7))["initContainers"]
    assert (waiting["image"], waiting["args"][2]) == ("busybox:1", "7")


def test_nobody_else_waits() -> None:
    assert "initContainers" not in dressed(job("PyTorchJob", Master=1, Worker=1), "Master")
    assert "initContainers" not in dressed(job("PyTorchJob", Worker=2))


def test_the_users_own_init_containers_go_first_and_template_stays_as_it_is() -> None:
    own = template("pytorch")
    own["spec"]["initContainers"] = [{"name": "fetch", "image": "fetch:1"}]
    of = job("PyTorchJob", Master=1, Worker={"replicas": 1, "template": own})
    assert [one["name"] for one in dressed(of)["initContainers"]] == ["fetch", "init-pytorch"]
    assert [one["name"] for one in of.roles["Worker"].template["spec"]["initContainers"]] == ["fetch"]


def test_a_user_who_waits_in_his_own_way_is_left_alone() -> None:
    own = template("pytorch")
    own["spec"]["initContainers"] = [{"name": "init-pytorch", "image": "mine:1"}]
    of = job("PyTorchJob", Master=1, Worker={"replicas": 1, "template": own})
    assert dressed(of)["initContainers"] == [{"name": "init-pytorch", "image": "mine:1"}]


def test_it_is_as_restricted_as_the_container_that_trains() -> None:
    restricted = {"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}
    sidecar = {"name": "logs", "image": "logs:1"}
    own = template("pytorch", securityContext=restricted)
    own["spec"]["containers"].insert(0, sidecar)
    [waiting] = dressed(job("PyTorchJob", Master=1, Worker={"replicas": 1, "template": own}))["initContainers"]
    assert (waiting["image"], waiting["securityContext"]) == ("train:1", restricted)


def run_waiting(tools: Path, address: str, tries: int) -> subprocess.CompletedProcess[str]:
    """Runs the command of the init container with only the given tools to find."""
    [waiting] = dressed(job("PyTorchJob", name="ddp", Master=1, Worker=1))["initContainers"]
    command = ["/bin/sh", *waiting["command"][1:], waiting["args"][0], address, str(tries)]
    return subprocess.run(command, env={"PATH": str(tools)}, capture_output=True, text=True, timeout=20, check=False)


def tool(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    os.chmod(path, 0o755)


@pytest.mark.parametrize("name", ["getent", "nslookup", "python3"])
def test_any_of_three_tools_will_do(tmp_path: Path, name: str) -> None:
    tool(tmp_path, name, f'echo "$@" >> {tmp_path}/asked; [ -e {tmp_path}/known ]')
    tool(tmp_path, "sleep", f'[ "$1" = 2 ] && : > {tmp_path}/known')
    done = run_waiting(tmp_path, "ddp-master-0:23456", 5)
    assert (done.returncode, done.stdout) == (0, "waiting until ddp-master-0 is known\n")
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[-1] for line in asked] == ["ddp-master-0", "ddp-master-0"]


def test_it_gives_up_and_says_so(tmp_path: Path) -> None:
    tool(tmp_path, "getent", "exit 2")
    tool(tmp_path, "sleep", "exit 0")
    done = run_waiting(tmp_path, "ddp-master-0:23456", 3)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "waiting until ddp-master-0 is known",
        "waiting until ddp-master-0 is known",
        "ddp-master-0 is still unknown after 3 tries",
    ]


def test_an_address_needs_no_tool_at_all(tmp_path: Path) -> None:
    assert run_waiting(tmp_path, "127.0.0.1:20417", 1).returncode == 0
    assert "$(" not in dressed(job("PyTorchJob", Master=1, Worker=1))["initContainers"][0]["command"][2]
