"""Which nodes a pod allows at all: node selector, required node affinity, and the taints that it tolerates.

The meaning is that of Kubernetes. A set of rules is a frozen value; the fleet gives equal sets equal numbers and keeps for each
which of its nodes pass.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from corral.placement.offers import NodeOffer, Taint

NAME_FIELD = "metadata.name"
"""The one field of a node, besides labels, that expressions may ask for."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")

REPELLING = ("NoSchedule", "NoExecute")


class Expression(NamedTuple):
    """One requirement on a label: `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether labels meet it; an operator that nobody knows is met by none."""
        value = labels.get(self.key)
        if self.operator == "In":
            return value is not None and value in self.values
        if self.operator == "NotIn":
            return value is None or value not in self.values
        if self.operator == "Exists":
            return value is not None
        if self.operator == "DoesNotExist":
            return value is None
        if self.operator in ("Gt", "Lt") and value is not None and len(self.values) == 1:
            found, bound = _number(value), _number(self.values[0])
            if found is not None and bound is not None:
                return found > bound if self.operator == "Gt" else found < bound
        return False


class Toleration(NamedTuple):
    """A taint, or a family of them, that a pod bears; an empty key with `Exists` bears all, an empty effect every effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def bears(self, taint: Taint) -> bool:
        """Whether this taint does not keep the pod away."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        if self.operator == "Exists":
            return True
        if self.operator not in ("", "Equal"):
            return False  # one of later times: what it bears is not known
        return bool(self.key) and self.value == taint.value


class RuleSet(NamedTuple):
    """All that decides which nodes a pod allows; without any rule it is still kept away by taints."""

    selector: tuple[tuple[str, str], ...] = ()
    """Labels that a node must have, sorted."""
    affinity: tuple[tuple[Expression, ...], ...] = ()
    """Any of these terms must hold; a term holds when all its expressions do, and an empty term never does."""
    tolerations: tuple[Toleration, ...] = ()

    def selects(self, offer: NodeOffer) -> bool:
        """Whether selector and affinity allow a node."""
        labels = dict(offer.labels)
        if any(labels.get(key) != value for key, value in self.selector):
            return False
        if not self.affinity:
            return True
        labels[NAME_FIELD] = offer.name
        return any(term and all(one.holds(labels) for one in term) for term in self.affinity)

    def tolerates(self, offer: NodeOffer) -> bool:
        """Whether every taint that repels is borne."""
        return all(
            any(one.bears(taint) for one in self.tolerations) for taint in offer.taints if taint.effect in REPELLING
        )

    def allows(self, offer: NodeOffer) -> bool:
        """Whether a node passes all rules."""
        return self.selects(offer) and self.tolerates(offer)


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None
