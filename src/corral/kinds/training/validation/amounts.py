"""Which amounts of devices are no whole numbers: a pod that asks for half a GPU is refused, so its job is."""

import msgspec

from corral.kinds.quantities import QuantityError, parse_quantity
from corral.kinds.training.validation.terms import Scope, Term

_NANO = 10**9
_LARGEST = 1e15
"""Beyond it a fraction is lost in rounding, and nobody has so many devices."""


class Fractions(msgspec.Struct, frozen=True):
    """The names in a map of amounts that are devices (`nvidia.com/gpu`) and have a fraction."""

    of: Term

    def value(self, scope: Scope) -> list[str]:
        """Returns the names."""
        given = self.of.value(scope)
        return [name for name in given if _is_device(name) and _has_fraction(str(given[name]))]

    def cel(self) -> str:
        """Returns the names; CEL rounds amounts, which is good enough to see a fraction."""
        number = "quantity(string(amounts[name])).asApproximateFloat()"
        fraction = f"{number} < {_LARGEST:.1f} && double(int({number})) != {number}"
        device = 'name.contains("/") && !name.contains("kubernetes.io/")'
        found = f"amounts.filter(name, {device} && isQuantity(string(amounts[name])) && {fraction})"
        return f"[{self.of.cel()}].map(amounts, {found})[0]"


def _is_device(name: str) -> bool:
    return "/" in name and "kubernetes.io/" not in name


def _has_fraction(text: str) -> bool:
    try:
        number = parse_quantity(text).nanos / _NANO
    except QuantityError:
        return False
    return number < _LARGEST and not number.is_integer()


class IsInt32(msgspec.Struct, frozen=True):
    """Whether a value of any type is a whole number of 32 bits."""

    term: Term

    def value(self, scope: Scope) -> bool:
        """Returns whether it is."""
        found = self.term.value(scope)
        return isinstance(found, int) and not isinstance(found, bool) and -(2**31) <= found < 2**31

    def cel(self) -> str:
        """Returns the same, by CEL's type of the value."""
        given = self.term.cel()
        return f"type({given}) == int && int({given}) >= {-(2**31)} && int({given}) < {2**31}"
