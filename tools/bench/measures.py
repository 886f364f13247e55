"""The measures, in the order in which they run: the creates of the first ones fill the servers for the later ones.

Every measure runs on one side, then on the other, round by round, so that whatever else the machine does meets both.
"""

import gc
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter_ns, sleep
from urllib.parse import quote

from tools.bench import pods
from tools.bench.crew import Crew
from tools.bench.jobs import (
    Applies,
    Creates,
    Job,
    Mixture,
    Patches,
    Reads,
    Replaces,
    Samples,
    StampedPatches,
)
from tools.bench.processes import cpu_seconds, memory_mib
from tools.bench.results import Measure, Results, percentile
from tools.bench.sides import Side
from tools.bench.watchers import Audience
from tools.bench.wire import Connection, unchunked

CLIENTS = 16
WATCHERS = 50
SETTLE_SECONDS = 2.0
PAGE = 500
SMALL, LARGE = 2_700, 10_000
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
SMALL_NAMESPACE = "bench-fifty"
WATCHED_NAMESPACE = "bench-watched"

MEASURES: tuple[Measure, ...] = (
    Measure("start", "start to ready, empty", "ms", 10),
    Measure("start_cpu", "  processor time of it", "ms"),
    Measure("restart", "start to ready, 10,000 pods", "ms"),
    Measure("memory_idle", "memory, idle", "MiB", 4),
    Measure("memory_small", "memory, 2,700 pods", "MiB", 4),
    Measure("memory_large", "memory, 10,000 pods", "MiB", 4),
    Measure("memory_end", "memory, after all of this", "MiB"),
    Measure("create_p50", "create, 1 client, p50", "ms", 2),
    Measure("create_p99", "create, 1 client, p99", "ms"),
    Measure("create_rate", "creates, 16 clients", "/s", 2, higher_is_better=True),
    Measure("create_cpu", "  processor time of one", "ms"),
    Measure("get_p50", "get, p50", "ms", 1),
    Measure("put_p50", "update, p50", "ms", 1),
    Measure("patch_p50", "merge patch, p50", "ms", 1),
    Measure("apply_p50", "server-side apply, p50", "ms", 1),
    Measure("list_full", "list 10,000, one answer", "ms", 1),
    Measure("list_paged", "list 10,000, pages of 500", "ms", 1),
    Measure("list_selected", "list 100 of 10,000 by label", "ms", 1),
    Measure("list_table", "list 10,000 as Table, pages", "ms", 1),
    Measure("watch_rate", "events to 50 watchers", "/s", 1, higher_is_better=True),
    Measure("watch_p50", "write sent to event heard, p50", "ms", 1),
    Measure("watch_p99", "write sent to event heard, p99", "ms", 1),
    Measure("mixed_rate", "mixed load, 16 clients", "/s", 1, higher_is_better=True),
    Measure("mixed_p50", "mixed load, p50", "ms", 1),
    Measure("mixed_p99", "mixed load, p99", "ms", 1),
)


@dataclass(frozen=True)
class Scale:
    """How much is done: the short mode answers within minutes, the full mode with less noise."""

    rounds: int
    singles: int
    mixed_seconds: float
    watched_writes: int


SHORT = Scale(rounds=3, singles=150, mixed_seconds=3.0, watched_writes=480)
FULL = Scale(rounds=5, singles=500, mixed_seconds=10.0, watched_writes=1_600)


