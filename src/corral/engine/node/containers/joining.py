"""Runs a command inside a running container: exec, hooks, probes, and the agents of MPI.

It needs nothing but the folder of the run, so any process of the user may do it. What joins is recorded before it becomes a
program and carries the mark of the container, and therefore ends with the container, at the latest.
"""

import fcntl
import os
import signal
import termios
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from corral.engine.node.containers.forking import Program, fork_into
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.containers.programs import check_texts, find_program
from corral.engine.node.containers.record import Run, adopt, execs_path, read_environment
from corral.engine.node.machine.control_groups import join_groups
from corral.engine.node.machine.open_files import limit_of, take_limit
from corral.engine.node.machine.system_calls import die_with_parent
from corral.engine.node.machine.views import View, enter_view, open_view
from corral.engine.small_files import note, read_text
from corral.engine.supervisor.host import ProcessIdentity, identity

NOT_RUNNING = "ContainerNotRunning"
"""The reason when there is no container to join."""


class Streams(NamedTuple):
    """The open files that a joined command reads and writes."""

    stdin: int
    stdout: int
    stderr: int
    is_terminal: bool = False
    """Whether they are a terminal that the command shall control."""


class Joined(NamedTuple):
    """A command that was started inside a container; the caller is its parent and waits for it."""

    process: ProcessIdentity
    record: str

    def kill(self) -> None:
        """Kills the command and what it started in its group."""
        self.process.send_group(signal.SIGKILL)

    def forget(self) -> None:
        """Removes the record of a command that has ended."""
        try:
            os.unlink(self.record)
        except FileNotFoundError:
            pass


def join(
    folder: str,
    argv: Sequence[str],
    streams: Streams,
    extra_env: Mapping[str, str] | None = None,
    ends_with_caller: bool = False,
) -> Joined:
    """Starts a command inside the running container of a run folder; refuses with a sentence when that cannot be."""
    run, env, view = _opened(folder, argv, extra_env or {})
    handles = (streams.stdin, streams.stdout, streams.stderr, *view.handles())

    def prepare() -> Program:
        if ends_with_caller:
            die_with_parent(signal.SIGKILL)
        if streams.is_terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        return _inside(run, view.moved_to(3), argv, env)

    try:
        pid = fork_into(prepare, handles, kept=3)
    finally:
        view.close()
    return Joined(_identity_of(folder, pid), _record_of(folder, pid))


def _identity_of(folder: str, pid: int) -> ProcessIdentity:
    # As the child wrote it: one that has ended already has no start mark any more, and its exit code would be lost.
    start = read_text(_record_of(folder, pid)).strip().partition(" ")[2]
    return ProcessIdentity(pid, start) if start else identity(pid)


def become(folder: str, argv: Sequence[str], extra_env: Mapping[str, str] | None = None) -> NoReturn:
    """Turns the calling process, which must have one thread only, into a command inside a running container.

    Its files, its parent and its pid stay what they are, so signals and the exit code need no passing on. Refuses with a
    sentence when that cannot be; the process should end then, because it may be half inside already.
    """
    run, env, view = _opened(folder, argv, extra_env or {})
    program = _inside(run, view, argv, env)
    # Interpreters ignore these, and what is ignored stays ignored in another program.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(program.path, program.argv, program.env)  # noqa: S606 - no shell
    except OSError as error:
        raise StartRefusedError("StartError", f"cannot start: {error}") from error


def _opened(folder: str, argv: Sequence[str], extra_env: Mapping[str, str]) -> tuple[Run, dict[bytes, bytes], View]:
    """Reads what is needed to join a run while the file system is still seen with our own eyes."""
    run = adopt(folder)
    if run is None or not run.is_running():
        raise StartRefusedError(NOT_RUNNING, "the container does not run")
    check_texts((*argv, *extra_env, *extra_env.values()))
    try:
        env = read_environment(folder)
        os.makedirs(execs_path(folder), mode=0o700, exist_ok=True)
        view = open_view(run.holder.pid)
    except OSError as error:
        raise StartRefusedError(NOT_RUNNING, f"the container cannot be entered: {error}") from error
    env.update({os.fsencode(name): os.fsencode(value) for name, value in extra_env.items()})
    return run, env, view


def _record_of(folder: str, pid: int) -> str:
    return os.path.join(execs_path(folder), str(pid))


def _inside(run: Run, view: View, argv: Sequence[str], env: Mapping[bytes, bytes]) -> Program:
    """Takes the calling process into a container and returns the program that it is to become there."""
    execs = os.open(execs_path(run.folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    _register(run)
    try:
        # Looked at after the record is there: whoever ends the container finds the record, or we find the end.
        if not run.is_running():
            raise StartRefusedError(NOT_RUNNING, "the container has ended")
        _enter(run, view)
        texts = {os.fsdecode(name): os.fsdecode(value) for name, value in env.items()}
        path = find_program(argv, texts, run.workdir)
    except StartRefusedError:
        # Through the open folder, because its path may mean something else by now.
        os.unlink(str(os.getpid()), dir_fd=execs)
        raise
    return Program(os.fsencode(path), tuple(os.fsencode(argument) for argument in argv), env)


def _register(run: Run) -> None:
    myself = identity(os.getpid())
    note(_record_of(run.folder, myself.pid), f"{myself.pid} {myself.start}\n")


def _enter(run: Run, view: View) -> None:
    # Asked now, while the holder is seen by our own number of it.
    open_files = limit_of(run.holder.pid)
    try:
        join_groups(run.groups)
        take_limit(open_files)
        enter_view(view)
        os.umask(0o022)
        os.chdir(run.workdir)
    except OSError as error:
        raise StartRefusedError("StartError", f"the container cannot be entered: {error}") from error
