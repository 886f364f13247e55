"""Whose folder a node's folder is: one process at a time, and one cluster for good.

Two nodes in one folder would each take the pods of the other for strangers and end them. The kernel's lock keeps out a second
process; the identity of the cluster, written at the first start, keeps out a second cluster.
"""

import os
import time

from corral.engine.node.folder import NodeFolder
from corral.engine.small_files import note, read_text
from corral.engine.supervisor.locking import HeldLock, try_take
from corral.errors import PermanentError
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE
from corral.ports.object_store import ObjectReader
from corral.ports.refusals import ForbiddenError

_SYSTEM = ObjectKey("", "kube-system")
"""The namespace whose uid stands for the cluster: every one has it, and nobody makes it twice."""

_PATIENCE = 5.0


def hold(folder: NodeFolder) -> HeldLock:
    """Takes the folder until the end of this process; refuses when another node has it.

    One that was just killed may have left a child that holds it for another moment.
    """
    deadline = time.monotonic() + _PATIENCE
    while (lock := try_take(os.path.join(folder.root, "lock"))) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    if lock is None:
        message = f"another node keeps its pods in {folder.root}"
        raise PermanentError("node-folder-taken", message, hint="end that one, or give --folder another place")
    return lock


async def refuse_other_cluster(folder: NodeFolder, reader: ObjectReader, server: str) -> None:
    """Refuses a folder that holds the pods of another cluster; a folder without an owner gets this one."""
    path = os.path.join(folder.root, "cluster")
    try:
        ours = str((await reader.get(NAMESPACE, _SYSTEM))["metadata"]["uid"])
    except ForbiddenError:
        ours = server
    known = read_text(path).strip()
    if known and known != ours:
        message = f"{folder.root} holds the pods of another cluster than {server}"
        raise PermanentError("node-folder-taken", message, hint="give --folder another place for this cluster")
    if not known:
        note(path, ours + "\n")
