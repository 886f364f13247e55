"""Starts that failed. Commands that cannot become programs are told as runs that ended with 128, as container runtimes do.

So the restart policy counts for them, a job learns that its command is wrong, and nobody waits for what cannot come. What
the machine was in the way of is refused instead, and tried again, even when only the holder itself could find out.
"""

import os
import time

from corral.engine.node.containers.ending import ending_of
from corral.engine.node.containers.launch import START_ERROR, Launch, StartRefusedError
from corral.engine.node.containers.record import NEVER_STARTED, Run, exit_path, write_record
from corral.engine.node.containers.starting import forget, start
from corral.engine.small_files import note
from corral.engine.supervisor.host import ProcessIdentity


def start_or_fail(launch: Launch) -> Run:
    """Starts a run; a command that cannot run gives a run that has ended. Other refusals are raised, as `start` does."""
    try:
        return start(launch)
    except StartRefusedError as refusal:
        if refusal.reason != START_ERROR:
            raise
        return _failed(launch, refusal.message)


def take_back(run: Run) -> StartRefusedError | None:
    """Returns the refusal of a run whose holder was not let in where it has to be, and forgets the run; else None."""
    ending = ending_of(run)
    if ending is None or not ending.is_refusal:
        return None
    forget(run)
    return StartRefusedError("CreateContainerError", ending.message)


def _failed(launch: Launch, message: str) -> Run:
    os.makedirs(launch.folder, mode=0o700, exist_ok=True)
    nobody = ProcessIdentity(0, "")
    workdir = launch.workdir or "/"
    run = Run(launch.folder, nobody, launch.owner, time.time(), launch.argv, workdir, streak=launch.streak)
    # The end comes first: a record alone would tell of a run that was killed.
    note(exit_path(launch.folder), f"{NEVER_STARTED}\n{message}\n")
    write_record(run)
    return run
