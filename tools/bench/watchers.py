"""Those who listen: a process with many watch connections that notes when each event arrived."""

import gc
import multiprocessing
import re
import selectors
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from time import perf_counter_ns

from tools.bench import pods
from tools.bench.wire import Address, opened

_STAMP = re.compile(rb'"bench/sent":"(\d+)"')
_LONGEST_STAMP = 40
_PATIENCE = 60.0


@dataclass
class Heard:
    """The nanoseconds from sending a write to hearing of it, for every event of every watcher; when the last came."""

    delays: list[int] = field(default_factory=list)
    last: int = 0


class Audience:
    """Processes with watchers between them, all on the pods of one namespace from one revision on."""

    def __init__(self, address: Address, namespace: str, revision: str, watchers: int, processes: int = 2) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Pipe] = []
        self._members = []
        for number in range(processes):
            share = watchers // processes + (number < watchers % processes)
            ours, theirs = context.Pipe()
            member = context.Process(target=_listen, args=(theirs, address, namespace, revision, share), daemon=True)
            member.start()
            theirs.close()
            self._pipes.append(ours)
            self._members.append(member)
        for pipe in self._pipes:
            pipe.recv()

    def heard(self, events: int) -> Heard:
        """Waits until every watcher has heard so many events, ends all, and returns when they heard them."""
        together = Heard()
        for pipe in self._pipes:
            pipe.send(events)
        for pipe, member in zip(self._pipes, self._members, strict=True):
            answer = pipe.recv()
            if isinstance(answer, Exception):
                raise answer
            together.delays += answer.delays
            together.last = max(together.last, answer.last)
            member.join(10)
        return together


@dataclass
class _Ear:
    socket: socket.socket
    rest: bytes = b""
    count: int = 0

    def listen(self, heard: Heard) -> None:
        """Takes everything that has arrived, and notes each stamp in it."""
        for data in self._arrived():
            now = perf_counter_ns()
            text = self.rest + data
            end = 0
            for found in _STAMP.finditer(text):
                end = found.end()
                heard.delays.append(now - int(found[1]))
                self.count += 1
            heard.last = now
            self.rest = text[max(end, len(text) - _LONGEST_STAMP) :]

    def _arrived(self) -> Iterator[bytes]:
        while True:
            try:
                data = self.socket.recv(1 << 18)
            except (BlockingIOError, ssl.SSLWantReadError):
                return
            if not data:
                raise ConnectionError("a watch ended before it had heard everything")
            yield data


def _listen(pipe: Pipe, address: Address, namespace: str, revision: str, watchers: int) -> None:
    gc.disable()
    try:
        path = f"{pods.path(namespace=namespace)}?watch=true&resourceVersion={revision}&timeoutSeconds=600"
        ears = [_opened_ear(address, address.request("GET", path)) for _ in range(watchers)]
        pipe.send("listening")
        pipe.send(_heard(pipe, ears))
    except Exception as error:  # noqa: BLE001 - carried to the parent, which raises it
        pipe.send(error)


def _opened_ear(address: Address, request: bytes) -> _Ear:
    ear = _Ear(opened(address))
    ear.socket.sendall(request)
    head = b""
    while b"\r\n\r\n" not in head:
        head += ear.socket.recv(1 << 16)
    if b" 200 " not in head[:20]:
        raise ConnectionError(head.decode(errors="replace")[:300])
    ear.rest = head.split(b"\r\n\r\n", 1)[1]
    ear.socket.setblocking(False)
    return ear


def _heard(pipe: Pipe, ears: list[_Ear]) -> Heard:
    heard, expected = Heard(), None
    with selectors.DefaultSelector() as ready:
        ready.register(pipe, selectors.EVENT_READ)
        for ear in ears:
            ready.register(ear.socket, selectors.EVENT_READ, ear)
        while expected is None or any(ear.count < expected for ear in ears):
            arrived = ready.select(timeout=_PATIENCE)
            if not arrived:
                raise TimeoutError(
                    f"no event for {_PATIENCE} s; the least that a watcher heard: {min(e.count for e in ears)}"
                )
            for key, _ in arrived:
                if key.data is None:
                    expected = pipe.recv()
                else:
                    key.data.listen(heard)
    return heard
