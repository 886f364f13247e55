"""`corral get` and `corral wait`: one table of jobs, the story of one, and anything else that the API holds."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import yaml

from corral.testing.hollow_node import Part
from tests.surfaces.conftest import private_environment
from tests.surfaces.hollow_stage import HollowStage, Running, hollow_stage, until

STAYS = Part(seconds=None)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


def test_jobs_of_all_kinds_are_shown_in_one_table_and_one_in_full(stage: HollowStage) -> None:
    stage.submit("well", workers=2)
    stage.submit("badly", workers=1, worker=Part(exit_codes=(3,)), master=STAYS)
    stage.submit("again", workers=1, restart_policy="OnFailure", worker=Part(exit_codes=(1, 0)), master=STAYS)
    assert stage.cli("wait", "well", "--timeout", "60s").returncode == 0
    assert stage.cli("wait", "badly", "--for", "failed", "--timeout", "60s").returncode == 0

    shown = until(
        lambda: _rows(stage, "again", "Running", "1"), "a restart in the table", lambda: stage.cli("get").stdout
    )
    assert shown["well"][:4] == ["PyTorchJob", "Succeeded", "3/3", "0"]
    assert shown["badly"][:2] == ["PyTorchJob", "Failed"]
    assert sorted(stage.cli("get", "-o", "name").stdout.split()) == [
        f"pytorchjob.kubeflow.org/{one}" for one in sorted(shown)
    ]
    assert stage.cli("get", "-A").stdout.split()[0] == "NAMESPACE"
    assert json.loads(stage.cli("get", "-o", "json").stdout)["kind"] == "List"
    assert yaml.safe_load(stage.cli("get", "well", "-o", "yaml").stdout)["metadata"]["name"] == "well"

    story = stage.cli("get", "badly").stdout
    assert story.startswith("PyTorchJob  badly in namespace default\nstate       Failed after ")
    row = next(line.split() for line in story.splitlines() if line.startswith("badly-worker-0"))
    assert row[:5] == ["badly-worker-0", "worker-0", "1", "Failed", "hollow-node"]
    assert row[7:] == ["3", "user:", "Error"]
    assert "failures" in story

    pods = stage.cli("get", "po", "-o", "wide").stdout.splitlines()
    assert pods[0].split()[:5] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert stage.cli("get", "pod/well-master-0").stdout.splitlines()[1].startswith("well-master-0")
    assert stage.cli("get", "configmaps", "-n", "kube-public").returncode == 0


def _rows(stage: HollowStage, name: str, state: str, restarts: str) -> dict[str, list[str]]:
    rows = {line.split()[0]: line.split()[1:] for line in stage.cli("get").stdout.splitlines()[1:]}
    return rows if rows.get(name, [""] * 4)[1:4:2] == [state, restarts] else {}


@pytest.mark.parametrize(
    ("words", "status", "hint"),
    [
        (["get", "naer"], 3, 'did you mean "near"?'),
        (["get", "pytorchjob", "nera"], 3, 'did you mean "near"?'),
        (["get", "pytrochjobs", "near"], 2, 'did you mean "pytorchjobs"?'),
        (["get", "pod", "nothing-like-it"], 3, ""),
        (["wait", "naer", "--timeout", "1s"], 3, 'did you mean "near"?'),
        (["logs", "naer"], 3, 'did you mean "near"?'),
        (["wait", "near", "--timeout", "soon"], 2, ""),
        (["get", "pods", "-o", "table"], 2, ""),
    ],
)
def test_a_name_that_is_not_there_is_told_what_is_near(
    stage: HollowStage, words: list[str], status: int, hint: str
) -> None:
    if "near" not in stage.cli("get", "-o", "name").stdout:
        stage.submit("near", workers=0, master=STAYS)
    done = stage.cli(*words)
    assert (done.returncode, done.stdout) == (status, "")
    assert hint in done.stderr
    assert "Traceback" not in done.stderr


def test_waiting_ends_as_the_job_does(stage: HollowStage) -> None:
    stage.submit("stays", workers=0, master=STAYS)
    assert stage.cli("wait", "stays", "--for", "running", "--timeout", "60s").returncode == 0
    late = stage.cli("wait", "stays", "--timeout", "1s")
    assert (late.returncode, late.stdout) == (7, "")
    assert "stays has not succeeded after 1 s: it is Running with 1 of 1 pods" in late.stderr
    with Running(stage.home, "wait", "stays", "--for", "finished") as waiting:
        while not waiting.has_spoken_to_the_api():
            time.sleep(0.02)
        assert stage.cli("delete", "stays").returncode == 0
        status, told = waiting.end()
    assert status == 3
    assert "stays was deleted while it was waited for" in told
    stage.submit("fails", workers=0, master=Part(exit_codes=(1,)))
    failed = stage.cli("wait", "fails", "--timeout", "60s")
    assert failed.returncode == 1
    assert "error: fails has not succeeded: PyTorchJob fails" in failed.stderr


def test_a_wait_survives_the_death_of_the_api_and_tells_what_it_waits_for(stage: HollowStage) -> None:
    stage.submit("late", workers=0, master=Part(pending=600.0))
    with Running(stage.home, "wait", "late", "--timeout", "12s") as waiting:
        os.kill(stage.process_of("api"), signal.SIGKILL)
        status, told = waiting.end()
    assert (status, waiting.lines) == (7, [])
    assert "waiting: late has not succeeded yet, it is Created with 0 of 1 pods" in told


def test_a_table_a_story_and_logs_are_shown_without_a_loop(stage: HollowStage) -> None:
    stage.submit("light", workers=0)
    assert stage.cli("wait", "light", "--timeout", "60s").returncode == 0
    program = (
        "import sys\n"
        "from corral.surfaces.cli.main import run\n"
        "print([run(words) for words in (['get'], ['get', 'light'], ['get', 'pods'], ['logs', 'light'])])\n"
        "print(sorted({'asyncio', 'aiohttp', 'dataclasses', 'logging', 'rich', 'apsw', 'yaml'} & sys.modules.keys()))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=private_environment(stage.home), capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-2:] == ["[0, 0, 0, 0]", "[]"], done.stderr
