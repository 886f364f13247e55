"""What a node may leave behind on a machine: processes, control groups, mounts, mount points."""

import os
from pathlib import Path

from corral.engine.node.containers.group_names import node_name
from corral.engine.node.containers.record import MARK
from corral.engine.node.folder import NodeFolder
from corral.engine.node.machine.control_groups import hierarchies
from corral.engine.node.machine.processes import variable_of


def marked_processes(folder: Path) -> dict[int, str]:
    """Returns the processes of containers of the node with this folder, with their marks."""
    uids = set(os.listdir(folder / "pods")) if (folder / "pods").is_dir() else set()
    found = {int(pid): variable_of(int(pid), MARK) for pid in os.listdir("/proc") if pid.isdigit()}
    return {pid: mark for pid, mark in found.items() if mark.partition("/")[0] in uids}


def control_groups(folder: Path) -> list[str]:
    """Returns the control groups of the node."""
    name = node_name(NodeFolder(str(folder)).run("any", "any", 0))
    places = [os.path.join(place, name) for place in hierarchies() if place]
    return [place for place in places if os.path.exists(place)]


def mounts(folder: Path) -> list[str]:
    """Returns the mounts of this machine that have to do with the folder."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if str(folder) in line]
