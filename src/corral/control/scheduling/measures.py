"""What the scheduler counts, over all reigns of a process."""

from corral.control.metrics import SECONDS, Counter, Histogram, Metrics


class Measures:
    """Counters and histograms; gauges are asked of the reign itself."""

    def __init__(self) -> None:
        self.bound = Counter("corral_scheduler_bound_pods_total", "Pods that were bound.")
        self.refused = Counter("corral_scheduler_refused_binds_total", "Decisions that the server refused for good.")
        self.evicted = Counter("corral_scheduler_evicted_pods_total", "Pods that were evicted, by reason.", ("reason",))
        self.waited = Histogram(
            "corral_scheduler_wait_seconds", "From the creation of a pod to its bind.", bounds=SECONDS
        )
        self.decided = Histogram("corral_scheduler_cycle_seconds", "How long a cycle of decisions took.")
        self.written = Histogram("corral_scheduler_ledger_write_seconds", "How long a write to the ledger took.")
        self._all = Metrics()
        self._all.add(self.bound, self.refused, self.evicted, self.waited, self.decided, self.written)

    def text(self) -> str:
        """Returns everything in the text form of Prometheus."""
        return self._all.text()
