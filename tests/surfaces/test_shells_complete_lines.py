"""TAB: commands, flags, kinds, names of jobs, pods, namespaces and contexts, in real shells, quickly and without a trace."""

import json
import os
import pty
import select
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from corral.surfaces.cli.completion.scripts import SCRIPTS
from corral.surfaces.cli.completion.sources import PATIENCE
from corral.testing.hollow_node import Part
from tests.surfaces.conftest import private_environment
from tests.surfaces.hollow_stage import HollowStage, hollow_stage, until

LIMIT = 60.0
MOST_TIMES_BARE = 16.0
"""What a TAB that asks an API may cost, in bare interpreters: 100 ms on a laptop. It is about ten."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "home") as stage:
        stage.submit("digits", workers=1, master=Part(), worker=Part())
        stage.submit("words", workers=0, master=Part())
        until(lambda: "digits-worker-0" in stage.cli("get", "pods").stdout, "pods")
        yield stage


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `corral` that shells find."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "corral"
    script.write_text(f"#!{sys.executable}\nfrom corral.surfaces.cli.entry import main\nmain()\n")
    script.chmod(0o755)
    return folder


def environment(home: Path, program: Path) -> dict[str, str]:
    inherited = private_environment(home)
    return {**inherited, "PATH": f"{program}{os.pathsep}{inherited['PATH']}", "HOME": str(home.parent)}


def completed(line: str, around: Mapping[str, str]) -> list[str]:
    """Returns what bash completes at the end of a line, by its own variables."""
    words = 'source <(corral completion bash); COMP_LINE=$1; COMP_POINT=${#1}; _corral corral; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", words, "bash", line], env=dict(around), capture_output=True, text=True, timeout=LIMIT
    )
    assert done.stderr == ""
    return [word for word in done.stdout.splitlines() if word]


LINES: dict[str, tuple[str, list[str]]] = {
    "commands": ("corral resub", ["resubmit"]),
    "an alias when no command begins so": ("corral ls", ["ls"]),
    "commands of a group": ("corral config se", ["set"]),
    "flags": ("corral logs --time", ["--timestamps"]),
    "flags of every command": ("corral up --no-i", ["--no-input"]),
    "values of a flag": ("corral list -o y", ["yaml"]),
    "values behind an equals sign": ("corral list --output=y", ["yaml"]),
    "jobs": ("corral logs di", ["digits"]),
    "jobs behind flags": ("corral logs -f --tail 3 w", ["words"]),
    "jobs and kinds": ("corral get di", ["digits"]),
    "kinds": ("corral get pytorch", ["pytorchjob"]),
    "several jobs": ("corral delete digits w", ["words"]),
    "namespaces": ("corral get -n kube-s", ["kube-system"]),
    "jobs of another namespace": ("corral -n kube-system logs ", []),
    "contexts": ("corral use emb", ["embedded"]),
    "settings": ("corral config set image", ["image-pull-secrets"]),
    "topics": ("corral help exit", ["exit-codes"]),
    "quotes that are still open": ('corral logs "di', ["digits"]),
    "nothing behind nonsense": ("corral nonsense ", []),
    "nothing behind a flag that is not there": ("corral logs --nonsense ", ["digits", "words"]),
}


@pytest.mark.parametrize("case", LINES)
def test_bash_completes(case: str, stage: HollowStage, program: Path) -> None:
    line, want = LINES[case]
    assert completed(line, environment(stage.home, program)) == want


def test_files_are_left_to_the_shell(stage: HollowStage, program: Path, tmp_path: Path) -> None:
    """Typed into a real terminal: bash itself completes the name of a file behind -f."""
    (tmp_path / "my-manifest.yaml").write_text("")
    shown = typed_into(
        ["bash", "--norc", "-i"],
        "source <(corral completion bash)",
        "corral apply -f my-man\t",
        stage,
        program,
        tmp_path,
    )
    assert "corral apply -f my-manifest.yaml" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_real_shell_completes_on_a_terminal(shell: str, stage: HollowStage, program: Path, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"completion in {shell}: not run, because {shell} is not installed")
    script = tmp_path / f"script.{shell}"
    script.write_text(SCRIPTS[shell])
    start = {
        "bash": (["bash", "--norc", "-i"], f"source {script}"),
        "zsh": (["zsh", "-f", "-i"], f"autoload -Uz compinit; compinit -u -D; source {script}"),
        "fish": (["fish", "--no-config", "-i"], f"source {script}"),
    }[shell]
    shown = typed_into(*start, "corral logs dig\t", stage, program, tmp_path)
    assert "corral logs digits" in shown


def asked(around: Mapping[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    """Asks as the script of a shell does."""
    command = [sys.executable, "-m", "corral", *words]
    return subprocess.run(
        command, env={**around, "_CORRAL_COMPLETE": "zsh"}, capture_output=True, text=True, timeout=LIMIT
    )


def test_nothing_is_started_and_nothing_is_made(tmp_path: Path) -> None:
    done = asked(private_environment(tmp_path / "home"), "logs", "")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_an_api_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    """It takes connections and says nothing, as a cluster behind a dead tunnel does."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        around = _with_server(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}")
        began = time.monotonic()
        done = asked(around, "logs", "")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert time.monotonic() - began < 10 * PATIENCE


