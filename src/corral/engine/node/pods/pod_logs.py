"""The logs of the pods of this node: begun and ended with their runs, and kept for a while when the pods are gone."""

import asyncio
import logging
import os
from collections.abc import Callable

from corral.engine.node.folder import NodeFolder
from corral.engine.node.logs.archive import SWEEP_SECONDS, described, drop_early_runs, note_end, note_pod, sweep
from corral.engine.node.logs.keeping import LiveLogs
from corral.engine.node.logs.run_log import RunLog
from corral.kinds.objects import Object, key_of, uid_of
from corral.ports.clock import Clock

_log = logging.getLogger("corral.engine.node.pods")


def log_of(folder: NodeFolder, pod: Object, container: Object, number: int) -> RunLog:
    """Returns the log of one run of a container."""
    return RunLog(os.path.join(_folder_of(folder, pod), str(container["name"])), number)


def _folder_of(folder: NodeFolder, pod: Object) -> str:
    namespace, name = key_of(pod)
    return folder.pod_logs(namespace, name, uid_of(pod))


class PodLogs:
    """Looks after all logs of a node."""

    def __init__(self, folder: NodeFolder, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._live = LiveLogs()
        self._endings: set[asyncio.Task[None]] = set()

    def of(self, pod: Object, container: Object, number: int) -> RunLog:
        """Returns the log of one run."""
        return log_of(self._folder, pod, container, number)

    def take(self, pod: Object) -> None:
        """Notes whose logs there will be."""
        note_pod(_folder_of(self._folder, pod), described(pod))

    def begin(self, pod: Object, container: Object, number: int) -> None:
        """Looks after the log of a run that goes on."""
        log = self.of(pod, container, number)
        self._live.begin(log)
        try:
            drop_early_runs(log.folder)
        except OSError as error:
            _log.warning("early logs not removed", extra={"pod": str(key_of(pod)), "why": str(error)})

    def end(self, pod: Object, container: Object, number: int) -> None:
        """Takes a last look at the log of a run that has ended."""
        task = asyncio.get_running_loop().create_task(self._live.end(self.of(pod, container, number)), name="log")
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    def finish(self, pod: Object) -> None:
        """Notes the end of a pod; without the note, its logs count as old from their last word on."""
        try:
            note_end(_folder_of(self._folder, pod), self._clock.now())
        except OSError as error:
            _log.warning("end of a pod not noted", extra={"pod": str(key_of(pod)), "why": str(error)})

    async def keep_house(self, existing: Callable[[], frozenset[str]]) -> None:
        """Removes what is beyond the limits, now and every hour, until cancelled."""
        while True:
            await self._sweep(existing())
            await self._clock.sleep(SWEEP_SECONDS)

    async def _sweep(self, existing: frozenset[str]) -> None:
        try:
            gone = await asyncio.to_thread(sweep, self._folder.logs, existing, self._clock.now())
        except OSError as error:
            # Tried again in an hour; pods must not suffer from a log that cannot be removed.
            _log.warning("old logs not removed", extra={"why": str(error)})
            return
        if gone:
            _log.info("old logs removed", extra={"pods": len(gone)})

    async def close(self) -> None:
        """Lets go of all logs."""
        await self._live.close()
