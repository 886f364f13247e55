"""Starts a container: a child becomes a shell that holds it, runs the command and writes down how it ended.

The holder is the witness. It leads the session and the process group, it catches signals without an action so that they
reach the program and not the witness, and it outlives the node. The command comes to it as arguments, never as text. What
it writes the exit code to is an open file, so no mount of the container can hide it.
"""

import errno
import os
import re
import sys
import time
from collections.abc import Mapping

from corral.engine.node.containers.forking import Program, fork_into
from corral.engine.node.containers.gated_start import Waiting, can_wait_at_a_gate, in_time, start_through_gate
from corral.engine.node.containers.group_names import group_name, node_name
from corral.engine.node.containers.launch import START_ERROR, Launch, StartRefusedError
from corral.engine.node.containers.programs import check_texts, find_program
from corral.engine.node.containers.record import (
    MARK,
    NEVER_STARTED,
    REFUSED,
    ROOM,
    Run,
    adopt,
    environment_path,
    exit_path,
    mount_points_path,
    record_path,
    settled_path,
    write_environment,
    write_record,
)
from corral.engine.node.machine import control_groups
from corral.engine.node.machine.mount_points import remove_unused
from corral.engine.node.machine.mounts import MountRefusedError, Plan, enter, needs_user_namespace, own_places
from corral.engine.node.machine.open_files import take_limit
from corral.engine.small_files import open_plain, read_text
from corral.engine.supervisor.host import ProcessIdentity, identity

HOLDER = """trap : HUP INT QUIT ABRT ALRM TERM USR1 USR2 PIPE
(exec "$@" 2>&1 3>&-)
code=$?
echo "$code" >&3
exit "$code"
"""
"""The constant script of the holder; its own standard error leads nowhere, so a shell's remarks stay out of the log."""

RESTORER = """
import os, sys
with os.fdopen(4, "rb") as file:
    pairs = [entry.partition(b"=") for entry in file.read().split(b"\\0") if entry]
os.execve(sys.argv[1], sys.argv[1:], {name: value for name, _, value in pairs})
"""
"""Gives a program variables that shells drop or change: only such a start pays for an interpreter in between."""

_KEPT_BY_SHELLS = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_CHANGED_BY_SHELLS = {b"IFS", b"OPTIND", b"PPID", b"LINENO", b"SHELLOPTS", b"BASHOPTS", b"UID", b"EUID", b"GROUPS"}


def start(launch: Launch) -> Run:
    """Starts one run of a container and returns it; a run that was started in this folder before is returned as it is.

    Raises StartRefusedError when it cannot be started; nothing is left of it then.
    """
    known = adopt(launch.folder)
    if known is not None:
        return known
    check_texts((*launch.argv, *launch.env, *launch.env.values(), launch.workdir))
    env = {os.fsencode(name): os.fsencode(value) for name, value in launch.env.items()}
    env[MARK.encode()] = os.fsencode(launch.owner)
    try:
        mounts = _mount_plan(launch)
        handles = _open_files(launch, env)
    except OSError as error:
        raise StartRefusedError("CreateContainerError", f"cannot prepare the run: {error}") from error
    draft = _drafted(launch)
    try:
        if mounts is None and keeps_through_a_shell(env) and can_wait_at_a_gate(env):
            pid = _start_outside(launch, draft, env, handles)
        else:
            pid = _start_inside(launch, draft, mounts, env, handles)
    except OSError as error:
        forget(draft)
        raise StartRefusedError("CreateContainerError", f"cannot prepare the run: {error.strerror}") from error
    except BaseException:
        forget(draft)
        raise
    finally:
        for handle in set(handles):
            os.close(handle)
    # As it was recorded: one that has ended already has no start mark any more.
    return adopt(launch.folder) or draft._replace(holder=identity(pid))


def keeps_through_a_shell(env: Mapping[bytes, bytes]) -> bool:
    """Tells whether a shell hands on all these variables unchanged; it drops names such as `my.name`."""
    return all(_KEPT_BY_SHELLS.fullmatch(name) and name not in _CHANGED_BY_SHELLS for name in env)


def _drafted(launch: Launch) -> Run:
    memory = launch.limits.memory_bytes
    return Run(
        folder=launch.folder,
        holder=ProcessIdentity(0, ""),
        owner=launch.owner,
        started_at=time.time(),
        argv=launch.argv,
        workdir=launch.workdir or "/",
        groups=control_groups.make_groups(node_name(launch.folder), group_name(launch.owner), memory),
        memory_bytes=memory,
        cpus=launch.limits.cpus,
        ports=launch.ports,
        streak=launch.streak,
    )


def _mount_plan(launch: Launch) -> Plan | None:
    if not launch.mounts:
        return None
    staging = os.path.join(launch.folder, "root")
    os.makedirs(staging, mode=0o700, exist_ok=True)
    return Plan(launch.mounts, own_places(), staging, mount_points_path(launch.folder), needs_user_namespace())


def _open_files(launch: Launch, env: dict[bytes, bytes]) -> tuple[int, ...]:
    """Opens what the holder gets: nothing to read, the log, nowhere, the exit file, and the environment."""
    os.makedirs(launch.folder, mode=0o700, exist_ok=True)
    os.makedirs(os.path.dirname(launch.log), mode=0o700, exist_ok=True)
    write_environment(launch.folder, env)
    opened: list[int] = []
    try:
        opened.append(os.open(os.devnull, os.O_RDWR))
        opened.append(open_plain(launch.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT))
        opened.append(opened[0])
        opened.append(open_plain(exit_path(launch.folder), os.O_RDWR | os.O_CREAT | os.O_TRUNC))
        os.pwrite(opened[3], ROOM.encode(), 0)
        opened.append(open_plain(environment_path(launch.folder)))
    except OSError:
        for handle in set(opened):
            os.close(handle)
        raise
    return tuple(opened)


