"""Who holds what of which node: pods that were seen bound, and those whose binding was sent and not seen yet."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from corral.reconcile.builtin.binding.demand import Demand, HostPort
from corral.reconcile.builtin.binding.offer import Offer

_NOTHING: Mapping[str, int] = MappingProxyType({})


class Holding(NamedTuple):
    """What one pod holds; `is_assumed` until the binding is seen."""

    node: str
    demand: Demand
    is_assumed: bool


class _Use:
    """The sum of what is held of one node."""

    def __init__(self) -> None:
        self.amounts: dict[str, int] = {}
        self.ports: dict[HostPort, int] = {}
        self.pods = 0

    def add(self, demand: Demand, sign: int) -> None:
        """Adds a pod, or with -1 takes one away."""
        self.pods += sign
        for name, amount in demand.amounts:
            self.amounts[name] = self.amounts.get(name, 0) + sign * amount
        for port in demand.ports:
            self.ports[port] = self.ports.get(port, 0) + sign
            if not self.ports[port]:
                del self.ports[port]


class Ledger:
    """Holdings by the uid of their pod, and their sum for each node. A pod holds once, whatever is heard how often."""

    def __init__(self) -> None:
        self._holdings: dict[str, Holding] = {}
        self._uses: dict[str, _Use] = {}

    def of(self, uid: str) -> Holding | None:
        """Returns what a pod holds, if anything."""
        return self._holdings.get(uid)

    def hold(self, uid: str, holding: Holding) -> str:
        """Notes what a pod holds in place of what it held; returns the node that may have more room by that, or ""."""
        before = self._holdings.get(uid)
        if before is not None and (before.node, before.demand) == (holding.node, holding.demand):
            self._holdings[uid] = holding
            return ""
        freed = self.release(uid)
        self._holdings[uid] = holding
        self._uses.setdefault(holding.node, _Use()).add(holding.demand, 1)
        return freed

    def release(self, uid: str) -> str:
        """Forgets a pod; returns the node that has more room by that, "" when it held nothing."""
        holding = self._holdings.pop(uid, None)
        if holding is None:
            return ""
        use = self._uses[holding.node]
        use.add(holding.demand, -1)
        if not use.pods:
            del self._uses[holding.node]
        return holding.node

    def free(self, offer: Offer, name: str) -> int:
        """Returns how much of a resource is left on a node."""
        use = self._uses.get(offer.name)
        return offer.amounts.get(name, 0) - (use.amounts if use is not None else _NOTHING).get(name, 0)

    def shortages(self, offer: Offer, demand: Demand) -> list[str]:
        """Returns what a node has too little of for such a pod, in kube-scheduler's words; nothing when it fits."""
        use = self._uses.get(offer.name)
        if use is not None and use.ports and any(one.clashes_with(held) for one in demand.ports for held in use.ports):
            return ["node(s) didn't have free ports for the requested pod ports"]
        lacking = ["Too many pods"] if (use.pods if use is not None else 0) >= offer.pods else []
        for name, amount in demand.amounts:
            if self.free(offer, name) < amount:
                lacking.append(f"Insufficient {name}")
        return lacking
