"""Turns a forked child of this process into another program, and brings back why that failed.

Between fork and exec only calls to the operating system are made: the child has the memory of an event loop whose other
threads are gone, so it may neither wait for a lock nor return into anything above it.
"""

import codecs
import errno
import fcntl
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn

from corral.engine.node.containers.launch import StartRefusedError

# Loaded now: in the child a mount may hide where they would be loaded from.
for _name in ("ascii", "utf-8"):
    codecs.lookup(_name)

ABOVE = 64
"""Handles are moved up here first, so that putting one into its place never overwrites another."""
_SIGNALS = range(1, 32)
_LONGEST_MESSAGE = 4000
_LONGEST_TEXT = 32 * os.sysconf("SC_PAGE_SIZE") - 1
"""What the kernel takes for one argument or variable."""
START_SECONDS = 10.0
"""How long a child may take to become a program: it may touch a disk that does not answer, and everybody waits for it."""
_LAST_BREATH = 1.0


class Program(NamedTuple):
    """What the child becomes."""

    path: bytes
    argv: tuple[bytes, ...]
    env: Mapping[bytes, bytes]


def fork_into(
    prepare: Callable[[], Program],
    handles: tuple[int, ...],
    kept: int | None = None,
    patience: float = START_SECONDS,
) -> int:
    """Starts a program in a session of its own, with `handles` as its files 0, 1, 2..., and returns its pid.

    `prepare` is called in the child and says which program; what it raises (an OSError or a refusal) ends the child and
    is raised here as a refusal; so does taking longer than `patience` seconds. Of the handles the program inherits the
    first `kept`, or all. Signals wait meanwhile: one that reached the child while it still has our handlers would be lost.
    """
    listening, telling = os.pipe()
    changed = changed_signals()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, changed)
    try:
        pid = _fork()
        if pid == 0:
            _become(prepare, (*handles, telling), changed, len(handles) if kept is None else kept)
    except OSError as error:
        os.close(listening)
        raise no_process(error.strerror) from error
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(telling)
    try:
        told = _answer(listening, patience)
    finally:
        os.close(listening)
    if told is None:
        _give_up(pid)
        message = (
            f"the process did not become a program in {patience:g} s: a file or folder that it needs does not answer"
        )
        raise StartRefusedError("CreateContainerError", message)
    if told:
        os.waitpid(pid, 0)
        reason, _, message = told.decode(errors="replace").partition("\n")
        raise StartRefusedError(reason, message)
    return pid


def changed_signals() -> list[int]:
    """Returns the signals that this process does not treat as a program finds them."""
    return [number for number in _SIGNALS if signal.getsignal(number) not in (signal.SIG_DFL, None)]


def no_process(why: str | None) -> StartRefusedError:
    """Returns the refusal of a machine that has no room for another process."""
    return StartRefusedError("CreateContainerError", f"no process can be started: {why}")


def exec_problem(error: OSError) -> str:
    """Says why the system did not take a command."""
    why = (error.strerror or str(error)).lower()
    if error.errno == errno.E2BIG:
        why += f" (one argument or variable may have {_LONGEST_TEXT} bytes, all together {os.sysconf('SC_ARG_MAX')})"
    return f"cannot run the command: {why}"


def _answer(listening: int, patience: float) -> bytes | None:
    """Returns what the child says before its end of the pipe closes, nothing when it became a program; None if it hangs."""
    told, deadline = b"", time.monotonic() + patience
    # Not `select`, which knows no handles above 1023.
    poll = select.poll()
    poll.register(listening, select.POLLIN)
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        part = os.read(listening, _LONGEST_MESSAGE)
        if not part:
            return told
        told += part
    return None


def _give_up(pid: int) -> None:
    """Kills a child that hangs; one that cannot even be killed now ends, unreaped, as soon as the kernel lets go of it."""
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + _LAST_BREATH
    while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.002)


def _fork() -> int:
    # Python warns when there are other threads; the child takes care not to need any of them.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _become(prepare: Callable[[], Program], handles: tuple[int, ...], changed: list[int], kept: int) -> NoReturn:
    # Whatever goes wrong, this process must never return into the event loop of its parent.
    telling, told, program = handles[-1], b"", None
    try:
        signal.set_wakeup_fd(-1)
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.setsid()
        telling = _arrange(handles, kept)
        program = prepare()
        os.execve(program.path, program.argv, program.env)  # noqa: S606 - no shell
    except StartRefusedError as refusal:
        told = f"{refusal.reason}\n{refusal.message}".encode()
    except OSError as error:
        # Names of drafts differ from try to try, and a refusal that differs would be told each time.
        why = error.strerror or str(error)
        told = (
            f"CreateContainerError\ncannot prepare the run: {why}"
            if program is None
            else f"StartError\n{exec_problem(error)}"
        ).encode()
    finally:
        told = told or f"StartError\nthe process failed before it became a program: {sys.exc_info()[1]!r}".encode()
        os.write(telling, told[:_LONGEST_MESSAGE])
        os._exit(127)


def _arrange(handles: tuple[int, ...], kept: int) -> int:
    """Moves handles to 0, 1, 2..., closes all others, and returns the place of the last; a program inherits those kept."""
    raised = [fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, ABOVE) for handle in handles]
    last = len(raised) - 1
    for place, handle in enumerate(raised):
        os.dup2(handle, place, inheritable=place < kept)
    os.closerange(len(raised), os.sysconf("SC_OPEN_MAX"))
    return last
