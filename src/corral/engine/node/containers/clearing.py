"""Ends the containers of a node by what is on disk alone, whether or not the node still runs.

`corral down` clears a whole node; a node that starts clears what is left of pods that no longer exist.
"""

import os
import signal
import time
from collections.abc import Iterator
from typing import NamedTuple

from corral.engine.node.containers.ending import BRIEFLY, kill_all, settle, signal_program
from corral.engine.node.containers.group_names import node_name
from corral.engine.node.containers.record import Run, adopt, settled_path
from corral.engine.node.folder import NodeFolder
from corral.engine.node.machine.control_groups import remove_node
from corral.errors import RetryError

PATIENCE = 5.0
"""How long those who may take their time wait until what they killed is gone."""
_BIRTH = 1.0
_SHOWN = 5


class Ended(NamedTuple):
    """What became of runs that were ended."""

    ended: tuple[str, ...] = ()
    """The owners of those that still ran, sorted."""
    survivors: tuple[str, ...] = ()
    """Processes that could not be killed, each with the run that it belongs to; their records have to stay."""

    def refuse_survivors(self) -> None:
        """Raises RetryError when a process is left."""
        if not self.survivors:
            return
        more = len(self.survivors) - _SHOWN
        shown = ", ".join(self.survivors[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
        hint = "it belongs to another user, or waits for a disk that does not answer"
        raise RetryError("processes-left", f"{shown} cannot be killed", hint=hint)


def end_all(root: NodeFolder, grace_seconds: float, patience: float = PATIENCE) -> Ended:
    """Ends every container of a node: asks, waits, kills, and waits again until everything is gone."""
    ended = end_runs(list(runs_of(root)), grace_seconds, patience)
    # Any run folder of the node tells its name.
    remove_node(node_name(root.run("any", "any", 0)))
    return ended


def end_pod(root: NodeFolder, uid: str, grace_seconds: float, patience: float = BRIEFLY) -> Ended:
    """Ends every container of one pod; what survives the short patience may be gone at the next try."""
    return end_runs(list(runs_of(root, uid)), grace_seconds, patience)


def runs_of(root: NodeFolder, uid: str | None = None) -> Iterator[Run]:
    """Yields the recorded runs of one pod or of all pods of a node."""
    for pod in _entries(root.pods) if uid is None else [root.pod(uid)]:
        for container in _entries(os.path.join(pod, "containers")):
            for folder in _entries(container):
                run = adopt(folder)
                if run is not None:
                    yield run


def end_runs(runs: list[Run], grace_seconds: float, patience: float = BRIEFLY) -> Ended:
    """Ends runs all at once and clears away what they leave."""
    unsettled = [run for run in runs if not os.path.exists(settled_path(run.folder))]
    running = [run for run in unsettled if run.is_running()]
    for run in running if grace_seconds > 0 else ():
        signal_program(run, signal.SIGTERM, _BIRTH)
    deadline = time.monotonic() + grace_seconds
    for run in running:
        run.holder.wait_gone(max(0.0, deadline - time.monotonic()))
    left = kill_all(unsettled, patience)
    alive = {run.folder for run, _ in left}
    for run in unsettled:
        if run.folder not in alive:
            settle(run, patience)
    survivors = tuple(f"process {process.pid} of {run.owner}" for run, process in left)
    return Ended(tuple(sorted(run.owner for run in running)), survivors)


def _entries(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except (FileNotFoundError, NotADirectoryError):
        return []
