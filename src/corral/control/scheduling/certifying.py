"""Certificates of what a cycle admitted, from the state of the fleet after it."""

from collections.abc import Iterator, Sequence

from corral.control.scheduling.desk import Admitted
from corral.placement.asks import Seat
from corral.placement.certificates.certificate import BEGINNING, Certificate, NodeThen, Taken, sealed
from corral.placement.fleet import Fleet


class Certifier:
    """Seals one certificate after the other."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._last = BEGINNING
        self._count = 0

    def certify(self, admitted: Sequence[Admitted], epoch: int) -> list[Certificate]:
        """Returns the certificates of a cycle, in order; all it admitted is held already."""
        later = {seat.uid for one in admitted for seat in one.plan.seats}
        made = []
        for one in admitted:
            made.append(self._certificate(one, epoch, later))
            later.difference_update(seat.uid for seat in one.plan.seats)
        return made

    def _certificate(self, admitted: Admitted, epoch: int, later: set[str]) -> Certificate:
        gang, seats = admitted.claim.gang, admitted.plan.seats
        asks = {one.uid: one.ask for one in gang.members}
        self._count += 1
        bare = Certificate(
            number=self._count,
            epoch=epoch,
            gang=gang.uid,
            minimum=gang.minimum,
            seated=sum(bool(one.held) for one in gang.members),
            within=gang.within,
            given=tuple(Taken(seat, asks[seat.uid]) for seat in seats),
            nodes=tuple(self._node(name, later) for name in dict.fromkeys(seat.node for seat in seats)),
        )
        certificate = sealed(bare, self._last)
        self._last = certificate.digest
        return certificate

    def _node(self, name: str, later: set[str]) -> NodeThen:
        return NodeThen(self._fleet.offers[name], tuple(self._holds(name, later)))

    def _holds(self, name: str, later: set[str]) -> Iterator[Taken]:
        for hold in self._fleet.held_on(name):
            if hold.seat.uid not in later:
                yield Taken(Seat(hold.seat.uid, name, hold.devices), hold.ask)
