"""A path on a disk that does not answer holds up the pod that wants it, with one thread, and nobody else."""

import asyncio
import threading

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.volumes.answering import Answering
from corral.engine.node.volumes.plan import Volume
from corral.testing.waiting import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]
DEAD = Volume("data", "hostPath", "/mnt/dead", {})
WELL = Volume("more", "persistentVolumeClaim", "/mnt/well", {}, host_type="Directory")
OWN = Volume("own", "emptyDir", "/mnt/dead/not/looked/at", {})


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Disk:
    """A disk that answers when it is let go on."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.lives = threading.Event()

    def look(self, path: str) -> None:
        self.asked.append(path)
        if path == DEAD.path:
            self.lives.wait()
        raise FileNotFoundError(path)


async def test_it_is_refused_while_the_loop_goes_on_and_taken_when_it_answers() -> None:
    disk = Disk()
    answering = Answering(disk.look, patience=0.2)
    turns = 0
    asking = asyncio.ensure_future(answering.refuse_silent([DEAD, WELL, OWN]))
    while not asking.done():
        turns += 1
        await asyncio.sleep(0)
    with pytest.raises(StartRefusedError, match='volume "data" : /mnt/dead does not answer') as refused:
        await asking
    assert refused.value.reason == "FailedMount"
    assert turns > 10, "the loop stood still"

    with pytest.raises(StartRefusedError):
        await answering.refuse_silent([DEAD])
    assert sorted(disk.asked) == [DEAD.path, WELL.path], "one thread hangs, and no other was begun"

    disk.lives.set()
    await eventually(lambda: "look-at-path" not in {thread.name for thread in threading.enumerate()})
    await asyncio.sleep(0)
    await answering.refuse_silent([DEAD, WELL, OWN])
    assert disk.asked.count(DEAD.path) == 2


async def test_pods_that_want_the_same_path_wait_for_the_same_look() -> None:
    disk = Disk()
    answering = Answering(disk.look, patience=30.0)
    asking = [asyncio.ensure_future(answering.refuse_silent([DEAD])) for _ in range(5)]
    await eventually(lambda: disk.asked == [DEAD.path])
    disk.lives.set()
    await asyncio.gather(*asking)
    assert disk.asked == [DEAD.path]
