"""Which terms count for each queue, where objects of several kinds may describe it. Pure.

A queue whose terms cannot be read is there all the same: else its gangs would be let in by no terms at all, and if it were the only
one, everybody's would.
"""

from collections.abc import Sequence
from typing import NamedTuple

from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.kinds.references import ApiResource
from corral.placement.admission.queues import QueueTerms


class Unreadable(NamedTuple):
    """What stands in place of terms that cannot be read, and why."""

    complaint: str


Given = QueueTerms | Unreadable


class Register:
    """All queues by name; of several kinds that describe one, the first counts."""

    def __init__(self, desk: AdmissionDesk, kinds: Sequence[ApiResource]) -> None:
        self._desk = desk
        self._given: dict[ApiResource, dict[str, Given]] = {kind: {} for kind in kinds}

    def put(self, kind: ApiResource, name: str, given: Given) -> bool:
        """Notes what an object says; returns whether that changes anything."""
        before = self.get(name)
        self._given[kind][name] = given
        return self._settle(name, before)

    def remove(self, kind: ApiResource, name: str) -> bool:
        """Notes that an object is gone; returns whether that changes anything."""
        before = self.get(name)
        self._given[kind].pop(name, None)
        return self._settle(name, before)

    def get(self, name: str) -> Given | None:
        """Returns what counts for a queue, None when there is none of that name."""
        return next((held[name] for held in self._given.values() if name in held), None)

    def _settle(self, name: str, before: Given | None) -> bool:
        now = self.get(name)
        if now == before:
            return False
        match now:
            case None:
                self._desk.remove_queue(name)
            case Unreadable(complaint):
                self._desk.put_unreadable(name, complaint)
            case _:
                self._desk.put_queue(now)
        return True
