"""Required node affinity: terms of which one must hold, each made of requirements that must all hold."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Requirement(NamedTuple):
    """One condition on a label, or on the name of the node."""

    is_field: bool
    key: str
    operator: str
    values: tuple[str, ...]

    def holds(self, name: str, labels: Mapping[str, str]) -> bool:
        """Whether a node with this name and these labels meets it; an operator that is not known is met by none."""
        found = _field(self.key, name) if self.is_field else labels.get(self.key)
        match self.operator:
            case "In":
                return found is not None and found in self.values
            case "NotIn":
                return found is None or found not in self.values
            case "Exists":
                return found is not None
            case "DoesNotExist":
                return found is None
            case "Gt" | "Lt":
                return self._compares(found)
        return False

    def _compares(self, found: str | None) -> bool:
        if found is None or len(self.values) != 1:
            return False
        try:
            number, limit = int(found), int(self.values[0])
        except ValueError:
            return False
        return number > limit if self.operator == "Gt" else number < limit


Term = tuple[Requirement, ...]


def terms_of(selector: Mapping[str, Any]) -> tuple[Term, ...]:
    """Returns the terms of a node selector."""
    return tuple(_term(one) for one in selector.get("nodeSelectorTerms") or ())


def is_met(terms: tuple[Term, ...] | None, name: str, labels: Mapping[str, str]) -> bool:
    """Whether a node meets one of the terms; an empty term is met by none, no affinity at all by every node."""
    if terms is None:
        return True
    return any(term and all(one.holds(name, labels) for one in term) for term in terms)


def _field(key: str, name: str) -> str | None:
    return name if key == "metadata.name" else None


def _term(term: Mapping[str, Any]) -> Term:
    expressions = [(False, one) for one in term.get("matchExpressions") or ()]
    fields = [(True, one) for one in term.get("matchFields") or ()]
    return tuple(
        Requirement(is_field, one.get("key", ""), one.get("operator", ""), tuple(one.get("values") or ()))
        for is_field, one in [*expressions, *fields]
    )
