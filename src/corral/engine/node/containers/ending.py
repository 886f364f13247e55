"""Ends what a container started, all of it, and says how it ended.

The polite signal goes to the program alone, as it does to the first process of a container. Killing goes to everything:
the group of the holder, the control group, what joined later, and every process that carries the mark of the run in its
environment, wherever it put itself. Nobody else is ever signalled: a pid counts only together with its start mark.
"""

import os
import signal
import time
from collections.abc import Sequence

from corral.engine.node.containers.census import Census
from corral.engine.node.containers.memory_limits import keep_evidence
from corral.engine.node.containers.record import (
    KILLED,
    Ending,
    Run,
    environment_path,
    execs_path,
    mount_points_path,
    read_ending,
    settled_path,
    write_ending,
)
from corral.engine.node.machine.control_groups import members, remove_groups
from corral.engine.node.machine.mount_points import remove_unused
from corral.engine.node.machine.processes import children_of, command_line, identities, reap
from corral.engine.small_files import note, read_text
from corral.engine.supervisor.host import ProcessIdentity

BRIEFLY = 0.1
"""How long those wait, unless they are told otherwise, who must not hold up an event loop; what is left is tried again."""


def ending_of(run: Run) -> Ending | None:
    """Returns how a run ended, None while it goes on. Whoever asks also clears away whatever the run left.

    What cannot be cleared away now does not change how it ended; it is tried again by the next who asks, and whoever removes
    the record has to make sure before (`end_pod`).
    """
    if run.is_running():
        return None
    if not os.path.exists(settled_path(run.folder)):
        settle(run)
    return read_ending(run.folder) or Ending(KILLED, time.time())


def settle(run: Run, patience: float = BRIEFLY) -> bool:
    """Clears away what an ended run left: processes, control groups, mount points; False when some of it stays.

    It waits at most `patience` seconds for the processes, and as long for the groups.

    A holder that is gone without a word was killed, or the machine went down: the run counts as killed (137) from now on.
    """
    is_quiet = kill_everything(run, patience)
    if read_ending(run.folder) is None:
        write_ending(run.folder, KILLED)
    is_kept = keep_evidence(run)
    remove_unused(read_text(mount_points_path(run.folder)).splitlines())
    reap(run.holder)
    is_settled = is_kept and remove_groups(run.groups, patience) and is_quiet
    return is_settled and _is_closed(run.folder)


def is_born(run: Run) -> bool:
    """Tells whether a signal would reach the program: the holder has started it, or everything is over."""
    return bool(_programs(run)) or not run.is_running()


def signal_program(run: Run, number: int, patience: float = BRIEFLY) -> bool:
    """Sends a signal to the program and not to its holder; False when there is nothing left to signal.

    A holder that has not started its program after `patience` seconds gets the signal instead, and loses it. Whoever has
    more time than may be spent here waits for `is_born` first.
    """
    deadline = time.monotonic() + patience
    while run.is_running():
        programs = _programs(run)
        if programs:
            return sum(program.send(number) for program in programs) > 0
        if time.monotonic() > deadline:
            return run.holder.send_group(number)
        time.sleep(0.001)
    return False


def kill_everything(run: Run, patience: float = BRIEFLY) -> bool:
    """Kills every process of a run, again until none is left; False when some survive `patience` seconds."""
    return not kill_all([run], patience)


def kill_all(runs: Sequence[Run], patience: float) -> list[tuple[Run, ProcessIdentity]]:
    """Kills every process of several runs, again until none is left; returns those that survive `patience` seconds."""
    deadline = time.monotonic() + patience
    pause = 0.001
    while found := _processes_of_all(runs):
        for _, process in found:
            process.send(signal.SIGKILL)
        left = deadline - time.monotonic()
        if left <= 0:
            break
        found[0][1].wait_gone(min(pause, left))
        pause = min(pause * 2, 0.1)
    return found


def processes_of(run: Run, census: Census | None = None) -> list[ProcessIdentity]:
    """Returns every process of a run, the holder first; as they are now, or were when a census was taken."""
    found = dict.fromkeys([run.holder, *joined(run)])
    # Nothing leaves a control group by itself; without one, the whole process table has to be looked through.
    found.update(
        dict.fromkeys(identities(members(run.groups) or ()) if run.groups else (census or Census()).processes_of(run))
    )
    return [process for process in found if process.is_alive()]


def _processes_of_all(runs: Sequence[Run]) -> list[tuple[Run, ProcessIdentity]]:
    census = Census()
    return [(run, process) for run in runs for process in processes_of(run, census)]


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


def _is_closed(folder: str) -> bool:
    """Notes that nothing is left; what the environment says, which may be secret, nobody needs any more."""
    try:
        _remove(environment_path(folder))
        note(settled_path(folder), "")
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
