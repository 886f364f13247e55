"""`corral why` and `corral events`: one reason with its evidence, and everything that was said; also with few rights."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import ANY

import pytest

from corral.control.desk.jobs.events import event_time
from corral.testing.hollow_node import Part
from tests.surfaces.conftest import Cli, cli_of, private_environment
from tests.surfaces.hollow_stage import HollowStage, Running, hollow_stage, until
from tests.surfaces.narrow_rights import narrow_door

STAYS = Part(seconds=None)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


def test_a_failed_job_tells_the_class_and_the_last_lines_of_the_rank_that_failed(stage: HollowStage) -> None:
    broken = Part(exit_codes=(3,), lines=("epoch 1", "Traceback (most recent call last)"))
    stage.submit("breaks", workers=1, worker=broken, master=STAYS)
    assert stage.cli("wait", "breaks", "--for", "failed", "--timeout", "60s").returncode == 0
    told = stage.cli("why", "breaks")
    assert told.returncode == 0, told.stderr
    first, *rest = told.stdout.splitlines()
    assert first.startswith("breaks is FAILED: it has failed after ")
    assert first.endswith("its program failed with exit code 3 (breaks-worker-0 on hollow-node)")
    assert "  log of breaks-worker-0  epoch 1" in rest
    assert "                          Traceback (most recent call last)" in rest
    assert rest[rest.index("What helps:") + 1] == "  corral logs breaks"
    data = json.loads(stage.cli("why", "pytorchjob/breaks", "-o", "json").stdout)
    assert (data["code"], data["numbers"]["exitCode"], data["notes"]) == ("failed-user", 3, [])
    assert stage.cli("why", "breaks", "-o", "jsonpath={.status} {.numbers.class}").stdout == "FAILED user"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cli, Path]]:
    """Two nodes with eight GPUs each, and a job that asks for sixteen on one."""
    home = tmp_path_factory.mktemp("fleet") / "a home"
    cli = cli_of(home)
    container = {"name": "pytorch", "image": "none", "resources": {"limits": {"nvidia.com/gpu": 16}}}
    role = {"replicas": 1, "template": {"spec": {"containers": [container]}}}
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "waits"}}
    try:
        assert cli("up", "--no-node", "--fake-nodes", "2x8").returncode == 0
        text = json.dumps({**job, "spec": {"pytorchReplicaSpecs": {"Master": role, "Worker": role}}})
        assert cli("apply", "-f", "-", text=text).returncode == 0
        until(lambda: "Insufficient" in cli("events", "waits").stdout, "the word of a scheduler")
        yield cli, home
    finally:
        cli("down")


def test_a_job_that_finds_no_room_tells_what_it_needs_and_what_there_is(fleet: tuple[Cli, Path]) -> None:
    cli, _ = fleet
    assert cli("list").stdout.splitlines()[1].split() == ["waits", "PENDING", "PYTORCHJOB", ANY, "32", "0", "N/A"]
    assert cli("why", "waits").stdout.splitlines()[0] == (
        "waits is PENDING: both pods can never run here: 2 pods must start together, each needs 16 GPUs on one node,"
        " and none of 2 nodes can take them: 2 are too small (8 GPUs)"
    )
    told = json.loads(cli("why", "waits", "-o", "json").stdout)
    assert (told["code"], told["numbers"]["needed"], told["numbers"]["pods"]) == ("too-large", 16, 2)
    assert told["placement"]["remedies"][0]["sentence"] == "with 8 GPUs for each pod in place of 16"
    assert "it would start with 8 GPUs for each pod in place of 16" in told["nextSteps"]


def test_who_may_see_one_namespace_only_is_told_what_is_left_out(fleet: tuple[Cli, Path]) -> None:
    cli, home = fleet
    with narrow_door(home, home.parent / "narrow", "paddlejobs") as kubeconfig:
        told = cli("why", "waits", KUBECONFIG=str(kubeconfig))
        assert told.stdout.startswith("waits is PENDING: both pods wait for a node: 2 nodes have too few GPUs left\n")
        assert "note: left out, since you may not list nodes" in told.stderr
        shown = cli("list", KUBECONFIG=str(kubeconfig))
        assert (shown.returncode, "waits" in shown.stdout) == (0, True)
        assert shown.stderr == "note: left out, since you may not list them: paddlejobs\n"
        everywhere = cli("list", "-A", KUBECONFIG=str(kubeconfig))
        assert (everywhere.returncode, "waits" in everywhere.stdout) == (0, True)
        assert "those outside of namespace default" in everywhere.stderr
        assert cli("get", "waits", KUBECONFIG=str(kubeconfig)).returncode == 0
    with narrow_door(home, home.parent / "narrower", "/pods", "/events", "/services") as kubeconfig:
        told = cli("get", "waits", "-e", KUBECONFIG=str(kubeconfig))
        assert (told.returncode, told.stdout.splitlines()[0]) == (0, "Name:        waits")
        assert told.stderr.splitlines() == [
            "note: left out, since you may not list pods: what only they can tell",
            "note: left out, since you may not list them: events",
        ]


def test_events_are_shown_oldest_first_and_followed(stage: HollowStage) -> None:
    stage.submit("said", workers=0, master=STAYS)
    with Running(stage.home, "events", "said", "-w") as following:
        following.wait_line("[SuccessfulCreatePod] Created pod: said-master-0")
        assert following.lines[0].split() == ["SOURCE", "TYPE", "AGE", "MESSAGE"]
        assert stage.cli("suspend", "said").returncode == 0
        following.wait_line("Suspended")
        following.process.send_signal(signal.SIGINT)
        assert following.end()[0] == 130
    items = json.loads(stage.cli("events", "said", "-o", "json").stdout)["items"]
    assert {one["involvedObject"]["name"] for one in items} <= {"said", "said-master-0"}
    moments = [event_time(one)[:19] for one in items]
    assert moments == sorted(moments)
    assert stage.cli("events", "said", "-o", "name").stdout.startswith("event/said")
    assert stage.cli("events", "siad").returncode == 3


def test_a_reason_is_told_without_a_loop(stage: HollowStage) -> None:
    stage.submit("light", workers=0)
    assert stage.cli("wait", "light", "--timeout", "60s").returncode == 0
    program = (
        "import sys\n"
        "from corral.surfaces.cli.main import run\n"
        "print([run(words) for words in (['why', 'light'], ['events', 'light'])])\n"
        "print(sorted({'asyncio', 'aiohttp', 'logging', 'rich', 'apsw', 'yaml', 'subprocess'} & sys.modules.keys()))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=private_environment(stage.home), capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-2:] == ["[0, 0]", "[]"], done.stderr
