"""`kubectl cordon` and `kubectl drain`: what runs here ends politely within its grace, and comes back after `uncordon`.

A real control plane evicts; the embedded one has no evictions yet, and kubectl deletes instead.
"""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corral.kinds.well_known import DEPLOYMENT, POD
from tests.node.bad_input.test_bad_input_is_told import container_of
from tests.node.ground import MachineGround, clean_environment
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

Kubectl = Callable[..., str]


@pytest.fixture
def kubectl(machine: MachineGround, control_plane_binaries: Path) -> Iterator[Kubectl]:
    """Runs kubectl; whatever happens, the node takes pods again afterwards."""

    def run(*words: str) -> str:
        command = [str(control_plane_binaries / "kubectl"), "--kubeconfig", str(machine.kubeconfig), *words]
        done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    yield run
    run("uncordon", machine.node)


def running(stage: Stage, pod: str) -> None:
    stage.wait(lambda: container_of(stage, pod, "main")["state"], lambda state: "running" in state)


def test_pods_end_politely_and_others_come_later(
    stage: Stage, machine: MachineGround, kubectl: Kubectl, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    polite = shell(f"trap 'echo asked > {asked}; sleep 0.3; echo done >> {asked}; exit 0' TERM; {FOREVER}")
    stage.make(POD, "polite", spec=pod_spec(polite))
    stage.make(POD, "deaf", spec=pod_spec(shell(f"trap '' TERM; {FOREVER}")))
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod_spec(shell(FOREVER), policy="Always")}
    stage.make(DEPLOYMENT, "web", spec={"selector": {"matchLabels": {"app": "web"}}, "template": template})
    (web,) = stage.wait(lambda: [name for name in stage.names(POD) if name.startswith("web-")])
    for name in ("polite", "deaf", web):
        running(stage, name)

    kubectl("cordon", machine.node)
    stage.make(POD, "late", spec=pod_spec(shell(FOREVER)))
    kubectl("drain", machine.node, "--force", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=60s")
    assert asked.read_text() == "asked\ndone\n"
    assert not {"polite", "deaf", web} & set(stage.names(POD))
    stage.wait(lambda: stage.names(POD), lambda names: len(names) == 2)
    assert all("nodeName" not in pod["spec"] for pod in stage.all(POD))

    kubectl("uncordon", machine.node)
    for name in stage.names(POD):
        running(stage, name)


FOREVER = "while :; do sleep 0.05; done"
