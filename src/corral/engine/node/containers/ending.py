"""Ends what a container started, all of it, and says how it ended.

The polite signal goes to the program alone, as it does to the first process of a container. Killing goes to everything:
the group of the holder, the control group, what joined later, and every process that carries the mark of the run in its
environment, wherever it put itself. Nobody else is ever signalled: a pid counts only together with its start mark.
"""

import math
import os
import signal
import time

from corral.engine.node.containers.memory_limits import keep_evidence
from corral.engine.node.containers.record import (
    KILLED,
    MARK,
    Ending,
    Run,
    execs_path,
    mount_points_path,
    read_ending,
    settled_path,
    write_ending,
)
from corral.engine.node.machine.control_groups import members, remove_groups
from corral.engine.node.machine.mount_points import remove_unused
from corral.engine.node.machine.processes import (
    Entry,
    boot_time,
    carries,
    children_of,
    command_line,
    identities,
    is_unreaped,
    process_table,
    reap,
)
from corral.engine.supervisor.home import note, read_text
from corral.engine.supervisor.host import ProcessIdentity

_PATIENCE = 5.0
_BIRTH = 1.0
"""How long a signal waits for the holder to start its program."""


def ending_of(run: Run) -> Ending | None:
    """Returns how a run ended, None while it goes on. The first to ask also clears away whatever the run left."""
    if run.is_running():
        return None
    if not os.path.exists(settled_path(run.folder)):
        settle(run)
    return read_ending(run.folder) or Ending(KILLED, time.time())


def settle(run: Run) -> bool:
    """Clears away what an ended run left: processes, control groups, mount points; False when some of it stays.

    A holder that is gone without a word was killed, or the machine went down: the run counts as killed (137) from now on.
    """
    is_quiet = kill_everything(run, patience=1.0)
    if read_ending(run.folder) is None:
        write_ending(run.folder, KILLED)
    is_kept = keep_evidence(run)
    remove_unused(read_text(mount_points_path(run.folder)).splitlines())
    reap(run.holder)
    is_settled = is_kept and remove_groups(run.groups) and is_quiet
    return is_settled and _is_noted(settled_path(run.folder))


def signal_program(run: Run, number: int) -> bool:
    """Sends a signal to the program and not to its holder; False when there is nothing left to signal."""
    deadline = time.monotonic() + _BIRTH
    while run.is_running():
        programs = _programs(run)
        if programs:
            return sum(program.send(number) for program in programs) > 0
        if time.monotonic() > deadline:
            return run.holder.send_group(number)
        time.sleep(0.001)
    return False


def kill_everything(run: Run, patience: float = _PATIENCE) -> bool:
    """Kills every process of a run, again until none is left; False when some survive `patience` seconds."""
    deadline = time.monotonic() + patience
    pause = 0.001
    while found := processes_of(run):
        for process in found:
            process.send(signal.SIGKILL)
        if time.monotonic() > deadline:
            return False
        found[0].wait_gone(pause)
        pause = min(pause * 2, 0.1)
    return True


def is_anything_left(run: Run) -> bool:
    """Tells whether any process of a run is still there."""
    return bool(processes_of(run))


def processes_of(run: Run) -> list[ProcessIdentity]:
    """Returns every process of a run, the holder first."""
    found = dict.fromkeys([run.holder, *joined(run)])
    # Nothing leaves a control group by itself; without one, the whole process table has to be looked through.
    found.update(dict.fromkeys(identities(members(run.groups) or ()) if run.groups else _scanned(run)))
    return [process for process in found if process.is_alive()]


def joined(run: Run) -> list[ProcessIdentity]:
    """Returns the processes that joined a run later and still run; forgets the others."""
    folder = execs_path(run.folder)
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        pid, _, start = read_text(path).strip().partition(" ")
        if pid.isdigit() and ProcessIdentity(int(pid), start).is_alive():
            found.append(ProcessIdentity(int(pid), start))
        elif name.isdigit():
            # Others are just being written.
            _remove(path)
    return found


def _is_noted(path: str) -> bool:
    try:
        note(path, "")
    except OSError:
        # On a full disk it is cleared away again the next time, which does no harm.
        return False
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        # Its own parent forgot it in this moment.
        return


def _programs(run: Run) -> list[ProcessIdentity]:
    """Returns the children of the holder that have become programs.

    Before that a child is a copy of the shell, with the shell's handlers, and a signal sent to it would be lost.
    """
    shell = command_line(run.holder.pid)
    return identities(pid for pid in children_of(run.holder.pid) if not shell or command_line(pid) != shell)


def _scanned(run: Run) -> list[ProcessIdentity]:
    """Looks through all processes of the machine for those of a run."""
    if run.holder.pid <= 0 or not run.holder.start:
        return []
    table = [entry for entry in process_table() if entry.pid != os.getpid()]
    latest = _latest_birth(run, table)
    mark = f"{MARK}={run.owner}".encode()
    return identities(
        entry.pid
        for entry in table
        if not entry.is_zombie
        and ((entry.started <= latest and run.holder.pid in (entry.session, entry.group)) or carries(entry.pid, mark))
    )


def _latest_birth(run: Run, table: list[Entry]) -> float:
    """Returns until when a process that is in the group of the holder must have been born to be one of its own.

    As long as the holder exists, even as a zombie, nobody else can have its pid. Later a stranger may lead a group of
    that number, but only one who was born after the holder ended; when that was is known if it wrote its exit code.
    """
    leader = next((entry for entry in table if entry.pid == run.holder.pid), None)
    if leader is not None:
        is_ours = run.is_running() or is_unreaped(run.holder)
        return math.inf if is_ours else -math.inf
    ending = read_ending(run.folder)
    return -math.inf if ending is None else ending.finished_at - boot_time()
