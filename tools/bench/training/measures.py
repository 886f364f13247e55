"""The measures of one operator, in the order in which they run: what the first ones make is there for the later ones."""

from collections.abc import Callable
from time import perf_counter, sleep

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

    def run(self, *, rest_seconds: float, crowd: bool) -> None:
        """Carries out every measure; the last one, the crowd, only on request because it takes longest."""
        for namespace in ("large", "many", "raw-large", "raw-many", "restart", "crowd"):
            self._cluster.make_namespace(namespace)
        self._operator.start()
        self._operator.await_ready()
        self._note("memory_idle", memory_mib([self._operator.pid]))
        self._say(f"one job of {LARGE} pods")
        self._created("large", [manifests.job("large", "large", LARGE)], LARGE)
        self._say(f"{MANY} jobs of {manifests.GANG} pods")
        self._created("many", [manifests.job(f"many-{n}", "many") for n in range(MANY)], MANY * manifests.GANG)
        self._note("memory_many", memory_mib([self._operator.pid]))
        self._say(f"at rest for {rest_seconds:.0f} s")
        self._at_rest(rest_seconds)
        self._say("restart")
        self._restarted()
        if self._operator.name == OURS:
            self._say("bare creates of the same objects")
            self._raw("large")
            self._raw("many")
        if crowd:
            self._say(f"{CROWD:,} jobs and {CROWD * manifests.GANG:,} pods")
            self._crowded()

    def _say(self, step: str) -> None:
        self._announce(f"{self._operator.name}: {step}")

    def _note(self, key: str, value: float) -> None:
        self._results.add(key, self._operator.name, value)

    def _created(self, namespace: str, jobs: list[dict[str, object]], pods: int) -> None:
        """Submits jobs; takes the time to the last pod and service, and the processor time until all is quiet again."""
        used, began = self._operator.await_rest(), perf_counter()
        submitted(self._cluster.access, jobs)
        self._cluster.await_children(namespace, pods, LIMIT)
        self._note(f"{namespace}_seconds", perf_counter() - began)
        cpu = self._rested() - used
        self._note(f"{namespace}_cpu", cpu)
        self._note(f"{namespace}_cpu_per_thousand", cpu * 1000 / pods)

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
        submitted(self._cluster.access, [manifests.job("late", "restart")])
        began = perf_counter()
        self._operator.start()
        self._cluster.await_pod("restart", manifests.first_pod("late"))
        self._note("restart_seconds", perf_counter() - began)
        self._operator.await_ready()

    def _raw(self, namespace: str) -> None:
        self._operator.stop()
        raw = repeated(self._cluster.access, namespace, f"raw-{namespace}")
        self._results.add(f"{namespace}_seconds", RAW, raw.seconds)
        self._results.add(f"{namespace}_cpu", RAW, raw.cpu)
        count = self._cluster.count("pods", namespace)
        self._results.add(f"{namespace}_cpu_per_thousand", RAW, raw.cpu * 1000 / count)

    def _crowded(self) -> None:
        self._operator.stop()
        self._operator.start()
        self._operator.await_ready()
        jobs = [manifests.job(f"crowd-{n}", "crowd") for n in range(CROWD)]
        began = perf_counter()
        submitted(self._cluster.access, jobs)
        self._cluster.await_children("crowd", CROWD * manifests.GANG, LIMIT)
        self._note("crowd_seconds", perf_counter() - began)
        self._operator.await_rest()
        self._note("memory_crowd", memory_mib([self._operator.pid]))
