"""Starts the holder of a run without a copy of this process: a shell is spawned at once, and waits at a gate.

While it waits it is put onto its processors and recorded; then the gate opens, and it goes into its control groups by
itself, which costs it less than us. Should this process die before that, the gate closes for good, and the shell takes back
the record and ends: whoever clears up finds a record, or no process. It costs a third of a fork of an event loop. What must
be done inside of the child, which is mounts and variables that shells drop, needs `forking`.
"""

import errno
import fcntl
import os
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from corral.engine.node.containers.forking import ABOVE, START_SECONDS, changed_signals, exec_problem, no_process
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.machine.open_files import as_word
from corral.engine.supervisor.host import IS_LINUX

GATE = """read -r corral_gate <&4 || exec /bin/rm -f -- "$3"
exec 4<&-
umask 022
cd -P -- "$1" || { echo "cannot work in $1"; echo 126 >&3; exit 126; }
export "$2"
[ -z "$4" ] || ulimit -S -n "$4"
unset PWD OLDPWD corral_gate
shift 4
while [ -n "$1" ]; do
    echo 0 >"$1" || { echo 128 refused; echo "cannot join the control group $1"; exit 128; } >&3
    shift
done
shift
"""
"""What a holder does before it holds.

Its first words are the folder to work in, its mark, its record, how many files it may have open, and the doors of its
control groups up to an empty word.
"""

_TAKEN_BY_THE_GATE = {b"PWD", b"OLDPWD", b"corral_gate"}


class Waiting(NamedTuple):
    """What a shell at the gate is to become."""

    script: str
    """What follows the gate, with the words of the command as its arguments."""
    argv: tuple[str, ...]
    env: Mapping[bytes, bytes]
    workdir: str
    mark: str
    """The assignment by which every process of the run is known."""
    record: str
    open_files: int | None
    doors: tuple[str, ...]
    """The files by which it joins its control groups."""
    handles: tuple[int, ...]
    """Its files 0 to 3."""


def can_wait_at_a_gate(env: Mapping[bytes, bytes]) -> bool:
    """Tells whether the gate leaves these variables as they are."""
    return IS_LINUX and not _TAKEN_BY_THE_GATE & env.keys()


def in_time(find: Callable[[], str]) -> str:
    """Returns what `find` finds on the disk; refuses when that takes too long, since everybody waits for it."""
    found: list[str | BaseException] = []

    def look() -> None:
        try:
            found.append(find())
        except BaseException as error:  # noqa: BLE001 - raised below, where somebody waits for it
            found.append(error)

    finder = threading.Thread(target=look, name="find-program", daemon=True)
    try:
        finder.start()
    except RuntimeError as error:
        raise no_process(str(error)) from error
    finder.join(START_SECONDS)
    if not found:
        message = f"nothing was found in {START_SECONDS:g} s: a file or folder that it needs does not answer"
        raise StartRefusedError("CreateContainerError", message)
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def start_through_gate(waiting: Waiting, prepare: Callable[[int], None]) -> int:
    """Spawns a shell, calls `prepare` with its pid, lets it go on and returns the pid; what `prepare` raises ends it."""
    entry, exit_ = os.pipe()
    try:
        pid = _spawned(waiting, entry)
    except OSError as error:
        os.close(exit_)
        # The program is always the shell, so only the length of its words is a fault of the command.
        if error.errno == errno.E2BIG:
            raise StartRefusedError("StartError", exec_problem(error)) from error
        raise no_process(error.strerror) from error
    finally:
        os.close(entry)
    try:
        prepare(pid)
        os.write(exit_, b"\n")
    except BaseException:
        # Without a word from here the shell ends by itself; it has run nothing.
        os.close(exit_)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
        raise
    os.close(exit_)
    return pid


def _spawned(waiting: Waiting, entry: int) -> int:
    # Moved up first, so that putting one into its place never overwrites another.
    raised: list[int] = []
    first = (waiting.workdir, waiting.mark, waiting.record, as_word(waiting.open_files), *waiting.doors, "")
    words = ("sh", "-c", GATE + waiting.script, "sh", *first, *waiting.argv)
    try:
        for handle in (*waiting.handles, entry):
            raised += [fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, ABOVE)]
        actions = [
            *((os.POSIX_SPAWN_DUP2, handle, place) for place, handle in enumerate(raised)),
            *((os.POSIX_SPAWN_CLOSE, handle) for handle in _inheritable() if handle >= len(raised)),
        ]
        return os.posix_spawn(
            "/bin/sh",
            words,
            waiting.env,
            file_actions=actions,
            setsid=True,
            setsigmask=[],
            setsigdef=[signal.Signals(number) for number in changed_signals()],
        )
    finally:
        for handle in raised:
            os.close(handle)


def _inheritable() -> list[int]:
    """Returns the files of this process that a program would find open: those that came from whoever started us."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the list itself was one of them
            if os.get_inheritable(int(name)):
                found.append(int(name))
    return found