class Bench:
    """One run over both sides."""

    def __init__(self, sides: Sequence[Side], crew: Crew, results: Results, scale: Scale) -> None:
        self._sides = sides
        self._crew = crew
        self._results = results
        self._scale = scale

    def run(self, say: Callable[[str], None], sizes: dict[str, int]) -> None:
        """Carries out every measure on started, empty servers; notes how large a pod is as each stores it."""
        say("memory, idle")
        self._memory("memory_idle")
        for side in self._sides:
            _prepare(side)
        say("creates")
        self._creates()
        sizes.update({side.name: _stored_bytes(side) for side in self._sides})
        say("reads of 10,000")
        self._rounds(self._gets, self._lists)
        say("changes")
        self._rounds(self._changes)
        say("watches")
        self._rounds(self._watches)
        say("mixed load")
        self._rounds(self._mixed)
        self._memory("memory_end")
        say("restarts")
        self._rounds(self._restart)

    def _rounds(self, *measures: Callable[[Side, int], None]) -> None:
        for number in range(self._scale.rounds):
            for measure in measures:
                for side in self._sides:
                    measure(side, number)

    def _work(self, side: Side, *jobs: Job) -> list[Samples]:
        return self._crew.work(side.address, jobs)

    def _memory(self, key: str) -> None:
        sleep(SETTLE_SECONDS)
        for side in self._sides:
            self._results.add(key, side.name, memory_mib(side.pids()))

    def _creates(self) -> None:
        """Fills both sides to 2,700 and then to 10,000 pods, a share of it in every round."""
        rounds = self._scale.rounds
        steps = [(SMALL * n // rounds, SMALL * (n + 1) // rounds) for n in range(rounds)]
        more = (LARGE - SMALL) // rounds
        for first, last in steps:
            for side in self._sides:
                self._created(side, first, last)
        self._memory("memory_small")
        for number in range(rounds):
            first = SMALL + more * number
            for side in self._sides:
                self._created(side, first, LARGE if number == rounds - 1 else first + more)
        self._memory("memory_large")

    def _created(self, side: Side, first: int, last: int) -> None:
        alone = min(self._scale.singles, (last - first) // 4)
        (single,) = self._work(side, Creates(first, alone))
        self._add_latencies("create", side, [single])
        first += alone
        bounds = [first + (last - first) * n // CLIENTS for n in range(CLIENTS + 1)]
        used = cpu_seconds(side.pids())
        samples = self._work(side, *(Creates(a, b - a) for a, b in pairwise(bounds)))
        used = cpu_seconds(side.pids()) - used
        self._results.add("create_rate", side.name, _rate(samples))
        self._results.add("create_cpu", side.name, used * 1e3 / (last - first))

    def _gets(self, side: Side, number: int) -> None:
        count = self._scale.singles * 2
        paths = tuple(pods.path(f"pod-{(n * 37 + number) % LARGE}") for n in range(count))
        self._add_latencies("get", side, self._work(side, Reads(paths)))

    def _lists(self, side: Side, number: int) -> None:
        everything = pods.path()
        selected = f"{everything}?labelSelector={quote(f'group=g{number}')}"
        for key, paths, accept in (
            ("list_full", (everything,), "application/json"),
            ("list_selected", (selected,) * 5, "application/json"),
        ):
            (samples,) = self._work(side, Reads(paths, accept))
            self._results.add(key, side.name, sorted(samples.durations)[len(paths) // 2] / 1e6)
        self._results.add("list_paged", side.name, paged(side, "application/json"))
        self._results.add("list_table", side.name, paged(side, TABLE))

    def _changes(self, side: Side, number: int) -> None:
        numbers = range(number * self._scale.singles, (number + 1) * self._scale.singles)
        mark = f"round-{number}"
        for key, job in (
            ("put", Replaces(numbers, mark)),
            ("patch", Patches(numbers, f"{mark}-patched")),
            ("apply", Applies(numbers, mark)),
        ):
            self._add_latencies(key, side, self._work(side, job))

    def _watches(self, side: Side, number: int) -> None:
        names = tuple(f"watched-{n}" for n in range(CLIENTS))
        connection = Connection(side.address)
        listed = connection.expect(side.address.request("GET", pods.path(namespace=WATCHED_NAMESPACE)), 200)
        connection.close()
        revision = json.loads(unchunked(listed))["metadata"]["resourceVersion"]
        audience = Audience(side.address, WATCHED_NAMESPACE, revision, WATCHERS)
        share = self._scale.watched_writes // CLIENTS
        samples = self._work(side, *(StampedPatches(WATCHED_NAMESPACE, (name,), share) for name in names))
        heard = audience.heard(share * CLIENTS)
        delays = sorted(heard.delays)
        seconds = (heard.last - min(s.began for s in samples)) / 1e9
        self._results.add("watch_rate", side.name, len(delays) / seconds)
        self._results.add("watch_p50", side.name, percentile(delays, 0.5) / 1e6)
        self._results.add("watch_p99", side.name, percentile(delays, 0.99) / 1e6)

    def _mixed(self, side: Side, number: int) -> None:
        seconds = self._scale.mixed_seconds
        jobs = (Mixture(number * CLIENTS + n, seconds, SMALL_NAMESPACE, LARGE) for n in range(CLIENTS))
        samples = self._work(side, *jobs)
        self._results.add("mixed_rate", side.name, _rate(samples))
        self._add_latencies("mixed", side, samples)

    def _restart(self, side: Side, number: int) -> None:
        side.stop()
        self._results.add("restart", side.name, side.start() * 1e3)

    def _add_latencies(self, key: str, side: Side, samples: Sequence[Samples]) -> None:
        durations = sorted(d for s in samples for d in s.durations)
        self._results.add(f"{key}_p50", side.name, percentile(durations, 0.5) / 1e6)
        self._results.add(f"{key}_p99", side.name, percentile(durations, 0.99) / 1e6)


def measure_starts(make: Sequence[Callable[[Path], Side]], where: Path, rounds: int, results: Results) -> None:
    """Starts each side on empty state, in turn, and takes the time to ready and the processor time of it."""
    for number in range(rounds):
        for make_side in make:
            side = make_side(where / f"start-{number}-{make_side.__name__}")
            try:
                results.add("start", side.name, side.start() * 1e3)
                results.add("start_cpu", side.name, cpu_seconds(side.pids()) * 1e3)
            finally:
                side.remove()


def paged(side: Side, accept: str) -> float:
    """Lists all pods page by page and returns the milliseconds it took; the reading of the token is on the clock."""
    connection = Connection(side.address)
    path, token, count = f"{pods.path()}?limit={PAGE}", "", 0
    gc.disable()
    began = perf_counter_ns()
    while True:
        request = side.address.request("GET", path + (f"&continue={token}" if token else ""), accept=accept)
        body = connection.expect(request, 200)
        count += 1
        at = body.find(b'"continue":"', 0, 2_000)
        if at < 0:
            break
        token = quote(body[at + 12 : body.index(b'"', at + 12)].decode())
    took = perf_counter_ns() - began
    gc.enable()
    connection.close()
    if count != LARGE // PAGE:
        raise ValueError(f"{side.name} gave {count} pages")
    return took / 1e6


def _stored_bytes(side: Side) -> int:
    connection = Connection(side.address)
    body = connection.expect(side.address.request("GET", pods.path("pod-0")), 200)
    connection.close()
    return len(unchunked(body))


def _prepare(side: Side) -> None:
    """Makes the namespaces, the account that pods of a real server must have, and the pods that are watched."""
    connection, address = Connection(side.address), side.address
    made = {pods.NAMESPACE: 0, SMALL_NAMESPACE: 50, WATCHED_NAMESPACE: CLIENTS}
    for namespace, count in made.items():
        body = json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}).encode()
        connection.expect(address.request("POST", "/api/v1/namespaces", body), 201)
        account = json.dumps({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}).encode()
        connection.expect(address.request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", account), 201, 409)
        for n in range(count):
            body = pods.encoded(f"watched-{n}", n)
            connection.expect(address.request("POST", pods.path(namespace=namespace), body), 201)
    connection.close()


def _rate(samples: Sequence[Samples]) -> float:
    count = sum(len(s.durations) for s in samples)
    return count / ((max(s.ended for s in samples) - min(s.began for s in samples)) / 1e9)
