"""The measures of one operator, in the order in which they run: what the first ones make is there for the later ones."""

from collections.abc import Callable
from time import perf_counter, sleep
from typing import Any

from tools.bench.processes import memory_mib
from tools.bench.results import Results
from tools.bench.training import manifests
from tools.bench.training.cluster import Cluster
from tools.bench.training.operators import OURS, Operator
from tools.bench.training.raw import repeated, submitted

RAW = "raw"
"""The side of bare creates."""
LARGE = 100
"""Pods of the one large job."""
MANY = 100
"""Jobs at once."""
CROWD = 1_000
"""Jobs of which the memory is taken."""
LIMIT = 600.0
SETTLE_LIMIT = 60.0
"""How long an operator may go on writing after its work is done, before that counts as writing at rest."""


class OperatorBench:
    """One run over one operator on a cluster of its own."""

    def __init__(self, cluster: Cluster, operator: Operator, results: Results, say: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._operator = operator
        self._results = results
        self._announce = say
        self.writes_seen: dict[str, int] = {}
        """What was written at rest, by resource."""

    def run(self, *, rounds: int, rest_seconds: float, crowd: bool) -> None:
        """Carries out every measure; the last one, the crowd, only on request because it takes longest."""
        self._first_round(rest_seconds)
        for number in range(1, rounds):
            self._operator.start()
            self._operator.await_ready()
            self._many(number)
            self._bare("many", number)
        if crowd:
            self._say(f"{CROWD:,} jobs and {CROWD * manifests.GANG:,} pods")
            self._crowded()

    def _first_round(self, rest_seconds: float) -> None:
        self._operator.start()
        self._operator.await_ready()
        self._note("memory_idle", memory_mib([self._operator.pid]))
        self._say(f"one job of {LARGE} pods")
        self._cluster.make_namespace("large-0")
        self._created("large", 0, [manifests.job("large", "large-0", LARGE)], LARGE)
        self._many(0)
        self._note("memory_many", memory_mib([self._operator.pid]))
        self._say(f"at rest for {rest_seconds:.0f} s")
        self._at_rest(rest_seconds)
        self._say("restart")
        self._restarted()
        self._bare("large", 0)
        self._bare("many", 0)

    def _say(self, step: str) -> None:
        self._announce(f"{self._operator.name}: {step}")

    def _note(self, key: str, value: float) -> None:
        self._results.add(key, self._operator.name, value)

    def _many(self, number: int) -> None:
        self._say(f"{MANY} jobs of {manifests.GANG} pods")
        namespace = f"many-{number}"
        self._cluster.make_namespace(namespace)
        jobs = [manifests.job(f"many-{n}", namespace) for n in range(MANY)]
        self._created("many", number, jobs, MANY * manifests.GANG)

    def _created(self, key: str, number: int, jobs: list[dict[str, Any]], pods: int) -> None:
        """Submits jobs; takes the time to the last pod and service, and the processor time until all is quiet again."""
        used, began = self._operator.await_rest(), perf_counter()
        submitted(self._cluster.access, jobs)
        self._cluster.await_children(f"{key}-{number}", pods, LIMIT)
        self._note(f"{key}_seconds", perf_counter() - began)
        cpu = self._rested() - used
        self._note(f"{key}_cpu", cpu)
        self._note(f"{key}_cpu_per_thousand", cpu * 1000 / pods)

    def _rested(self) -> float:
        """Returns the processor time used so far, once the last event is sent; who never ends to write is not waited for."""
        deadline = perf_counter() + SETTLE_LIMIT
        while perf_counter() < deadline:
            before = self._cluster.writes()
            used = self._operator.await_rest()
            if not {what: n for what, n in (self._cluster.writes() - before).items() if what != "leases"}:
                break
        return used

    def _at_rest(self, seconds: float) -> None:
        used, before = self._rested(), self._cluster.writes()
        sleep(seconds)
        written = self._cluster.writes() - before
        self._note("rest_leases", written.pop("leases", 0))
        self._note("rest_writes", sum(written.values()))
        self._note("rest_cpu", (self._operator.await_rest() - used) * 100 / (seconds + 1))
        self.writes_seen = dict(written)

    def _restarted(self) -> None:
        """Takes the time from starting the process to the first pod of a job that was submitted while it was down."""
        self._operator.stop()
        self._cluster.make_namespace("restart")
        submitted(self._cluster.access, [manifests.job("late", "restart")])
        began = perf_counter()
        self._operator.start()
        self._cluster.await_pod("restart", manifests.first_pod("late"))
        self._note("restart_seconds", perf_counter() - began)
        self._operator.await_ready()

    def _bare(self, key: str, number: int) -> None:
        """Stops the operator, and creates once more what it has created last; once is enough for all operators."""
        self._operator.stop()
        if self._operator.name != OURS:
            return
        self._say("bare creates of the same objects")
        self._cluster.make_namespace(f"bare-{key}-{number}")
        raw = repeated(self._cluster.access, f"{key}-{number}", f"bare-{key}-{number}")
        self._results.add(f"{key}_seconds", RAW, raw.seconds)
        self._results.add(f"{key}_cpu", RAW, raw.cpu)
        count = self._cluster.count("pods", f"{key}-{number}")
        self._results.add(f"{key}_cpu_per_thousand", RAW, raw.cpu * 1000 / count)

    def _crowded(self) -> None:
        self._cluster.make_namespace("crowd")
        self._operator.start()
        self._operator.await_ready()
        jobs = [manifests.job(f"crowd-{n}", "crowd") for n in range(CROWD)]
        began = perf_counter()
        submitted(self._cluster.access, jobs)
        self._cluster.await_children("crowd", CROWD * manifests.GANG, LIMIT)
        self._note("crowd_seconds", perf_counter() - began)
        self._operator.await_rest()
        self._note("memory_crowd", memory_mib([self._operator.pid]))
