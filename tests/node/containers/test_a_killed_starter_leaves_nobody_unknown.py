"""Whenever the node is killed, every process that it started is named by a record. Invariant N1."""

import random
import secrets
import signal
import subprocess
import sys
import time

from corral.engine.node.containers.clearing import end_all, runs_of
from corral.engine.node.containers.record import MARK
from corral.engine.node.machine.processes import process_table
from tests.node.containers.launching import Launcher

KILLS = 12
STARTER = """
import itertools, os, sys
from corral.engine.node.containers.launch import Launch
from corral.engine.node.containers.starting import start
from corral.engine.node.folder import NodeFolder
folder, token = NodeFolder(sys.argv[1]), sys.argv[2]
print("begin", flush=True)
for number in itertools.count():
    uid = f"{token}-{number}"
    argv, env = ("sleep", "1000"), {"PATH": "/usr/bin:/bin"}
    start(Launch(folder.run(uid, "main", 0), argv, env, "/", os.path.join(folder.logs, uid), f"{uid}/main/0"))
"""


def marks_of_running_processes(token: str) -> set[str]:
    """Returns the owners, of one starter, that any process carries."""
    found: set[str] = set()
    for entry in process_table():
        try:
            with open(f"/proc/{entry.pid}/environ", "rb") as file:
                variables = file.read().split(b"\0")
        except OSError:
            continue
        prefix = f"{MARK}={token}".encode()
        found.update(each.decode().partition("=")[2] for each in variables if each.startswith(prefix))
    return found


def killed_starter(launcher: Launcher, moment: float) -> str:
    """Starts containers as fast as it goes, from a process that is killed at some moment; returns their common name."""
    token = secrets.token_hex(4)
    command = [sys.executable, "-c", STARTER, launcher.folder.root, token]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"begin\n"
        # The moment is the point here; nothing is waited for.
        time.sleep(moment)
        starter.send_signal(signal.SIGKILL)
    return token


def test_every_process_has_a_record_whenever_its_starter_is_killed(launcher: Launcher) -> None:
    moments = random.Random(7)
    for _ in range(KILLS):
        token = killed_starter(launcher, moments.uniform(0.0, 0.08))

        assert marks_of_running_processes(token) <= {run.owner for run in runs_of(launcher.folder)}


def test_clearing_right_after_the_kill_misses_nobody(launcher: Launcher) -> None:
    """A child whose starter dies before the child is recorded gives up by itself."""
    moments = random.Random(11)
    tokens = []
    for _ in range(KILLS):
        tokens.append(killed_starter(launcher, moments.uniform(0.0, 0.08)))
        end_all(launcher.folder, 0.0)

    for token in tokens:
        assert not marks_of_running_processes(token)
