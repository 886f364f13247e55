"""Taints of nodes that keep pods away, and tolerations of pods that do not mind."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_KEEP_AWAY = ("NoSchedule", "NoExecute")


class Toleration(NamedTuple):
    """What a pod does not mind; an empty key or effect stands for all of them."""

    key: str
    operator: str
    value: str
    effect: str


class Taint(NamedTuple):
    """What a node warns of."""

    key: str
    value: str
    effect: str

    def is_tolerated_by(self, toleration: Toleration) -> bool:
        """Whether a toleration is about this taint."""
        if toleration.effect not in ("", self.effect) or toleration.key not in ("", self.key):
            return False
        if toleration.operator == "Exists":
            return True
        return bool(toleration.key) and toleration.operator in ("", "Equal") and toleration.value == self.value


def toleration_of(fields: Mapping[str, Any]) -> Toleration:
    """Returns a toleration of a pod's specification; how long it lasts does not matter for binding."""
    return Toleration(
        fields.get("key") or "", fields.get("operator") or "", fields.get("value") or "", fields.get("effect") or ""
    )


def keeping_away(taints: Iterable[Mapping[str, Any]]) -> tuple[Taint, ...]:
    """Returns the taints that keep pods from a node; those that merely prefer others are left out."""
    found = (Taint(one.get("key") or "", one.get("value") or "", one.get("effect") or "") for one in taints)
    return tuple(taint for taint in found if taint.effect in _KEEP_AWAY)


def untolerated(taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...]) -> Taint | None:
    """Returns the first taint that a pod minds."""
    return next((taint for taint in taints if not any(taint.is_tolerated_by(one) for one in tolerations)), None)
