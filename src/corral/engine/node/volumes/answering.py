"""Whether paths of this machine answer, asked beside the event loop.

A path of a pod may lie on a disk of another machine that is gone, and whoever looks at it then waits without end: the pod may,
and nobody else. So each such path is looked at in a thread before anything else touches it. A thread that hangs cannot be ended,
so there is one at most for each path, and whoever asks meanwhile is refused at once.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

from corral.engine.node.containers.forking import START_SECONDS, no_process
from corral.engine.node.volumes.faults import failed_mount
from corral.engine.node.volumes.plan import Volume


class Answering:
    """Knows which paths are being waited for; belongs to one event loop."""

    def __init__(self, look: Callable[[str], object] = os.stat, patience: float = START_SECONDS) -> None:
        self._look = look
        self._patience = patience
        self._asked: dict[str, _Asked] = {}

    async def refuse_silent(self, volumes: Iterable[Volume]) -> None:
        """Raises StartRefusedError (FailedMount) when a path of this machine does not answer in time."""
        asked = [volume for volume in volumes if volume.kind == "hostPath" or volume.host_type]
        answers = await asyncio.gather(*(self._answers(volume.path) for volume in asked))
        silent = [volume for volume, has_answered in zip(asked, answers, strict=True) if not has_answered]
        if silent:
            raise failed_mount((volume.name, f"{volume.path} does not answer") for volume in silent)

    async def _answers(self, path: str) -> bool:
        asked = self._asked.get(path) or self._ask(path)
        if asked.is_silent:
            return False
        try:
            async with asyncio.timeout(self._patience):
                await asked.answered.wait()
        except TimeoutError:
            asked.is_silent = True
            return False
        return True

    def _ask(self, path: str) -> "_Asked":
        loop, asked = asyncio.get_running_loop(), _Asked()

        def answered() -> None:
            asked.answered.set()
            del self._asked[path]

        def look() -> None:
            # What is wrong with it is told by whoever needs it; here it only has to answer.
            with suppress(OSError, ValueError):
                self._look(path)
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(answered)

        try:
            threading.Thread(target=look, name="look-at-path", daemon=True).start()
        except RuntimeError as error:
            raise no_process(str(error)) from error
        self._asked[path] = asked
        return asked


class _Asked:
    """One path that a thread looks at."""

    def __init__(self) -> None:
        self.answered = asyncio.Event()
        self.is_silent = False
