"""Programs with thousands of open files use Corral as any other: nothing waits in a way that knows the first 1,024 only."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.conftest import private_environment

MOST = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
PROGRAM = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
held = [os.dup(0)]
while held[-1] < 1100:
    held.append(os.dup(0))
"""
COMMAND = PROGRAM + "from corral.surfaces.cli.entry import main\nmain()\n"
CLIENT = (
    PROGRAM
    + """
from corral.sdk import Client
with Client() as client:
    print([len(client.list()) for _ in range(3)])
"""
)
KEYBOARD = (
    PROGRAM
    + """
from corral.surfaces.cli.acts.live_command import carry

class Echo:
    def __init__(self):
        self.heard, self.say = os.pipe()
    def send(self, data):
        os.write(self.say, data)
    def end_input(self):
        os.close(self.say)
        return True
    def pieces(self):
        while data := os.read(self.heard, 100):
            yield data, False
    def exit_code(self):
        return 7
    def close(self):
        os.close(self.heard)

# The keyboard itself is a high handle here, as it is not for people.
sys.stdin = open(held[-1], closefd=False)
sys.exit(carry(Echo(), takes_input=True, is_terminal=False))
"""
)

pytestmark = pytest.mark.skipif(MOST < 4096, reason="this system allows fewer open files")


def run(home: Path, program: str, *words: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(
        command, env=private_environment(home), input=text, capture_output=True, text=True, timeout=60
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("many") / "a home"
    yield made
    run(made, COMMAND, "down")


def test_corral_starts_and_answers(home: Path) -> None:
    done = run(home, COMMAND, "up", "--api-only")
    assert done.returncode == 0, done.stderr
    done = run(home, COMMAND, "get", "namespaces", "-o", "name")
    assert "namespace/default" in done.stdout, done.stderr


def test_a_client_asks_again_on_the_same_connection(home: Path) -> None:
    assert run(home, COMMAND, "up", "--api-only").returncode == 0
    done = run(home, CLIENT)
    assert (done.stdout, done.stderr) == ("[0, 0, 0]\n", "")


def test_what_is_typed_reaches_the_command(home: Path) -> None:
    done = run(home, KEYBOARD, text="hello\n")
    assert (done.returncode, done.stdout) == (7, "hello\n"), done.stderr
