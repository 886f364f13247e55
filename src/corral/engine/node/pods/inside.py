"""Commands in a running container, for probes and hooks: joined, watched, and killed when their time is up."""

import asyncio
import os
import tempfile
from collections.abc import Sequence

from corral.engine.node.containers.joining import Joined, Streams, join
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.containers.record import Run
from corral.engine.node.containers.watching import EndWatch
from corral.engine.node.pods.checks import Answer

_SAID_BYTES = 500


class InsideRun:
    """Runs commands beside the program of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def run(self, argv: Sequence[str], seconds: float) -> Answer:
        """Returns a good answer when the command ends with 0 within the time; it is killed when it does not."""
        with tempfile.TemporaryFile() as output:
            try:
                joined = self._joined(argv, output.fileno())
            except StartRefusedError as refusal:
                return Answer(False, refusal.message)
            try:
                async with asyncio.timeout(seconds):
                    code = await wait_for_end(joined)
            except TimeoutError:
                return Answer(False, f"{argv[0]} did not end within {seconds:g} s")
            finally:
                joined.kill()
                joined.forget()
            output.seek(0)
            said = output.read(_SAID_BYTES).decode("utf-8", "replace").strip()
            return Answer(code == 0, said or f"{argv[0]} ended with {code}")

    def _joined(self, argv: Sequence[str], output: int) -> Joined:
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            return join(self._run.folder, argv, Streams(nothing, output, output))
        finally:
            os.close(nothing)


async def wait_for_end(joined: Joined) -> int:
    """Returns the exit code of a joined command when it has ended; cancelled, it leaves the command as it is."""
    ended = asyncio.Event()
    watch = EndWatch(joined.process, ended.set)
    try:
        await ended.wait()
    finally:
        watch.close()
    return 0 if watch.exit_code is None else watch.exit_code
