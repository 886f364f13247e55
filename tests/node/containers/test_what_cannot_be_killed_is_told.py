"""A process that cannot be killed keeps its record and is told, and nobody's event loop waits for it."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

import pytest

from corral.engine.node.containers.clearing import Ended, end_all, end_pod
from corral.engine.node.containers.memory_watchdog import MemoryWatchdog
from corral.engine.node.containers.record import Run, settled_path, write_record
from corral.engine.node.folder import NodeFolder
from corral.engine.supervisor.host import identity
from corral.errors import RetryError
from tests.node.containers.launching import PATIENCE
from tests.node.machine.somebody_else import NOBODY, PASSED, as_nobody, needs_root

pytestmark = needs_root


@pytest.fixture
def folder() -> Iterator[NodeFolder]:
    # Not below the folders of pytest, which nobody else may enter.
    place = tempfile.mkdtemp()
    yield NodeFolder(os.path.join(place, "node"))
    shutil.rmtree(place)


@pytest.fixture
def run(folder: NodeFolder) -> Iterator[Run]:
    """A run whose holder belongs to somebody else, as after `sudo`, in a folder that is open to us."""
    path = folder.run("uid", "main", 0)
    os.makedirs(path)
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as holder:
        run = Run(path, identity(holder.pid), "uid/main/0", 0.0, memory_bytes=1)
        write_record(run)
        for place, _, files in os.walk(os.path.dirname(folder.root)):
            for name in (place, *(os.path.join(place, file) for file in files)):
                os.chown(name, NOBODY, NOBODY)
        yield run
        holder.kill()


def test_survivors_are_named_and_their_record_stays(folder: NodeFolder, run: Run) -> None:
    said = f"process {run.holder.pid} of uid/main/0"

    def check() -> None:
        assert end_pod(folder, "uid", 0.0) == Ended((run.owner,), (said,))
        ended = end_all(folder, 0.0, patience=0.2)
        assert ended.survivors == (said,)
        with pytest.raises(RetryError, match=f"{said} cannot be killed") as caught:
            ended.refuse_survivors()
        assert caught.value.code == "processes-left"
        assert not os.path.exists(settled_path(run.folder))

    assert as_nobody(check) == PASSED


def test_nothing_is_refused_when_nobody_survives() -> None:
    Ended(("uid/main/0",)).refuse_survivors()


def test_the_memory_watchdog_tells_once_and_holds_nobody_up(run: Run) -> None:
    assert as_nobody(lambda: asyncio.run(_watched(run))) == PASSED


async def _watched(run: Run) -> None:
    killed: list[Run] = []
    watchdog = MemoryWatchdog(killed.append)
    watchdog.watch(run)
    loop = asyncio.get_running_loop()
    began = seen = loop.time()
    longest = after = 0.0
    while after < 1.0:
        await asyncio.sleep(0.01)
        longest, seen = max(longest, loop.time() - seen), loop.time()
        after += 0.01 if killed else 0.0
        assert loop.time() - began < PATIENCE
    watchdog.close()
    assert killed == [run]
    assert longest < 3.0
