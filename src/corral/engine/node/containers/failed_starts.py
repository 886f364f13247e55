"""Commands that cannot become programs: told as runs that ended with 128, as container runtimes tell them.

So the restart policy counts for them, a job learns that its command is wrong, and nobody waits for what cannot come.
"""

import os
import time

from corral.engine.node.containers.launch import Launch, StartRefusedError
from corral.engine.node.containers.record import Run, exit_path, write_record
from corral.engine.node.containers.starting import start
from corral.engine.small_files import note
from corral.engine.supervisor.host import ProcessIdentity

START_ERROR = "StartError"
"""The reason of a refusal that lies in the command itself."""
NEVER_STARTED = 128
"""The exit code of a run whose command could not become a program."""


def start_or_fail(launch: Launch) -> Run:
    """Starts a run; a command that cannot run gives a run that has ended. Other refusals are raised, as `start` does."""
    try:
        return start(launch)
    except StartRefusedError as refusal:
        if refusal.reason != START_ERROR:
            raise
        return _failed(launch, refusal.message)


def _failed(launch: Launch, message: str) -> Run:
    os.makedirs(launch.folder, mode=0o700, exist_ok=True)
    nobody = ProcessIdentity(0, "")
    workdir = launch.workdir or "/"
    run = Run(launch.folder, nobody, launch.owner, time.time(), launch.argv, workdir, streak=launch.streak)
    # The end comes first: a record alone would tell of a run that was killed.
    note(exit_path(launch.folder), f"{NEVER_STARTED}\n{message}\n")
    write_record(run)
    return run
