"""What admission asks of whoever knows the nodes: where a gang goes, and what becomes of that when something else goes or comes."""

from contextlib import AbstractContextManager
from typing import Protocol

from corral.placement.asks import Gang, Plan, PodAsk, Refusal, Seat
from corral.placement.offers import NodeOffer


class Draft(Protocol):
    """Changes that are undone at the end of their block, unless they are kept."""

    def keep(self) -> None:
        """Lets the changes stay."""


class Room(Protocol):
    """Nodes and what is left on them. `plan` changes nothing; the same room, asked the same, answers the same."""

    def plan(self, gang: Gang) -> Plan | Refusal:
        """Returns where a gang goes, all that must and as many more as can, or why it goes nowhere."""

    def hold(self, seat: Seat, ask: PodAsk) -> None:
        """Takes a seat, also one that is taken: then less than nothing is left there. The same uid again replaces."""

    def release(self, uid: str) -> None:
        """Gives back what a pod holds; one that holds nothing is no error."""

    def draft(self) -> AbstractContextManager[Draft]:
        """Opens a block whose changes are undone at its end."""


class NodeRoom(Room, Protocol):
    """A room whose nodes come and go."""

    def put(self, offer: NodeOffer) -> None:
        """Adds or replaces a node; what is held on it stays."""

    def remove(self, name: str) -> None:
        """Takes a node away."""
