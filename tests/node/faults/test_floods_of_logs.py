"""F36: containers that say very much, very long lines, binary data, or never end a line.

The node and the server stay as small as they were, the disk keeps the end of each log, the end is found at once, and whoever
follows hears the last word. A short run floods with some hundred megabytes, the full one with a gigabyte.
"""

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.engine.node.logs.keeping import KEEP_BYTES
from corral.engine.supervisor.host import resident_bytes
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.ports.log_source import LogOptions
from tests.node.bad_input.test_bad_input_is_told import container_of
from tests.node.ground import EmbeddedGround, wait_until
from tests.node.pods.pod_manifests import pod_spec
from tests.training.stage import Stage

pytestmark = pytest.mark.parametrize("machine", ["embedded"], indirect=True)

FULL = bool(os.environ.get("CORRAL_TEST_FULL"))
SCRIPT = Path(__file__).parent / "flooding.py"
MEGABYTE = 1 << 20
MOST_GROWTH = 20 * MEGABYTE
LAST = b"the last word\n"
FLOODS = {"lines": 1024 if FULL else 200, "binary": 200 if FULL else 80, "endless-line": 200 if FULL else 80}
"""Megabytes of each kind."""


class Sizes:
    """How large the node and the server become while one looks."""

    def __init__(self, ground: EmbeddedGround) -> None:
        self._pids = {part: ground.pid(part) for part in ("node", "api")}
        self._before = self._now()
        self._most = dict(self._before)

    def look(self) -> None:
        self._most = {part: max(most, self._now()[part]) for part, most in self._most.items()}

    def growth(self) -> dict[str, int]:
        """Returns by how many bytes each has grown at most."""
        return {part: self._most[part] - self._before[part] for part in self._pids}

    def _now(self) -> dict[str, int]:
        return {part: resident_bytes(pid) for part, pid in self._pids.items()}


def flood_pod(kind: str) -> Object:
    return pod_spec({"name": "main", "image": "x", "command": [sys.executable, str(SCRIPT), kind, str(FLOODS[kind])]})


@pytest.fixture
def sizes(machine: EmbeddedGround, stage: Stage) -> Sizes:
    """The sizes from now on; one log was asked for before, so that what is loaded once does not count."""
    stage.make(POD, "first", spec=pod_spec({"name": "main", "image": "x", "command": ["echo", "hello"]}))
    wait_ended(stage, "first")
    assert b"".join(pieces(stage, "first", LogOptions(tail_lines=1))) == b"hello\n"
    return Sizes(machine)


def wait_ended(stage: Stage, name: str, sizes: Sizes | None = None) -> None:
    def look() -> Object:
        if sizes is not None:
            sizes.look()
        found: Object = container_of(stage, name, "main")["state"]
        return found

    stage.wait(look, lambda state: "terminated" in state, within=240.0)


def pieces(stage: Stage, name: str, options: LogOptions) -> Iterator[bytes]:
    with SyncClient(stage.client.access) as client:
        yield from client.logs(ObjectKey(stage.namespace, name), options)


@pytest.mark.timeout(600)
def test_nothing_grows_and_followers_hear_the_last_word(machine: EmbeddedGround, stage: Stage, sizes: Sizes) -> None:
    stage.make(POD, "lines", spec=flood_pod("lines"))
    stage.wait(lambda: container_of(stage, "lines", "main")["state"], lambda state: state and "waiting" not in state)
    with ThreadPoolExecutor() as pool:
        following = pool.submit(last_heard, stage, "lines")
        wait_ended(stage, "lines", sizes)
        heard, end = following.result(240)
        told = container_of(stage, "lines", "main")["state"]["terminated"]
        assert told["exitCode"] == 0, f"it did not come to its last word: {told}"
        assert end.endswith(LAST), f"{heard} bytes were heard, the last of them {end!r}"
        sizes.look()
    wait_cut(machine, stage, "lines")
    assert quickest_tail(stage, "lines") == LAST
    assert max(sizes.growth().values()) < MOST_GROWTH, sizes.growth()


def last_heard(stage: Stage, name: str) -> tuple[int, bytes]:
    """Follows a log to its end; returns how much was heard, and the end of it."""
    heard, end = 0, b""
    for piece in pieces(stage, name, LogOptions(follow=True)):
        heard, end = heard + len(piece), (end + piece)[-100:]
    return heard, end


def quickest_tail(stage: Stage, name: str) -> bytes:
    """Returns the last line, which must come within a second; of some tries, since machines are busy with other things too."""
    quickest, line = 60.0, b""
    for _ in range(5):
        began = time.monotonic()
        line = b"".join(pieces(stage, name, LogOptions(tail_lines=1)))
        quickest = min(quickest, time.monotonic() - began)
        if quickest < 1.0:
            break
    assert quickest < 1.0
    return line


def wait_cut(machine: EmbeddedGround, stage: Stage, name: str) -> None:
    """Returns when the log takes no more than it may: the last cut comes with the end of the run, which the API may tell first."""
    most = KEEP_BYTES * 9 // 8 + MEGABYTE
    wait_until(lambda: kept_bytes(machine, stage, name) <= most, f"the log of {name} is cut to {most} bytes")


def kept_bytes(machine: EmbeddedGround, stage: Stage, name: str) -> int:
    """Returns what the log of a pod takes of the disk."""
    folders = [one for one in (machine.folder / "logs" / stage.namespace).iterdir() if one.name.startswith(f"{name}_")]
    return sum(path.stat().st_blocks * 512 for folder in folders for path in folder.rglob("*"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["binary", "endless-line"])
def test_lines_that_hardly_end_are_no_burden(machine: EmbeddedGround, stage: Stage, sizes: Sizes, kind: str) -> None:
    stage.make(POD, "odd", spec=flood_pod(kind))
    wait_ended(stage, "odd", sizes)
    wait_cut(machine, stage, "odd")
    if kind == "binary":
        assert quickest_tail(stage, "odd") == LAST
    else:
        began, first = time.monotonic(), next(pieces(stage, "odd", LogOptions(tail_lines=1)))
        assert first.startswith(b"xxxx")
        assert time.monotonic() - began < 10.0
    shown = 0
    for piece in pieces(stage, "odd", LogOptions(timestamps=True, tail_lines=1)):
        shown += len(piece)
        sizes.look()
    assert shown > len(LAST)
    assert max(sizes.growth().values()) < MOST_GROWTH, sizes.growth()


@pytest.mark.timeout(600)
def test_one_line_of_ten_megabytes_is_told_whole(stage: Stage, sizes: Sizes) -> None:
    code = f"print('x' * {10 * MEGABYTE}); print('the last word')"
    stage.make(POD, "long", spec=pod_spec({"name": "main", "image": "x", "command": [sys.executable, "-c", code]}))
    wait_ended(stage, "long", sizes)
    whole = b"".join(pieces(stage, "long", LogOptions(tail_lines=2)))
    assert whole == b"x" * (10 * MEGABYTE) + b"\n" + LAST
    sizes.look()
    assert max(sizes.growth().values()) < MOST_GROWTH, sizes.growth()
