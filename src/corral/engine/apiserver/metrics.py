"""The server's own metrics, in Prometheus text form, under the names that Kubernetes dashboards know."""

from collections import Counter
from collections.abc import Callable

from corral.engine.apiserver.world import World

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """Counts and times requests."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._durations: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self.refused = 0
        self.in_flight = 0
        self.connections: Callable[[], int] = lambda: 0

    def observe(self, method: str, code: int, seconds: float) -> None:
        """Notes one finished request; watches are counted, not timed."""
        self._requests[method, code] += 1
        buckets = self._durations.setdefault(method, [0] * (len(BUCKETS) + 1))
        buckets[next((i for i, limit in enumerate(BUCKETS) if seconds <= limit), len(BUCKETS))] += 1
        self._seconds[method] += seconds  # type: ignore[assignment]

    def text(self, world: World) -> str:
        """Returns everything as Prometheus text."""
        lines = ["# TYPE apiserver_request_total counter"]
        lines += [
            f'apiserver_request_total{{verb="{m}",code="{c}"}} {n}' for (m, c), n in sorted(self._requests.items())
        ]
        lines.append("# TYPE apiserver_request_duration_seconds histogram")
        for method, buckets in sorted(self._durations.items()):
            lines += self._histogram(method, buckets)
        lines += _gauge("apiserver_current_inflight_requests", self.in_flight)
        lines += _counter("corral_apiserver_refused_requests_total", self.refused)
        lines += _gauge("apiserver_longrunning_requests", len(world.watches) + len(world.streams))
        lines += _counter("corral_apiserver_refused_watches_total", world.watches.refused)
        lines += _gauge("corral_apiserver_open_connections", self.connections())
        lines += _gauge("corral_store_revision", world.store.revision)
        lines += _counter("corral_store_committed_writes_total", world.store.committed_writes)
        lines += _gauge("corral_store_size_bytes", world.store.size_on_disk())
        lines.append("# TYPE apiserver_storage_objects gauge")
        for collection in world.store.collections():
            group, plural = collection.name.split("/")
            name = f"{plural}.{group}" if group else plural
            lines.append(f'apiserver_storage_objects{{resource="{name}"}} {len(collection)}')
        return "\n".join(lines) + "\n"

    def _histogram(self, method: str, buckets: list[int]) -> list[str]:
        name, total, lines = "apiserver_request_duration_seconds", 0, []
        for limit, count in zip((*map(str, BUCKETS), "+Inf"), buckets, strict=True):
            total += count
            lines.append(f'{name}_bucket{{verb="{method}",le="{limit}"}} {total}')
        return [
            *lines,
            f'{name}_sum{{verb="{method}"}} {self._seconds[method]:.6f}',
            f'{name}_count{{verb="{method}"}} {total}',
        ]


def _gauge(name: str, value: float) -> list[str]:
    return [f"# TYPE {name} gauge", f"{name} {value}"]


def _counter(name: str, value: float) -> list[str]:
    return [f"# TYPE {name} counter", f"{name} {value}"]
