"""Turns at nodes whose device plugin asks which pod it is serving, and takes any that is waiting: there one pod is bound after the other.

A kubelet tells its plugin how many devices, and not for whom. The plugin of HAMi then serves the first pod of its node that is marked as
being served, so a second mark would give a pod the GPUs of another one. Nothing is kept over a restart: marks stand on the pods.
"""

from corral.control.scheduling.board import Board
from corral.control.scheduling.promises import State
from corral.kinds.scheduling.ledger import Decision


class Turns:
    """Says whose bind has to wait for another pod of its node."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._on_its_way: dict[str, str] = {}
        """By node, the pod that was let go last; its bind may not have been seen yet."""

    def must_wait(self, decision: Decision, now: float) -> bool:
        """Whether a bind has to wait; when it has not, its turn begins."""
        place = self._board.places.get(decision.node)
        words = place.plugin if place is not None else None
        if words is None or words.is_served is None or not decision.devices:
            return False
        last = self._on_its_way.get(decision.node, decision.uid)
        if last != decision.uid and self._is_on_its_way(last):
            return True
        for hold in self._board.room.fleet.held_on(decision.node):
            known = self._board.crowd.get(hold.seat.uid)
            if known is not None and known.uid != decision.uid and not words.is_served(known.view, now):
                return True
        self._on_its_way[decision.node] = decision.uid
        return False

    def _is_on_its_way(self, uid: str) -> bool:
        known = self._board.crowd.get(uid)
        if known is None or known.view.spec.node_name:
            return False
        return self._board.promises.state(uid) in (State.PROMISED, State.BOUND)
