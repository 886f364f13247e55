"""Which circles the rules of pods speak of, by number, and who belongs to them. Pure.

A circle has a number from the first pod on whose rules speak of it until the last one is gone. When one comes or goes, the pods in it
ask something else than before: `stale` names them, and whoever holds their asks reads them again.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

from corral.control.scheduling.reading.asks import Request
from corral.control.scheduling.reading.circles import Circle, Wish, wishes_of
from corral.kinds.objects import Metadata
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.asks import Neighbours
from corral.placement.fleet.rules import RuleSet

_Label = tuple[str, str]


class CrowdColumns(Protocol):
    """Who keeps numbers of each crowd."""

    def drop_crowd(self, number: int) -> bool:
        """Forgets a crowd of which nobody is left; returns whether that is so."""


class Neighbourhood:
    """All pods that were read, and the circles that they speak of."""

    def __init__(self, rules: Callable[[RuleSet], int]) -> None:
        self._rules = rules
        self._pods: dict[str, dict[str, Metadata]] = {}
        """By namespace and uid."""
        self._where: dict[str, str] = {}
        """The namespace of each pod."""
        self._wishes: dict[str, tuple[Wish, ...]] = {}
        self._numbers: dict[Circle, int] = {}
        self._speakers: dict[Circle, dict[str, None]] = {}
        self._by_label: dict[_Label | None, dict[Circle, None]] = {}
        """Circles by a label that their pods must have, None for those without any such."""
        self._next = 0
        self._stale: dict[str, None] = {}
        self._retired: list[int] = []

    def take(self, pod: SchedulingPod, request: Request) -> Request:
        """Notes a pod as it is now; returns its request with the rules about others, and with the circles it belongs to."""
        metadata = pod.metadata
        wishes, complaint = wishes_of(pod)
        self._pods.setdefault(metadata.namespace, {})[metadata.uid] = metadata
        self._where[metadata.uid] = metadata.namespace
        self._speak(metadata.uid, wishes)
        return self.again(pod, request._replace(complaint=request.complaint or complaint))

    def again(self, pod: SchedulingPod, request: Request) -> Request:
        """Returns a request as it is now that circles may have come or gone."""
        if not self._numbers:
            return request
        wishes = self._wishes.get(pod.metadata.uid, ())
        neighbours = tuple(self._neighbours(one) for one in wishes)
        ask = request.ask._replace(crowds=tuple(sorted(self._circles_of(pod))), neighbours=neighbours)
        return request._replace(ask=ask)

    def forget(self, uid: str) -> None:
        """Notes that a pod is gone."""
        namespace = self._where.pop(uid, None)
        if namespace is None:
            return
        del self._pods[namespace][uid]
        if not self._pods[namespace]:
            del self._pods[namespace]
        self._speak(uid, ())
        self._stale.pop(uid, None)

    def stale(self) -> Iterator[str]:
        """Yields the pods that ask something else than when they were read."""
        while self._stale:
            uid = next(iter(self._stale))
            del self._stale[uid]
            yield uid

    def tidy(self, columns: CrowdColumns) -> None:
        """Lets crowds be forgotten of which nobody speaks any more."""
        self._retired = [one for one in self._retired if not columns.drop_crowd(one)]

    def _neighbours(self, wish: Wish) -> Neighbours:
        among = -1 if wish.among is None else self._rules(wish.among)
        return Neighbours(wish.kind, self._numbers[wish.circle], wish.level, wish.skew, among, wish.least)

    def _circles_of(self, pod: SchedulingPod) -> Iterator[int]:
        for label in (None, *pod.metadata.labels.items()):
            yield from (self._numbers[one] for one in self._by_label.get(label, ()) if one.has(pod.metadata))

    def _speak(self, uid: str, wishes: tuple[Wish, ...]) -> None:
        before = self._wishes.get(uid, ())
        if before == wishes:
            return
        if wishes:
            self._wishes[uid] = wishes
        else:
            del self._wishes[uid]
        now = {one.circle for one in wishes}
        for circle in dict.fromkeys(one.circle for one in wishes):
            self._open(circle, uid)
        for circle in dict.fromkeys(one.circle for one in before if one.circle not in now):
            self._leave(circle, uid)

    def _open(self, circle: Circle, uid: str) -> None:
        speakers = self._speakers.setdefault(circle, {})
        speakers[uid] = None
        if circle not in self._numbers:
            self._next += 1
            self._numbers[circle] = self._next
            for label in _labels_of(circle):
                self._by_label.setdefault(label, {})[circle] = None
            self._read_again(circle)

    def _leave(self, circle: Circle, uid: str) -> None:
        speakers = self._speakers[circle]
        del speakers[uid]
        if speakers:
            return
        del self._speakers[circle]
        self._retired.append(self._numbers.pop(circle))
        for label in _labels_of(circle):
            del self._by_label[label][circle]
            if not self._by_label[label]:
                del self._by_label[label]
        self._read_again(circle)

    def _read_again(self, circle: Circle) -> None:
        term = circle.terms[0]
        namespaces = term.namespaces if term.also is None else tuple(self._pods)
        for namespace in namespaces:
            pods = self._pods.get(namespace, {})
            self._stale |= {uid: None for uid, metadata in pods.items() if circle.has(metadata)}


def _labels_of(circle: Circle) -> list[_Label | None]:
    """Returns labels of which every pod of a circle has exactly one, as far as its selector names such."""
    for one in circle.terms[0].labels or ():
        if one.operator == "In":
            return [(one.key, value) for value in dict.fromkeys(one.values)]
    return [None]
