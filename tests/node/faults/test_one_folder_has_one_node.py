"""A second node in the folder of a first one is refused: two would start every container twice, and end the other's."""

import subprocess
import sys

import pytest

from tests.node.ground import EmbeddedGround, clean_environment


@pytest.mark.parametrize("machine", ["embedded"], indirect=True)
def test_the_second_is_refused(machine: EmbeddedGround) -> None:
    words = ["--kubeconfig", str(machine.kubeconfig), "--folder", str(machine.folder)]
    command = [sys.executable, "-m", "corral.engine.node", *words]
    second = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), timeout=60)
    assert second.returncode == 70
    assert second.stderr.startswith(f"error: another node keeps its pods in {machine.folder}\nhint: ")
