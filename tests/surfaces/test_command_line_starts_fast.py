"""The start-up promise: help costs a small multiple of a bare interpreter, as nothing is loaded that it does not need.

Both are measured in the same run, in turns, as processor time, and the best of several runs counts: so neither a slow
nor a busy machine can fail this, only a command line that loads more. In time it is under 120 ms on a laptop.
"""

import compileall
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import corral
from tests.surfaces.conftest import cli_of, private_environment
from tests.surfaces.hollow_stage import until

HEAVY = {
    "aiohttp",
    "apsw",
    "asyncio",
    "dataclasses",
    "email",
    "http.client",
    "importlib.metadata",
    "logging",
    "msgspec",
    "rich",
    "ssl",
    "subprocess",
    "urllib.request",
    "uvicorn",
    "yaml",
}
MOST_TIMES_BARE = 8.0
"""It is less than five; the heavy libraries below would make it twenty."""


@pytest.fixture(scope="module", autouse=True)
def _byte_code() -> None:
    compileall.compile_dir(os.path.dirname(corral.__file__), quiet=1)


def test_help_costs_a_small_multiple_of_a_bare_interpreter() -> None:
    runs = [(_processor_seconds("-c", "pass"), _processor_seconds("-m", "corral", "--help")) for _ in range(7)]
    bare, shown = (min(seconds) for seconds in zip(*runs, strict=True))
    assert shown < MOST_TIMES_BARE * bare


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["down"],
        ["kubeconfig"],
        ["version"],
        ["version", "--verbose"],
        ["help"],
        ["help", "contexts"],
        ["completion", "bash"],
        ["config"],
        *([verb, "--help"] for verb in ("up", "apply", "list", "get", "logs", "run", "wait", "delete", "submit")),
        *([verb, "--help"] for verb in ("exec", "attach", "cp", "suspend", "resume", "diff", "scale")),
        ["cron", "--help"],
        ["cron", "list", "--help"],
        *([verb, "--help"] for verb in ("why", "events", "resubmit", "top", "use", "completion", "image", "doctor")),
    ],
)
def test_light_commands_load_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    assert _loaded(words, HEAVY, tmp_path) == ""


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["get"], ""),
        (["list"], ""),
        (["list", "-o", "jsonpath={.items[*].metadata.name}"], ""),
        (["get", "digits"], "difflib"),
        (["apply", "-f", "job.json"], "yaml"),
        (["logs", "digits"], "difflib"),
        (["why", "digits"], "difflib"),
        (["events", "digits"], "difflib"),
        (["top", "job"], ""),
        (["top", "node"], ""),
        (["suspend", "digits"], "difflib"),
        (["scale", "digits", "--workers", "2"], "difflib"),
        (["cron", "list"], ""),
        (["cron", "get", "nightly"], "difflib"),
        (["cron", "tfjob", "--schedule=0 22 * * *", "--name=x", "--image=i", "true"], ""),
        (["submit", "tfjob", "--name=x", "--image=i", "--ps=1", "--tensorboard", "true"], ""),
        (["submit", "mpijob", "--name=x", "--image=i", "--data=a:/a", "--dry-run=client", "-o", "json", "true"], ""),
    ],
)
def test_commands_that_ask_an_api_need_no_loop_and_no_library_for_it(
    words: list[str], extra: str, tmp_path: Path
) -> None:
    """They speak plain HTTP on a socket; the API here is one that does not answer."""
    (tmp_path / "kubeconfig").write_text(
        '{"current-context": "c", "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],'
        ' "contexts": [{"name": "c", "context": {"cluster": "c"}}]}'
    )
    (tmp_path / "job.json").write_text('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}')
    unwanted = HEAVY - {"msgspec", extra}
    assert _loaded(words, unwanted, tmp_path, KUBECONFIG=str(tmp_path / "kubeconfig")) == ""


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with one job that runs on a fake node, and one that finds no room."""
    home = tmp_path_factory.mktemp("answering") / "home"
    cli = cli_of(home)
    try:
        assert cli("up", "--no-node", "--fake-nodes", "1x8").returncode == 0
        for name, gpus in (("digits", "4"), ("waits", "16")):
            line = ("submit", "pytorchjob", "--name", name, "--image", "none", "--gpus", gpus, "true")
            assert cli(*line).returncode == 0
        until(lambda: "RUNNING" in cli("list").stdout, "the job that finds room")
        until(lambda: "16 GPUs" in cli("why", "waits").stdout, "the word of the scheduler on the other")
        yield home
    finally:
        cli("down")


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["list"], set()),
        (["list", "-o", "wide"], set()),
        (["get", "digits"], set()),
        (["get", "pods"], set()),
        (["logs", "digits"], set()),
        (["top", "job"], set()),
        (["top", "node"], set()),
        (["events", "digits"], set()),
        (["why", "digits"], set()),
        # Only who asks about a job that finds no room pays for the engine that knows why.
        (["why", "waits"], {"numpy", "dataclasses"}),
        (["submit", "tfjob", "--name=x", "--image=i", "true"], set()),
    ],
)
def test_what_reads_an_answer_is_light_too(words: list[str], extra: set[str], answering: Path) -> None:
    told = _told(words, (HEAVY | {"numpy"}) - {"msgspec"} - extra, answering.parent, CORRAL_HOME=str(answering))
    assert told == "0 loaded: "


def _loaded(words: list[str], unwanted: set[str], folder: Path, **more: str) -> str:
    """Returns which of some modules a command loads, however it ends."""
    return _told(words, unwanted, folder, **more).partition("loaded: ")[2]


def _told(words: list[str], unwanted: set[str], folder: Path, **more: str) -> str:
    """Returns the exit status of a command, and which of some modules it loads."""
    program = (
        "import sys\n"
        "from corral.surfaces.cli.main import run\n"
        f"status = run({words!r})\n"
        f"sys.stderr.write(str(status) + ' loaded: ' + ' '.join(sorted({unwanted!r} & sys.modules.keys())))\n"
    )
    environment = {**private_environment(folder / "home"), **more}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=folder, capture_output=True, text=True, timeout=60
    )
    return done.stderr.splitlines()[-1]


def _processor_seconds(*words: str) -> float:
    with open(os.devnull, "wb") as nowhere:
        moves = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)]
        child = os.posix_spawn(sys.executable, [sys.executable, *words], os.environ, file_actions=moves)
        _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return used.ru_utime + used.ru_stime
