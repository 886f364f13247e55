"""The binder's view of everything, and its decisions: what nodes offer, who holds what, who waits, who goes where.

Fed with every change of nodes and pods; a decision counts as a holding from the moment it is made, so that the next one
cannot give the same away again. A holding that was only assumed stays until the binding is seen, or until the server
has said that there is none.
"""

from collections import Counter
from typing import NamedTuple

from corral.kinds.objects import Object, uid_of
from corral.kinds.references import ObjectKey
from corral.reconcile.builtin.binding.demand import demand_of, is_ours
from corral.reconcile.builtin.binding.ledger import Holding, Ledger
from corral.reconcile.builtin.binding.line import Crowd, Line, waiting_of
from corral.reconcile.builtin.binding.offer import Offer, offer_of
from corral.reconcile.builtin.pods import has_ended

NO_NODES = "no nodes available to schedule pods"


class Choice(NamedTuple):
    """A pod and the node it goes to."""

    key: ObjectKey
    uid: str
    node: str


class Board:
    """Everything that decisions rest on; made anew from the API by every process that starts."""

    def __init__(self) -> None:
        self.changes = 0
        """Counts what may change a decision or the reason of one; the same number means that nothing is new."""
        self._offers: dict[str, Offer] = {}
        self._ledger = Ledger()
        self._line = Line()
        self._assumed: set[str] = set()
        self._grown: dict[str, None] = {}

    # --- what is heard ---

    def take_node(self, name: str, node: Object | None) -> None:
        """Notes a node as it is now, None when it is gone or is not to be used."""
        offer = offer_of(node) if node is not None else None
        if offer == self._offers.get(name):
            return
        self.changes += 1
        if offer is None:
            del self._offers[name]
            self._grown.pop(name, None)
            for crowd in self._line:
                crowd.forget(name)
        else:
            self._offers[name] = offer
            self._grown[name] = None

    def take_pod(self, before: Object | None, pod: Object | None) -> None:
        """Notes a pod as a cache shows it: what it was before, None when it is new, and what it is, None when it is gone."""
        if before is not None and (pod is None or uid_of(pod) != uid_of(before)):
            self._forget(uid_of(before))
        if pod is None:
            return
        uid, node = uid_of(pod), pod["spec"].get("nodeName")
        if has_ended(pod):
            self._forget(uid)
        elif node:
            self._take_bound(uid, node, pod)
        elif uid not in self._assumed:  # one whose binding is under way is merely seen late
            self._freed(self._ledger.release(uid))
            self._take_unbound(uid, pod)

    def _take_bound(self, uid: str, node: str, pod: Object) -> None:
        known = self._ledger.of(uid)
        self._assumed.discard(uid)
        self._line.remove(uid)
        if known is not None and known.node == node and not known.is_assumed:
            return
        if known is None or known.node != node:
            self.changes += 1
        self._freed(self._ledger.hold(uid, Holding(node, known.demand if known else demand_of(pod), False)))

    def _take_unbound(self, uid: str, pod: Object) -> None:
        if not is_ours(pod):
            self._line.remove(uid)
        elif self._line.add(waiting_of(pod), demand_of(pod)):
            self.changes += 1

    def _forget(self, uid: str) -> None:
        self._assumed.discard(uid)
        self._line.remove(uid)
        self._freed(self._ledger.release(uid))

    def _freed(self, node: str) -> None:
        if node:
            self.changes += 1
            if node in self._offers:
                self._grown[node] = None

    # --- what is decided ---

    def next_choice(self) -> Choice | None:
        """Returns the next pod to bind and its node, which it holds from now on; None when no pod fits anywhere."""
        self._spread_hope()
        while (crowd := self._line.next_hopeful()) is not None:
            offer, pod = self._best(crowd), crowd.first()
            if offer is None or pod is None:
                crowd.is_hopeful = False
                continue
            self._line.remove(pod.uid)
            self._assumed.add(pod.uid)
            self._ledger.hold(pod.uid, Holding(offer.name, crowd.demand, True))
            self.changes += 1
            return Choice(pod.key, pod.uid, offer.name)
        return None

    def settle(self, uid: str, pod: Object | None) -> None:
        """Ends the doubt about an assumed binding with what the server itself says; None when it has no such pod.

        One that is bound stays assumed, at the node that the server names, until a cache shows it.
        """
        if uid not in self._assumed:
            return
        holding = self._ledger.of(uid)
        node = pod["spec"].get("nodeName") if pod is not None and uid_of(pod) == uid else None
        if node and holding is not None:
            self._freed(self._ledger.hold(uid, Holding(node, holding.demand, True)))
            return
        self._forget(uid)
        if pod is not None and uid_of(pod) == uid:
            self._take_unbound(uid, pod)

    def assume(self, pod: Object) -> None:
        """Notes a pod that the server shows bound and that a cache may not show so yet."""
        uid, known = uid_of(pod), self._ledger.of(uid_of(pod))
        if has_ended(pod) or (known is not None and not known.is_assumed):
            return
        self._line.remove(uid)
        self._assumed.add(uid)
        self._ledger.hold(uid, Holding(pod["spec"]["nodeName"], demand_of(pod), True))

    def is_assumed(self, uid: str) -> bool:
        """Whether a binding was decided and is not seen yet."""
        return uid in self._assumed

    def _spread_hope(self) -> None:
        """Lets crowds hope that fit on a node which has more room than before."""
        grown = [self._offers[name] for name in self._grown if name in self._offers]
        self._grown.clear()
        if not grown:
            return
        for crowd in self._line:
            if not crowd.is_hopeful and any(self._fits(crowd, offer) for offer in grown):
                self._line.raise_hope(crowd)

    def _fits(self, crowd: Crowd, offer: Offer) -> bool:
        return not crowd.refusal_of(offer) and not self._ledger.shortages(offer, crowd.demand)

    def _best(self, crowd: Crowd) -> Offer | None:
        """Returns the node to take: where pods run for real first, then the one with the least to spare."""
        fitting = [offer for offer in self._offers.values() if self._fits(crowd, offer)]
        if not fitting:
            return None
        wanted = [name for name, _ in crowd.demand.amounts]
        return min(fitting, key=lambda offer: (offer.order, self._spare(offer, wanted), offer.name))

    def _spare(self, offer: Offer, wanted: list[str]) -> int:
        return sum(self._ledger.free(offer, name) for name in wanted or offer.amounts)

    # --- what is told ---

    @property
    def has_waiting(self) -> bool:
        """Whether pods wait."""
        return len(self._line) > 0

    def is_waiting(self, uid: str) -> bool:
        """Whether a pod waits."""
        return uid in self._line

    def refused(self) -> list[tuple[str, list[ObjectKey]]]:
        """Returns the pods that fit nowhere, with the sentence why; those that were not looked at yet are left out."""
        return [(self._sentence(crowd), [pod.key for pod in crowd]) for crowd in self._line if not crowd.is_hopeful]

    def _sentence(self, crowd: Crowd) -> str:
        if not self._offers:
            return NO_NODES
        reasons: Counter[str] = Counter()
        for offer in self._offers.values():
            refused = crowd.refusal_of(offer)
            reasons.update([refused] if refused else self._ledger.shortages(offer, crowd.demand))
        told = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))
        return f"0/{len(self._offers)} nodes are available: {told}."
