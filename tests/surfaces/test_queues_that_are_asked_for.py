"""`--queue` and `--queue-name` on one machine: what binds is told when the job is made, and a queue that is there is waited in."""

import json
from collections.abc import Iterator

import pytest

from tests.surfaces.conftest import Cli, cli_of
from tests.surfaces.hollow_stage import until

BINDS_NOTHING = "note: there is no queue team, nor any other: until the first is made, names of queues bind nothing\n"
WAITS = (
    "note: there is no queue team, and the job waits until there is: `corral top queue` shows those that there are\n"
)


@pytest.fixture
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """One node with eight GPUs."""
    run = cli_of(tmp_path_factory.mktemp("queues") / "a home")
    try:
        assert run("up", "--no-node", "--fake-nodes", "1x8:V100").returncode == 0
        yield run
    finally:
        run("down")


def submitted(cli: Cli, name: str, *words: str, gpus: int = 1) -> str:
    """Returns what is told besides the usual."""
    line = ("submit", "pytorchjob", "--name", name, "--image", "none", "--gpus", str(gpus), *words, "python train.py")
    done = cli(*line)
    assert done.returncode == 0, done.stderr
    return "".join(one for one in done.stderr.splitlines(keepends=True) if one.startswith("note:"))


def status(cli: Cli, name: str) -> str:
    rows = [line.split() for line in cli("list").stdout.splitlines()]
    return next(row[1] for row in rows if row[0] == name)


def make_queue(cli: Cli, name: str, **spec: str) -> None:
    queue = {"apiVersion": "corral.dev/v1alpha1", "kind": "Queue", "metadata": {"name": name}, "spec": spec}
    assert cli("apply", "-f", "-", text=json.dumps(queue)).returncode == 0


@pytest.mark.parametrize("flag", ["--queue", "--queue-name"])
def test_a_named_queue_binds_as_soon_as_there_is_any(cli: Cli, flag: str) -> None:
    assert submitted(cli, "free", flag, "team") == BINDS_NOTHING
    until(lambda: status(cli, "free") == "RUNNING", "a job that no queue holds")
    make_queue(cli, "other")
    assert submitted(cli, "held", flag, "team") == WAITS
    until(lambda: "there is no queue team" in cli("why", "held").stdout, "the word of the scheduler")
    assert status(cli, "held") == "PENDING"
    make_queue(cli, "team")
    assert submitted(cli, "third", flag, "team") == ""
    until(lambda: status(cli, "held") == status(cli, "third") == "RUNNING", "the jobs of the queue")


def test_who_asks_for_kube_queue_hears_that_it_is_not_here_and_why_tells_what_holds(cli: Cli) -> None:
    told = submitted(cli, "large", "--queue", gpus=16)
    assert told == "note: there is no kube-queue here: the job waits in line with those that name no queue\n"
    until(lambda: "16 GPUs on one node" in cli("why", "large").stdout, "the word of the scheduler")
    assert status(cli, "large") == "PENDING"


def test_queues_that_are_part_of_each_other_stop_nobody(cli: Cli) -> None:
    make_queue(cli, "chicken", parent="egg")
    make_queue(cli, "egg", parent="chicken")
    for name, queue in (("inside", "egg"), ("waits", "chicken")):
        assert submitted(cli, name, "--queue", queue, "-a", "corral.dev/fake-run-seconds=3600", gpus=5) == ""
    until(lambda: status(cli, "inside") == "RUNNING", "a job inside of the ring")
    until(lambda: "5 GPUs" in cli("why", "waits").stdout, "the word of the scheduler")
    ring = [("chicken", "ParentsInARing"), ("egg", "ParentsInARing")]
    until(lambda: states_of_queues(cli) == ring, "the states of the queues")
    assert cli("simulate", "live").returncode == 0
    assert "crash" not in cli("status").stdout


def states_of_queues(cli: Cli) -> list[tuple[str, str]]:
    lines = [line.split() for line in cli("top", "queue").stdout.splitlines()[1:]]
    return [(line[0], line[-1]) for line in lines]
