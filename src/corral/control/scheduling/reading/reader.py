"""What pods ask, given what else there is: the rules and nodes by which the same words mean one thing or another. Pure.

Whoever holds requests reads those pods again that `stale` names: with a pod or a node that came or went they ask something else.
"""

from collections.abc import Callable, Iterator

from corral.control.scheduling.dialects.gpushare import MIXED, unit_of
from corral.control.scheduling.reading.asks import Request, request_of
from corral.control.scheduling.reading.claims import Storage, claims_of
from corral.control.scheduling.reading.neighbourhood import CrowdColumns, Neighbourhood
from corral.control.scheduling.reading.offers import Place
from corral.kinds.scheduling.names import ALIYUN_MEMORY
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.fleet.rules import RuleSet


class Reader:
    """Reads pods, and knows what their words depend on."""

    def __init__(self, rules: Callable[[RuleSet], int]) -> None:
        self._rules = rules
        self._neighbourhood = Neighbourhood(rules)
        self._units: dict[str, int] = {}
        """In which unit each node of gpushare counts memory."""
        self._by_memory: dict[str, None] = {}
        """The pods that ask for memory in the words of gpushare."""
        self.storage = Storage()
        self._claimants: dict[str, None] = {}
        """The pods with claims that are not bound yet."""
        self._stale: dict[str, None] = {}

    def read(self, pod: SchedulingPod) -> Request:
        """Returns what a pod asks."""
        uid, stored = pod.metadata.uid, self.storage.of(pod)
        request = request_of(pod, lambda one: self._rules(stored.narrowed(one)), self._unit(pod))
        request = request._replace(complaint=request.complaint or stored.complaint)
        if not pod.spec.node_name and any(True for _ in claims_of(pod)):
            self._claimants[uid] = None
        else:
            self._claimants.pop(uid, None)
        if request.speaks_of(ALIYUN_MEMORY):
            self._by_memory[uid] = None
        else:
            self._by_memory.pop(uid, None)
        self._stale.pop(uid, None)
        return self._neighbourhood.take(pod, request)

    def again(self, pod: SchedulingPod, request: Request) -> Request:
        """Returns what a pod asks that was read before, and has not changed itself."""
        if pod.metadata.uid in self._by_memory or pod.metadata.uid in self._claimants:
            return self.read(pod)
        return self._neighbourhood.again(pod, request)

    def forget(self, uid: str) -> None:
        """Notes that a pod is gone."""
        self._by_memory.pop(uid, None)
        self._claimants.pop(uid, None)
        self._stale.pop(uid, None)
        self._neighbourhood.forget(uid)

    def storage_changed(self) -> bool:
        """Notes that claims, volumes or classes are others now; returns whether that concerns anybody."""
        self._stale |= self._claimants
        return bool(self._claimants)

    def take_place(self, name: str, place: Place | None) -> None:
        """Notes a node as it is now, None when it is gone."""
        before, unit = self._units.get(name, 0), unit_of(place.offer) if place is not None else 0
        if unit == before:
            return
        if unit:
            self._units[name] = unit
        else:
            del self._units[name]
        self._stale |= self._by_memory

    def stale(self) -> Iterator[str]:
        """Yields the pods that may ask something else than when they were read."""
        while self._stale:
            uid = next(iter(self._stale))
            del self._stale[uid]
            yield uid
        yield from self._neighbourhood.stale()

    def tidy(self, columns: CrowdColumns) -> None:
        """Lets crowds be forgotten of which nobody speaks any more."""
        self._neighbourhood.tidy(columns)

    def _unit(self, pod: SchedulingPod) -> int:
        """Returns how many MiB one of `aliyun.com/gpu-mem` is: on the node of a pod, else on all nodes; 0 when none counts it."""
        own = self._units.get(pod.spec.node_name, 0)
        if own:
            return own
        units = set(self._units.values())
        return MIXED if len(units) > 1 else next(iter(units), 0)
