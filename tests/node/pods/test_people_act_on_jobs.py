"""exec, cp, suspend and resume on the embedded API and on a real one: the same words do the same."""

from pathlib import Path

import pytest

from corral.kinds.well_known import POD
from tests.node.ground import MachineGround
from tests.surfaces.inside.process_stage import sleeping_job
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@pytest.fixture
def job(stage: Stage) -> str:
    """A job of two pods that run."""
    stage.send(sleeping_job("digits", workers=1))
    _wait_running(stage)
    return "digits"


def _wait_running(stage: Stage) -> None:
    stage.wait(lambda: [pod["status"].get("phase") for pod in stage.all(POD)] == ["Running", "Running"])


def test_commands_and_copies_go_into_a_job_and_out_of_it(
    machine: MachineGround, stage: Stage, job: str, tmp_path: Path
) -> None:
    here = ("-n", stage.namespace)
    done = machine.corral("exec", *here, job, "-i", "worker-0", "--", "sh", "-c", "echo $RANK; echo oh >&2; exit 37")
    assert (done.returncode, done.stdout, done.stderr) == (37, "1\n", "oh\n")
    missing = machine.corral("exec", *here, job, "--", "no-such-program")
    assert (missing.returncode, missing.stdout) == (1, "")

    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "words").write_bytes(b"\0\xff" * 500_000)
    sent = machine.corral("cp", *here, str(tmp_path / "data"), f"{job}:copy")
    assert sent.returncode == 0, sent.stderr
    assert sent.stderr.startswith("copied 1 file, 977 KiB to digits-master-0:copy in ")
    back = machine.corral("cp", *here, f"{job}:copy", str(tmp_path / "back"))
    assert back.returncode == 0, back.stderr
    assert (tmp_path / "back" / "words").read_bytes() == b"\0\xff" * 500_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "data"]


def test_a_suspended_job_has_no_pods_until_it_is_resumed(machine: MachineGround, stage: Stage, job: str) -> None:
    here = ("-n", stage.namespace)
    assert machine.corral("suspend", *here, job).stdout == "pytorchjob.kubeflow.org/digits suspended\n"
    assert machine.corral("suspend", *here, job).stdout == "pytorchjob.kubeflow.org/digits is suspended already\n"
    stage.wait(lambda: stage.all(POD) == [])
    assert machine.corral("resume", *here, job).stdout == "pytorchjob.kubeflow.org/digits resumed\n"
    _wait_running(stage)
