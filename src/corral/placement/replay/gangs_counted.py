"""Nodes as counts: a room for gangs of whole GPUs, where only how much is left on each node matters.

It knows no devices, models, rules or topology. Each pod goes to the node that has least left of what it needs, so that whole
nodes stay whole; pods that need most go first. Simulations of long queues ask it thousands of times a second.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from corral.placement.admission.amounts import GPU, Amounts, add, amounts_of_node, amounts_of_pod, lacking, subtract
from corral.placement.asks import Gang, Member, Plan, PodAsk, Refusal, Seat
from corral.placement.offers import NodeOffer


class _Draft:
    def __init__(self) -> None:
        self.is_kept = False

    def keep(self) -> None:
        self.is_kept = True


class CountedRoom:
    """A `NodeRoom` of counts."""

    def __init__(self) -> None:
        self._offers: dict[str, Amounts] = {}
        self._free: dict[str, Amounts] = {}
        self._held: dict[str, tuple[str, PodAsk]] = {}
        self._undo: list[list[tuple[str, tuple[str, PodAsk] | None]]] = []

    def put(self, offer: NodeOffer) -> None:
        """Adds or replaces a node; what is held on it stays."""
        self.remove(offer.name)
        self._offers[offer.name] = amounts_of_node(offer)
        free = dict(self._offers[offer.name])
        for node, ask in self._held.values():
            if node == offer.name:
                subtract(free, amounts_of_pod(ask))
        self._free[offer.name] = free

    def remove(self, name: str) -> None:
        """Takes a node away."""
        self._offers.pop(name, None)
        self._free.pop(name, None)

    def hold(self, seat: Seat, ask: PodAsk) -> None:
        """Takes a seat; the same uid again replaces."""
        self._set(seat.uid, (seat.node, ask))

    def release(self, uid: str) -> None:
        """Gives back what a pod holds."""
        self._set(uid, None)

    @contextmanager
    def draft(self) -> Iterator[_Draft]:
        """Opens a block whose changes are undone at its end, unless they are kept."""
        draft = _Draft()
        self._undo.append([])
        try:
            yield draft
        finally:
            changes = self._undo.pop()
            if draft.is_kept:
                for outer in self._undo[-1:]:
                    outer.extend(changes)
            else:
                for uid, before in reversed(changes):
                    self._set(uid, before, is_noted=False)

    def plan(self, gang: Gang) -> Plan | Refusal:
        """Returns where a gang goes, or that there is no room."""
        seats: list[Seat] = []
        held = sum(1 for one in gang.members if one.held)
        with self.draft():
            for one in sorted(gang.members, key=_size, reverse=True):
                node = "" if one.held else self._node_for(amounts_of_pod(one.ask))
                if node:
                    seats.append(Seat(one.uid, node))
                    self.hold(seats[-1], one.ask)
        if seats and len(seats) + held >= gang.minimum:
            return Plan(gang.uid, tuple(seats))
        sentence = f"{len(seats)} of {gang.minimum} pods fit on the nodes as they are."
        return Refusal(gang.uid, "no-place", sentence, (("pods", gang.minimum),), (("pods", len(seats)),))

    def free(self, name: str) -> Mapping[str, int]:
        """Returns what is left on a node."""
        return self._free[name]

    def _node_for(self, needs: Amounts) -> str:
        fitting = [(free.get(GPU, 0), name) for name, free in self._free.items() if not lacking(needs, free)]
        return min(fitting)[1] if fitting else ""

    def _set(self, uid: str, after: tuple[str, PodAsk] | None, is_noted: bool = True) -> None:
        before = self._held.pop(uid, None)
        if before is not None and before[0] in self._free:
            add(self._free[before[0]], amounts_of_pod(before[1]))
        if after is not None:
            self._held[uid] = after
            if after[0] in self._free:
                subtract(self._free[after[0]], amounts_of_pod(after[1]))
        if is_noted and self._undo:
            self._undo[-1].append((uid, before))


def _size(member: Member) -> tuple[int, int, int]:
    return (member.ask.gpu.total, member.ask.cpu, member.ask.memory)
