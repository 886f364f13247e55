"""Commands in a running container, for probes and hooks: joined, watched, and killed when their time is up."""

import asyncio
import os
import tempfile
from collections.abc import Sequence

from corral.engine.node.containers.joined_command import JoinedCommand
from corral.engine.node.containers.joining import Joined, Streams, join
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.containers.record import Run
from corral.engine.node.probes.checks import Answer

_SAID_BYTES = 500


class InsideRun:
    """Runs commands beside the program of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def run(self, argv: Sequence[str], seconds: float) -> Answer:
        """Returns a good answer when the command ends with 0 within the time; it is killed when it does not."""
        try:
            return await self._answer(argv, seconds)
        except StartRefusedError as refusal:
            return Answer(False, refusal.message, is_known=False)
        except OSError as error:
            return Answer(False, f"{argv[0] if argv else 'it'} cannot be run: {error.strerror}", is_known=False)

    async def _answer(self, argv: Sequence[str], seconds: float) -> Answer:
        with tempfile.TemporaryFile() as output:
            command = JoinedCommand(self._joined(argv, output.fileno()))
            try:
                async with asyncio.timeout(seconds):
                    code = await command.wait()
            except TimeoutError:
                return Answer(False, f"{argv[0]} did not end within {seconds:g} s")
            finally:
                command.kill()
            output.seek(0)
            said = output.read(_SAID_BYTES).decode("utf-8", "replace").strip()
            return Answer(code == 0, said or f"{argv[0]} ended with {code}")

    def _joined(self, argv: Sequence[str], output: int) -> Joined:
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            return join(self._run.folder, argv, Streams(nothing, output, output))
        finally:
            os.close(nothing)
