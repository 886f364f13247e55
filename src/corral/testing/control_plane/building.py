"""Builds the binaries of the control plane once, and leaves nothing half done behind.

A run that is interrupted goes on where it stopped: every binary appears in `bin/` by a rename, with a note of its
recipe written after it, and Go's own build cache stays until the last binary is there. Then that cache, several
gigabytes, is removed; the downloaded modules stay where Go keeps them for everybody.
"""

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from corral.testing.control_plane.binaries import Cache
from corral.testing.control_plane.errors import ControlPlaneError
from corral.testing.control_plane.go_compiler import build_environment, find_go
from corral.testing.control_plane.recipes import Recipe, recipes

Say = Callable[[str], None]

_HEARTBEAT = 30.0


def build(cache: Cache, say: Say) -> Path:
    """Make every binary that is missing or out of date, and return the directory that holds them all.

    Called while another process builds, it waits for that one and then finds the work done.
    """
    if not cache.missing():
        return cache.bin
    go = find_go(recipes())
    cache.root.mkdir(parents=True, exist_ok=True)
    with _alone(cache.root / "lock", say) as lock:
        for number, recipe in enumerate(recipes(), start=1):
            if cache.has(recipe):
                continue
            say(f"{recipe.name} {recipe.version}: building, {number} of {len(recipes())}")
            _build_one(go, recipe, cache, lock, say)
        shutil.rmtree(cache.scratch, ignore_errors=True)
    return cache.bin


@contextmanager
def _alone(path: Path, say: Say) -> Iterator[int]:
    """Hold the build lock and give its descriptor; the kernel drops a dead holder's lock, so none can be stale."""
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another build of the same binaries")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _build_one(go: str, recipe: Recipe, cache: Cache, lock: int, say: Say) -> None:
    partial = cache.scratch / recipe.name
    log = cache.root / "log" / f"{recipe.name}.log"
    for directory in (cache.bin, cache.scratch, log.parent):
        directory.mkdir(parents=True, exist_ok=True)
    began = monotonic()
    with log.open("wb") as output:
        compiler = subprocess.Popen(
            recipe.command(go, partial),
            cwd=recipe.module,
            env=build_environment(cache.scratch / "go-build"),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # A compiler that outlives a killed build keeps the lock, so nobody else writes to its output meanwhile.
            pass_fds=(lock,),
        )
    if _wait(compiler, f"{recipe.name} {recipe.version}", say) != 0:
        raise ControlPlaneError(f"{recipe.name} did not build: {_complaint(log)}", f"read {log}")
    cache.put(recipe, partial)
    megabytes = os.path.getsize(cache.bin / recipe.name) / 1e6
    say(f"{recipe.name} {recipe.version}: built in {monotonic() - began:.0f} s, {megabytes:.0f} MB")


def _wait(compiler: subprocess.Popen[bytes], name: str, say: Say) -> int:
    """The compiler's exit code; says every half minute that it still runs, and ends it if the caller gives up."""
    began = monotonic()
    try:
        while True:
            try:
                return compiler.wait(_HEARTBEAT)
            except subprocess.TimeoutExpired:
                say(f"{name}: {monotonic() - began:.0f} s so far")
    except BaseException:
        compiler.send_signal(signal.SIGINT)
        compiler.wait()
        raise


def _complaint(log: Path) -> str:
    """The first line that is neither progress nor a heading: Go says what is wrong before it explains what that means."""
    lines = (line.strip() for line in log.read_text(errors="replace").split("\n"))
    return next((line for line in lines if line and not line.startswith(("go: downloading", "#"))), "no output")
