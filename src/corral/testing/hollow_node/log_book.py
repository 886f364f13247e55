"""What the containers of a hollow node have said, kept while their pod is there, for readers that may wait for more."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import NamedTuple

from corral.engine.node.logs.asked import Asked


class Container(NamedTuple):
    """A container of a pod, by name as in the paths of a kubelet."""

    namespace: str
    pod: str
    container: str


class _Said(NamedTuple):
    moment: datetime
    line: str

    def rendered(self, timestamps: bool) -> bytes:
        stamp = self.moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z " if timestamps else ""
        return f"{stamp}{self.line}\n".encode()


class _Log:
    """One run of one container."""

    def __init__(self) -> None:
        self.said: list[_Said] = []
        self.is_over = False
        self.news = asyncio.Event()

    def notify(self) -> None:
        """Wakes all readers; each waits on the event it saw last."""
        self.news.set()
        self.news = asyncio.Event()


class LogBook:
    """All logs of a node; to be used in the loop that runs the node."""

    def __init__(self) -> None:
        self._runs: dict[Container, list[_Log]] = {}

    def begin(self, container: Container) -> None:
        """Opens the log of a new run; the run before stays readable as the previous one."""
        self._runs.setdefault(container, []).append(_Log())
        del self._runs[container][:-2]

    def say(self, container: Container, *lines: str) -> None:
        """Adds lines to the present run, which is begun when there is none."""
        if container not in self._runs:
            self.begin(container)
        log = self._runs[container][-1]
        log.said += [_Said(datetime.now(UTC), line) for line in lines]
        log.notify()

    def end(self, container: Container) -> None:
        """Closes the present run: who follows it has seen everything."""
        for log in self._runs.get(container, [])[-1:]:
            log.is_over = True
            log.notify()

    def forget(self, namespace: str, pod: str) -> None:
        """Drops the logs of a pod that is gone."""
        for container in [each for each in self._runs if each[:2] == (namespace, pod)]:
            self.end(container)
            del self._runs[container]

    def refusal(self, container: Container, asked: Asked) -> str:
        """Returns why there is no such log, in a kubelet's words; "" when there is one."""
        runs = self._runs.get(container, [])
        if not runs:
            return f'container "{container.container}" in pod "{container.pod}" is waiting to start: ContainerCreating'
        if asked.previous and len(runs) < 2:
            return f'previous terminated container "{container.container}" in pod "{container.pod}" not found'
        return ""

    async def read(self, container: Container, asked: Asked) -> AsyncGenerator[bytes, None]:
        """Yields what was asked for; when following, until the run is over."""
        log = self._runs[container][-2 if asked.previous else -1]
        kept = [each for each in log.said if asked.since is None or each.moment >= asked.since]
        position, left = len(log.said), asked.most_bytes
        if asked.tail is not None:
            kept = kept[max(len(kept) - asked.tail, 0) :]
        while True:
            for each in kept:
                line = each.rendered(asked.timestamps)
                yield line if left is None else line[:left]
                left = None if left is None else left - len(line)
                if left is not None and left <= 0:
                    return
            if not asked.follow or (log.is_over and position == len(log.said)):
                return
            if position == len(log.said):
                await log.news.wait()
            kept, position = log.said[position:], len(log.said)
