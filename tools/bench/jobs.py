"""What one client does in a measure; made by the parent, carried out in a client process on its own connection."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Protocol

from tools.bench import pods
from tools.bench.wire import Address, Connection, unchunked

MERGE_PATCH = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"


@dataclass
class Samples:
    """What a client saw: the nanoseconds of each exchange, and when its work began and ended."""

    began: int = 0
    ended: int = 0
    durations: list[int] = field(default_factory=list)


class Job(Protocol):
    """A piece of work for one client: `prepared` before the clock starts, the returned function on the clock."""

    def prepared(self, connection: Connection) -> Callable[[], Samples]:
        """Makes everything that can be made before."""


def timed(connection: Connection, requests: Iterator[bytes], *wanted: int) -> Samples:
    """Carries out requests one after the other and times each."""
    samples = Samples(began=perf_counter_ns())
    for request in requests:
        before = perf_counter_ns()
        connection.expect(request, *wanted)
        samples.durations.append(perf_counter_ns() - before)
    samples.ended = perf_counter_ns()
    return samples


@dataclass(frozen=True)
class Creates:
    """Creates pods with numbers from `first` on."""

    first: int
    count: int

    def prepared(self, connection: Connection) -> Callable[[], Samples]:
        """Encodes every pod before the clock starts."""
        address = connection.address
        requests = [
            address.request("POST", pods.path(), pods.encoded(f"pod-{n}", n))
            for n in range(self.first, self.first + self.count)
        ]
        return lambda: timed(connection, iter(requests), 201)


@dataclass(frozen=True)
class Reads:
    """Carries out the same kind of GET for a number of paths."""

    paths: tuple[str, ...]
    accept: str = "application/json"

    def prepared(self, connection: Connection) -> Callable[[], Samples]:
        """Builds the requests before the clock starts."""
        requests = [connection.address.request("GET", path, accept=self.accept) for path in self.paths]
        return lambda: timed(connection, iter(requests), 200)


@dataclass(frozen=True)
class Replaces:
    """Reads pods, then puts each back with one annotation changed."""

    numbers: range
    mark: str

    def prepared(self, connection: Connection) -> Callable[[], Samples]:
        """Reads and changes every pod before the clock starts."""
        requests = [self._replacement(connection, number) for number in self.numbers]
        return lambda: timed(connection, iter(requests), 200)

    def _replacement(self, connection: Connection, number: int) -> bytes:
        address, path = connection.address, pods.path(f"pod-{number}")
        found = json.loads(unchunked(connection.expect(address.request("GET", path), 200)))
        found["metadata"]["annotations"]["bench/sent"] = self.mark
        return address.request("PUT", path, json.dumps(found, separators=(",", ":")).encode())


@dataclass(frozen=True)
class Patches:
    """Changes one annotation of each pod by a merge patch."""

    numbers: range
    mark: str

    def prepared(self, connection: Connection) -> Callable[[], Samples]:
        """Builds the requests before the clock starts."""
        body = json.dumps({"metadata": {"annotations": {"bench/sent": self.mark}}}).encode()
        address = connection.address
        requests = [address.request("PATCH", pods.path(f"pod-{n}"), body, MERGE_PATCH) for n in self.numbers]
        return lambda: timed(connection, iter(requests), 200)


@dataclass(frozen=True)
class Applies:
    """Applies an image and a label to each pod, taking them over by force."""

    numbers: range
    mark: str

    def prepared(self, connection: Connection) -> Callable[[], Samples]:
        """Builds the requests before the clock starts."""
        address, image = connection.address, f"registry.example.com/team/train:{self.mark}"
        requests = [
            address.request(
                "PATCH",
                pods.path(f"pod-{n}") + "?fieldManager=bench-apply&force=true",
                pods.applied(f"pod-{n}", image),
                APPLY,
            )
            for n in self.numbers
        ]
        return lambda: timed(connection, iter(requests), 200)


@dataclass(frozen=True)
class StampedPatches:
    """Patches pods one after the other, each patch carrying the moment at which it was sent."""

    namespace: str
    names: tuple[str, ...]
    count: int

    def prepared(self, connection: Connection) -> Callable[[], Samples]:
        """Leaves the requests to the clock, because the moment is part of them."""
        return lambda: timed(connection, self._requests(connection.address), 200)

    def _requests(self, address: Address) -> Iterator[bytes]:
        for turn in range(self.count):
            path = pods.path(self.names[turn % len(self.names)], namespace=self.namespace)
            body = b'{"metadata":{"annotations":{"bench/sent":"%d"}}}' % perf_counter_ns()
            yield address.request("PATCH", path, body, MERGE_PATCH)


@dataclass(frozen=True)
class Mixture:
    """70 % get, 10 % list of a namespace of 50, 15 % status patch, 5 % create or delete, for some seconds."""

    client: int
    seconds: float
    namespace: str
    pods: int

    def prepared(self, connection: Connection) -> Callable[[], Samples]:
        """Draws the same sequence for both sides."""
        return lambda: self._run(connection)

    def _run(self, connection: Connection) -> Samples:
        chance = random.Random(self.client)  # noqa: S311 - a repeatable sequence, not a secret
        made: list[str] = []
        samples = Samples(began=perf_counter_ns())
        end = samples.began + int(self.seconds * 1e9)
        while samples.ended < end:
            request, wanted = self._next(connection.address, chance, made, len(samples.durations))
            before = perf_counter_ns()
            connection.expect(request, wanted)
            samples.ended = perf_counter_ns()
            samples.durations.append(samples.ended - before)
        for name in made:
            connection.expect(self._deletion(connection.address, name), 200)
        return samples

    def _next(self, address: Address, chance: random.Random, made: list[str], turn: int) -> tuple[bytes, int]:
        draw = chance.random()
        some = pods.path(f"pod-{chance.randrange(self.pods)}")
        if draw < 0.70:
            return address.request("GET", some), 200
        if draw < 0.80:
            return address.request("GET", pods.path(namespace=self.namespace)), 200
        if draw < 0.95:
            body = b'{"status":{"phase":"Running","message":"client %d turn %d"}}' % (self.client, turn)
            return address.request("PATCH", some + "/status", body, MERGE_PATCH), 200
        if made:
            return self._deletion(address, made.pop()), 200
        made.append(f"extra-{self.client}-{turn}")
        return address.request("POST", pods.path(), pods.encoded(made[-1], turn)), 201

    def _deletion(self, address: Address, name: str) -> bytes:
        return address.request("DELETE", pods.path(name) + "?gracePeriodSeconds=0")
