"""A fleet and a policy as the room of admission."""

from contextlib import AbstractContextManager

from corral.placement.admission.room import Draft
from corral.placement.asks import Gang, Plan, PodAsk, Refusal, Seat
from corral.placement.fleet import Fleet
from corral.placement.gangs import plan
from corral.placement.offers import NodeOffer
from corral.placement.potentials import Policy, policy


class FleetRoom:
    """A `NodeRoom` whose places are chosen by the engine."""

    def __init__(self, fleet: Fleet, by: Policy | None = None) -> None:
        self.fleet = fleet
        self.policy = by or policy()

    def put(self, offer: NodeOffer) -> None:
        """Adds or replaces a node; what is held on it stays."""
        self.fleet.put(offer)

    def remove(self, name: str) -> None:
        """Takes a node away."""
        self.fleet.remove(name)

    def plan(self, gang: Gang) -> Plan | Refusal:
        """Returns where a gang goes, or why it goes nowhere."""
        return plan(self.fleet, gang, self.policy)

    def hold(self, seat: Seat, ask: PodAsk) -> None:
        """Takes a seat, also one that is taken."""
        self.fleet.hold(seat, ask)

    def release(self, uid: str) -> None:
        """Gives back what a pod holds."""
        self.fleet.release(uid)

    def draft(self) -> AbstractContextManager[Draft]:
        """Opens a block whose changes are undone at its end."""
        return self.fleet.draft()
