"""Stands in for `kubectl exec` and for `ssh` on this machine: runs a command in a container of another pod.

MPI launchers start one of these for each host, so it imports little. The command gets the very files of this process as its
input and output; signals are handed on, the exit code comes back, and when this process is killed, so is the command. What
is not about a pod of this node goes to the real program, if there is one further down in PATH.
"""

import os
import pwd
import sys
import time
from collections.abc import Callable, Sequence
from typing import NoReturn

from corral.engine.node.containers.joining import become
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.containers.record import Run
from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.agent_words import kubectl_order, ssh_order
from corral.engine.node.mpi.door import knock, run_behind
from corral.engine.node.mpi.pod_finding import (
    FOLDER_VARIABLE,
    NAMESPACE_VARIABLE,
    PodsOnDisk,
    hosts_in,
    is_door,
    parsed_host,
    pods_at,
    pods_named,
    running_container,
)

HOSTS_VARIABLE = "CORRAL_MPI_HOSTS"
"""The host file of the job: who stands in it is worth waiting for, whoever does not may be any machine."""
PATIENCE_VARIABLE = "CORRAL_AGENT_PATIENCE"
"""Seconds to wait for a container that does not run yet."""

_PATIENCE = 300.0
_TELL_AFTER = 1.0
_LOOK_EVERY, _LOOK_AT_LEAST_EVERY = 0.02, 2.0
_FAILED, _NOT_CONNECTED = 1, 255
"""What kubectl and ssh return when it is not the command that failed."""


class UnreachedError(Exception):
    """The container cannot be reached; the text is a sentence for people."""


def main(program: str, *words: str) -> int:
    """Runs as one of the programs that it stands in for, and returns the exit code."""
    folder = NodeFolder(os.environ.get(FOLDER_VARIABLE, ""))
    namespace = os.environ.get(NAMESPACE_VARIABLE, "default")
    try:
        return _kubectl(folder, namespace, words) if program == "kubectl" else _ssh(folder, namespace, words)
    except UnreachedError as error:
        _tell(str(error))
        return _FAILED if program == "kubectl" else _NOT_CONNECTED


def _kubectl(folder: NodeFolder, namespace: str, words: Sequence[str]) -> int:
    order = kubectl_order(words)
    if order is None:
        _become_real(folder, "kubectl", words, "only `exec` is understood here")
    where = order.namespace or namespace
    what = f"container {order.container} of pod {order.target}" if order.container else f"pod {order.target}"
    pods = PodsOnDisk(folder)
    return _run(
        what,
        lambda: running_container(folder, pods_named(pods.look(), where, order.target), order.container),
        order.command,
    )


def _ssh(folder: NodeFolder, namespace: str, words: Sequence[str]) -> int:
    order = ssh_order(words)
    if order is None:
        _become_real(folder, "ssh", words, "no host is named")
    host, pods = parsed_host(order.target), PodsOnDisk(folder)
    if not (_is_of_job(host.host) or pods_at(pods.look(), namespace, host)):
        _become_real(folder, "ssh", words, f"no pod of this node is called {order.target}")
    if not order.reads_input:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    shell = _shell()
    command = (shell, "-c", " ".join(order.command)) if order.command else (shell,)
    return _run(
        f"pod {order.target}", lambda: running_container(folder, pods_at(pods.look(), namespace, host)), command
    )


def _is_of_job(host: str) -> bool:
    """Tells whether a host stands in the host file of the job; launchers may leave its domain out."""
    try:
        with open(os.environ.get(HOSTS_VARIABLE, ""), encoding="utf-8") as file:
            return host in {parsed_host(one).host for one in hosts_in(file.read())}
    except OSError:
        return False


def _run(what: str, find: Callable[[], Run | None], argv: Sequence[str]) -> int:
    """Runs a command in a container as soon as that runs, and returns its exit code."""
    patience = float(os.environ.get(PATIENCE_VARIABLE) or _PATIENCE)
    started, pause, was_told = time.monotonic(), _LOOK_EVERY, False
    while (waited := time.monotonic() - started) < patience:
        code = _tried(find(), argv)
        if code is not None:
            return code
        if waited > _TELL_AFTER and not was_told:
            was_told = True
            _tell(f"waiting until {what} runs")
        time.sleep(pause)
        pause = min(pause * 1.2, _LOOK_AT_LEAST_EVERY)
    raise UnreachedError(f"{what} does not run after {patience:g} s")


def _tried(run: Run | None, argv: Sequence[str]) -> int | None:
    """Returns the exit code of the command; None when there is nobody yet who could run it."""
    if run is None:
        return None
    if is_door(run.argv):
        connection = knock(run.folder)
        return None if connection is None else run_behind(connection, argv)
    try:
        become(run.folder, argv)
    except StartRefusedError as refusal:
        raise UnreachedError(refusal.message) from refusal


def _shell() -> str:
    """Returns the shell of the far side: launchers write for the one that their user has, in one of two grammars."""
    own = pwd.getpwuid(os.getuid()).pw_shell
    return own if os.path.basename(own) in ("csh", "tcsh") else "/bin/sh"


def _become_real(folder: NodeFolder, program: str, words: Sequence[str], why: str) -> NoReturn:
    """Becomes the program of this name that comes after the stand-ins in PATH."""
    ours = os.path.realpath(folder.stand_ins)
    for place in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(place, program)
        if os.path.realpath(place) != ours and os.access(path, os.X_OK):
            os.execv(path, [program, *words])  # noqa: S606 - no shell
    raise UnreachedError(f"{why}, and there is no other {program}")


def _tell(sentence: str) -> None:
    sys.stderr.write(f"corral: {sentence}\n")
    sys.stderr.flush()