@pytest.mark.parametrize("fault", ["http://127.0.0.1:1", "nowhere://", ""])
def test_whatever_is_wrong_completes_nothing_and_says_nothing(fault: str, tmp_path: Path) -> None:
    done = asked(_with_server(tmp_path, fault), "logs", "")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def _with_server(folder: Path, server: str) -> dict[str, str]:
    config = {
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "contexts": [{"name": "c", "context": {"cluster": "c"}}],
    }
    (folder / "kubeconfig").write_text(json.dumps(config))
    return {**private_environment(folder / "home"), "KUBECONFIG": str(folder / "kubeconfig")}


def test_only_the_command_that_is_typed_is_imported(tmp_path: Path) -> None:
    program = (
        "import os, sys\n"
        "os.environ['_CORRAL_COMPLETE'] = 'zsh'\n"
        "from corral.surfaces.cli.main import run\n"
        "run(['logs', '--ta'])\n"
        "verbs = 'corral.surfaces.cli.verbs.'\n"
        "print(*sorted(name.removeprefix(verbs) for name in sys.modules if name.startswith(verbs)))\n"
        "print(*sorted({'asyncio', 'dataclasses', 'http.client', 'logging', 'msgspec', 'yaml'} & sys.modules.keys()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=private_environment(tmp_path / "home"),
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    flags, verbs, heavy = done.stdout.split("\n")[:3]
    assert (flags.split("\t")[:2], verbs, heavy) == (["plain", "--tail"], "logs", "")


def test_a_tab_that_asks_an_api_is_quick(stage: HollowStage) -> None:
    """In processor time and against a bare interpreter in the same run, so that a busy machine cannot fail it."""
    around = private_environment(stage.home)
    runs = [
        (_cost(["-c", "pass"], around), _cost(["-m", "corral", "logs", ""], {**around, "_CORRAL_COMPLETE": "zsh"}))
        for _ in range(7)
    ]
    bare, asking = (min(seconds) for seconds in zip(*runs, strict=True))
    assert asking < MOST_TIMES_BARE * bare


def _cost(words: list[str], around: Mapping[str, str]) -> float:
    with open(os.devnull, "wb") as nowhere:
        moves = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)]
        child = os.posix_spawn(sys.executable, [sys.executable, *words], around, file_actions=moves)
        _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return used.ru_utime + used.ru_stime


def typed_into(command: list[str], setup: str, line: str, stage: HollowStage, program: Path, folder: Path) -> str:
    """Types a line with a TAB into a shell on a terminal of its own, and returns what the terminal shows then."""
    around = {**environment(stage.home, program), "TERM": "dumb", "PS1": "> ", "COLUMNS": "200"}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, around)
    try:
        os.write(terminal, f"{setup}; echo re''ady\n".encode())
        shown = _shown_until(terminal, "ready")
        os.write(terminal, line.encode())
        want = line.strip().rpartition(" ")[2]
        shown = _shown_until(terminal, want, more=1)
        return shown.replace("\x07", "")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


def _shown_until(terminal: int, text: str, more: int = 0) -> str:
    """Returns what is shown until a text is there and `more` signs of what follows it."""
    shown, deadline = "", time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        at = shown.rfind(text)
        if at >= 0 and len(shown[at + len(text) :].replace("\x07", "").strip()) >= more:
            # What is completed comes in one piece with what follows it.
            ready, _, _ = select.select([terminal], [], [], 0.3)
            if not ready:
                return shown
        ready, _, _ = select.select([terminal], [], [], deadline - time.monotonic())
        if ready:
            shown += os.read(terminal, 65536).decode(errors="replace")
    raise AssertionError(f"{text!r} is not shown within {LIMIT:g} s: {shown!r}")
