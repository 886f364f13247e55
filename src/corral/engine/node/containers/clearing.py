"""Ends the containers of a node by what is on disk alone, whether or not the node still runs.

`corral down` clears a whole node; a node that starts clears what is left of pods that no longer exist.
"""

import os
import signal
import time
from collections.abc import Iterator

from corral.engine.node.containers.ending import ending_of, kill_everything, signal_program
from corral.engine.node.containers.group_names import node_name
from corral.engine.node.containers.record import Run, adopt, settled_path
from corral.engine.node.folder import NodeFolder
from corral.engine.node.machine.control_groups import remove_node


def end_all(root: NodeFolder, grace_seconds: float) -> list[str]:
    """Ends every container of a node: asks, waits, kills; returns the owners of those that still ran, sorted."""
    ended = end_runs(list(runs_of(root)), grace_seconds)
    # Any run folder of the node tells its name.
    remove_node(node_name(root.run("any", "any", 0)))
    return ended


def end_pod(root: NodeFolder, uid: str, grace_seconds: float) -> list[str]:
    """Ends every container of one pod; returns the owners of those that still ran, sorted."""
    return end_runs(list(runs_of(root, uid)), grace_seconds)


def runs_of(root: NodeFolder, uid: str | None = None) -> Iterator[Run]:
    """Yields the recorded runs of one pod or of all pods of a node."""
    for pod in _entries(root.pods) if uid is None else [root.pod(uid)]:
        for container in _entries(os.path.join(pod, "containers")):
            for folder in _entries(container):
                run = adopt(folder)
                if run is not None:
                    yield run


def end_runs(runs: list[Run], grace_seconds: float) -> list[str]:
    """Ends runs all at once and clears away what they leave; returns the owners of those that still ran, sorted."""
    unsettled = [run for run in runs if not os.path.exists(settled_path(run.folder))]
    running = [run for run in unsettled if run.is_running()]
    for run in running if grace_seconds > 0 else ():
        signal_program(run, signal.SIGTERM)
    deadline = time.monotonic() + grace_seconds
    for run in running:
        run.holder.wait_gone(max(0.0, deadline - time.monotonic()))
    for run in unsettled:
        kill_everything(run)
        ending_of(run)
    return sorted(run.owner for run in running)


def _entries(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except (FileNotFoundError, NotADirectoryError):
        return []
