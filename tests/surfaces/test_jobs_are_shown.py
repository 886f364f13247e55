"""`corral list`, `get` and `wait`: one table of jobs, the story of one, and anything else that the API holds."""

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
        lambda: _rows(stage, "again", "RUNNING", "1"), "a restart in the table", lambda: stage.cli("list").stdout
    )
    assert shown["well"][:2] == ["SUCCEEDED", "PYTORCHJOB"]
    assert shown["well"][3:] == ["0", "N/A", "127.0.0.1", "3/3", "-", "0", "-", "hollow-node"]
    assert shown["badly"][:2] == ["FAILED", "PYTORCHJOB"]
    assert stage.cli("list").stdout.splitlines()[0].split() == [
        "NAME",
        "STATUS",
        "TRAINER",
        "DURATION",
        "GPU(Requested)",
        "GPU(Allocated)",
        "NODE",
    ]
    assert sorted(stage.cli("get", "-o", "name").stdout.split()) == [
        f"pytorchjob.kubeflow.org/{one}" for one in sorted(shown)
    ]
    assert stage.cli("get", "-A").stdout.split()[0] == "NAMESPACE"
    assert json.loads(stage.cli("get", "-o", "json").stdout)["kind"] == "List"
    assert yaml.safe_load(stage.cli("get", "well", "-o", "yaml").stdout)["metadata"]["name"] == "well"

    story = stage.cli("get", "badly", "-T", "pytorch").stdout
    assert story.startswith("Name:        badly\nStatus:      FAILED\nNamespace:   default\nPriority:    N/A\n")
    row = next(line.split() for line in story.splitlines() if line.startswith("  badly-worker-0"))
    assert [*row[:2], *row[3:6]] == ["badly-worker-0", "Error", "false", "0", "hollow-node"]
    assert row[6:] == ["1", "0", "3", "user:", "Error"]
    assert "Failures:" in story

    pods = stage.cli("get", "po", "-o", "wide").stdout.splitlines()
    assert pods[0].split()[:5] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert stage.cli("get", "pod/well-master-0").stdout.splitlines()[1].startswith("well-master-0")
    assert stage.cli("get", "configmaps", "-n", "kube-public").returncode == 0


def _rows(stage: HollowStage, name: str, status: str, restarts: str) -> dict[str, list[str]]:
    rows = {line.split()[0]: line.split()[1:] for line in stage.cli("list", "-o", "wide").stdout.splitlines()[1:]}
    row = rows.get(name, [""] * 9)
    return rows if (row[0], row[8]) == (status, restarts) else {}


def test_a_list_is_filtered_sorted_and_written_in_every_form(stage: HollowStage) -> None:
    if "team-1" not in stage.cli("list", "-o", "name").stdout:
        stage.submit("team-1", workers=0, labels={"team": "vision"})
        stage.submit("team-2", workers=0, labels={"team": "speech"}, master=STAYS)
        stage.submit("team-3", workers=0, labels={"team": "vision"}, master=STAYS)
    assert stage.cli("wait", "team-1", "--timeout", "60s").returncode == 0
    assert stage.cli("wait", "team-3", "--for", "running", "--timeout", "60s").returncode == 0

    def names(*words: str) -> list[str]:
        done = stage.cli("ls", *words, "-o", "jsonpath={range .items[*]}{.metadata.name}{' '}{end}")
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert sorted(names("-l", "team in (vision, speech)")) == ["team-1", "team-2", "team-3"]
    assert names("-l", "team=vision", "--status", "succeeded") == ["team-1"]
    assert names("-l", "team", "--status", "RUNNING", "--status", "failed", "-T", "pytorch", "-A") != []
    assert names("-T", "tfjob") == []
    created = yaml.safe_load(stage.cli("list", "-o", "yaml").stdout)["items"]
    stamps = [one["metadata"]["creationTimestamp"] for one in created]
    assert stamps == sorted(stamps, reverse=True)
    assert all((one["kind"], one["apiVersion"]) == ("PyTorchJob", "kubeflow.org/v1") for one in created)
    nothing = stage.cli("list", "-l", "team=none")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert nothing.stderr == "no training jobs that are so in namespace default\n"


def test_a_watched_list_tells_every_change(stage: HollowStage) -> None:
    with Running(stage.home, "list", "-w", "-l", "watched") as watching:
        stage.submit("seen", workers=1, labels={"watched": "yes"}, master=STAYS, worker=STAYS)
        watching.wait_line("RUNNING")
        assert watching.lines[0].split()[:3] == ["NAME", "STATUS", "TRAINER"]
        assert [line for line in watching.lines[1:] if not line.startswith("seen ")] == []
        assert stage.cli("delete", "seen").returncode == 0
        watching.wait_line("DELETED")
        watching.process.send_signal(signal.SIGINT)
        assert watching.end()[0] == 130


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
        (["get", "pods", "-o", "table"], 2, "hint: `corral get --help`"),
        (["get", "-T", "tfjob", "near"], 3, 'there is no tfjob "near"'),
        (["list", "-T", "sparkjob"], 2, "Corral does not run SparkApplications"),
        (["list", "-T", "pytorhc"], 2, 'did you mean "pytorch"?'),
        (["list", "-o", "jsonpath={.items[}"], 2, "the template is not understood"),
        (["list", "-o", "jsonpath={.items[99]}"], 1, "array index out of bounds: index 99"),
        (["list", "--status", "done"], 2, ""),
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
        "print([run(words) for words in (['list'], ['get', 'light'], ['get', 'pods'], ['logs', 'light'])])\n"
        "print(sorted({'asyncio', 'aiohttp', 'dataclasses', 'logging', 'rich', 'apsw', 'yaml', 'subprocess'} & sys.modules.keys()))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=private_environment(stage.home), capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-2:] == ["[0, 0, 0, 0]", "[]"], done.stderr
