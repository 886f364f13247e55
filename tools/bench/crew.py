"""Client processes: each does the jobs it is given on a connection of its own, all starting at one word."""

import gc
import multiprocessing
from collections.abc import Sequence
from multiprocessing.connection import Connection as Pipe
from types import TracebackType
from typing import Self

from tools.bench.jobs import Job, Samples
from tools.bench.wire import Address, Connection


class Crew:
    """A number of client processes, started once and used for every measure."""

    def __init__(self, size: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.size = size
        self._pipes: list[Pipe] = []
        self._members = []
        for _ in range(size):
            ours, theirs = context.Pipe()
            member = context.Process(target=_serve, args=(theirs,), daemon=True)
            member.start()
            theirs.close()
            self._pipes.append(ours)
            self._members.append(member)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in self._pipes:
            pipe.send(None)
        for member in self._members:
            member.join(10)

    def work(self, address: Address, jobs: Sequence[Job]) -> list[Samples]:
        """Gives each job to a client of its own, lets all begin together, and returns what they saw."""
        pipes = self._pipes[: len(jobs)]
        for pipe, job in zip(pipes, jobs, strict=True):
            pipe.send((address, job))
        for pipe in pipes:
            _received(pipe)
        for pipe in pipes:
            pipe.send("go")
        return [_received(pipe) for pipe in pipes]


def _received(pipe: Pipe) -> Samples:
    answer = pipe.recv()
    if isinstance(answer, Exception):
        raise answer
    assert isinstance(answer, Samples)
    return answer


def _serve(pipe: Pipe) -> None:
    gc.disable()
    while (order := pipe.recv()) is not None:
        address, job = order
        try:
            connection = Connection(address)
            work = job.prepared(connection)
            pipe.send(Samples())
            pipe.recv()
            pipe.send(work())
            connection.close()
        except Exception as error:  # noqa: BLE001 - carried to the parent, which raises it
            pipe.send(error)
        gc.collect()
