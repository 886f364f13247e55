"""What there is too little of on this machine, in the words of a Node's conditions. Pure.

A cluster sends no new pods to a node under pressure. The limits are lower than those of kubelet, since a laptop whose disk is
nearly full is a usual sight and no reason to do nothing.
"""

from corral.engine.node.machine.room import Room

LEAST_SHARE = 0.02
LEAST_DISK = 200 << 20
_MIB = 1 << 20


def pressures(folder: str, disk: Room, memory: Room) -> dict[str, str]:
    """Returns a sentence for each thing that there is too little of, by the type of the condition."""
    found = {}
    if disk.share < LEAST_SHARE or disk.free < LEAST_DISK:
        found["DiskPressure"] = f"{_left(disk)} of the disk with {folder} is free"
    if memory.share < LEAST_SHARE:
        found["MemoryPressure"] = f"{_left(memory)} of the memory is free"
    return found


def _left(room: Room) -> str:
    """Says how much is left, in steps, so that it is not told anew for each byte."""
    percent = int(room.share * 100)
    return f"less than {room.free // _MIB // 50 * 50 + 50} MiB ({percent + 1} %)"