def _start_outside(launch: Launch, draft: Run, env: Mapping[bytes, bytes], handles: tuple[int, ...]) -> int:
    """Starts a run of which everything can be prepared from here."""
    path = in_time(lambda: _program(launch, draft))
    waiting = Waiting(
        script=HOLDER,
        argv=(path, *launch.argv[1:]),
        env={name: value for name, value in env.items() if name != MARK.encode()},
        workdir=draft.workdir,
        mark=f"{MARK}={launch.owner}",
        record=record_path(launch.folder),
        open_files=launch.limits.open_files,
        doors=tuple(control_groups.door_of(group) for group in draft.groups),
        handles=handles[:4],
    )

    def prepare(pid: int) -> None:
        _bind(launch, pid)
        write_record(draft._replace(holder=identity(pid)))

    return start_through_gate(waiting, prepare)


def _program(launch: Launch, draft: Run) -> str:
    try:
        os.close(os.open(draft.workdir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        if not os.access(draft.workdir, os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise StartRefusedError("CreateContainerError", _no_workdir(draft, error)) from error
    return find_program(launch.argv, launch.env, launch.workdir)


def _no_workdir(draft: Run, error: OSError) -> str:
    return f"cannot work in {draft.workdir!r} (workingDir): {error.strerror}"


def _start_inside(
    launch: Launch, draft: Run, mounts: Plan | None, env: Mapping[bytes, bytes], handles: tuple[int, ...]
) -> int:
    """Starts a run that is prepared by its own process, which alone can have mounts of its own."""
    starter = os.getpid()
    kept = handles[:4] if keeps_through_a_shell(env) else handles
    return fork_into(lambda: _prepare(launch, draft, mounts, env, starter), kept)


def _prepare(launch: Launch, draft: Run, mounts: Plan | None, env: Mapping[bytes, bytes], starter: int) -> Program:
    """Runs in the child: notes who it is, then takes on everything that the program shall find."""
    _record_unless_orphaned(draft, starter)
    try:
        _confine(launch, draft)
        _settle_in(draft, mounts)
        path = find_program(launch.argv, launch.env, launch.workdir)
    except StartRefusedError as refusal:
        # For a node that was killed meanwhile: its successor finds a run that never started, not one that vanished.
        word = "" if refusal.reason == START_ERROR else f" {REFUSED}"
        os.pwrite(3, f"{NEVER_STARTED}{word}\n{refusal.message}\n".encode(errors="replace"), 0)
        raise
    argv = tuple(os.fsencode(argument) for argument in (path, *launch.argv[1:]))
    if not keeps_through_a_shell(env):
        argv = (os.fsencode(sys.executable), b"-I", b"-S", b"-c", RESTORER.encode(), *argv)
    return Program(b"/bin/sh", (b"sh", b"-c", HOLDER.encode(), b"sh", *argv), env)


def _record_unless_orphaned(draft: Run, starter: int) -> None:
    """Writes the record while the starter lives: whoever clears up after it has died finds the record, or no process."""
    if os.getppid() == starter:
        write_record(draft._replace(holder=identity(os.getpid())))
        if os.getppid() == starter:
            return
        os.unlink(record_path(draft.folder))
    raise StartRefusedError("StartError", "the node ended while it started this container")


def _confine(launch: Launch, draft: Run) -> None:
    """Limits what the calling process and all that it starts may use."""
    try:
        control_groups.join_groups(draft.groups)
    except OSError as error:
        message = f"cannot join its control groups: {error.strerror}"
        raise StartRefusedError("CreateContainerError", message) from error
    take_limit(launch.limits.open_files)
    _bind(launch, 0)


def _bind(launch: Launch, pid: int) -> None:
    """Binds a process (0 is the calling one) and all that it starts to the processors of its limit."""
    if not launch.limits.cpus or not hasattr(os, "sched_setaffinity"):
        return
    try:
        os.sched_setaffinity(pid, launch.limits.cpus)
    except OSError as error:
        message = f"cannot run on processors {launch.limits.cpus}: {error.strerror}"
        raise StartRefusedError("CreateContainerError", message) from error


def _settle_in(draft: Run, mounts: Plan | None) -> None:
    """Gives the calling process the files of the container, and the folder to work in."""
    try:
        if mounts is not None:
            enter(mounts)
    except MountRefusedError as error:
        raise StartRefusedError("CreateContainerError", str(error)) from error
    except OSError as error:
        raise StartRefusedError("CreateContainerError", f"cannot mount its volumes: {error.strerror}") from error
    os.umask(0o022)
    try:
        os.chdir(draft.workdir)
    except OSError as error:
        raise StartRefusedError("CreateContainerError", _no_workdir(draft, error)) from error


def forget(draft: Run) -> None:
    """Removes everything that was made for a run that never began, so that it can be started anew."""
    control_groups.remove_groups(draft.groups)
    remove_unused(read_text(mount_points_path(draft.folder)).splitlines())
    for path in (record_path, exit_path, environment_path, mount_points_path, settled_path):
        try:
            os.unlink(path(draft.folder))
        except FileNotFoundError:
            pass
