"""When a node says that there is too little disk or memory."""

import pytest

from corral.engine.node.machine.room import Room
from corral.engine.node.membership.pressures import pressures

MIB = 1 << 20
ENOUGH = Room(50 << 30, 100 << 30)

CASES: dict[str, tuple[Room, Room, list[str]]] = {
    "enough of both": (ENOUGH, ENOUGH, []),
    "one percent of a large disk": (Room(1 << 30, 100 << 30), ENOUGH, ["DiskPressure"]),
    "three percent of a large disk": (Room(3 << 30, 100 << 30), ENOUGH, []),
    "a tenth of a small disk, which is little": (Room(199 * MIB, 2000 * MIB), ENOUGH, ["DiskPressure"]),
    "no memory": (ENOUGH, Room(0, 16 << 30), ["MemoryPressure"]),
    "little memory of a small machine": (ENOUGH, Room(100 * MIB, 2000 * MIB), []),
    "memory that nobody tells": (ENOUGH, Room(0, 0), []),
    "neither": (Room(0, 1 << 30), Room(1, 1 << 30), ["DiskPressure", "MemoryPressure"]),
}


@pytest.mark.parametrize("case", CASES)
def test_which_pressures_there_are(case: str) -> None:
    disk, memory, want = CASES[case]
    assert list(pressures("/home/node", disk, memory)) == want


def test_the_sentence_has_figures_and_does_not_change_with_each_byte() -> None:
    told = pressures("/home/node", Room(120 * MIB, 100 << 30), ENOUGH)["DiskPressure"]
    assert told == "less than 150 MiB (1 %) of the disk with /home/node is free"
    assert pressures("/home/node", Room(121 * MIB, 100 << 30), ENOUGH)["DiskPressure"] == told
