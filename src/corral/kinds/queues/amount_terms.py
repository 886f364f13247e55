"""Terms about amounts of resources, beyond those that training jobs need."""

import msgspec

from corral.kinds.quantities import QuantityError, parse_quantity
from corral.kinds.training.validation.terms import Scope, Term


class Exceeds(msgspec.Struct, frozen=True):
    """Whether an amount is more than another one; what cannot be read is not, the schema refuses it."""

    left: Term
    right: Term

    def value(self, scope: Scope) -> bool:
        """Returns whether it is."""
        try:
            left, right = (parse_quantity(str(one.value(scope))).nanos for one in (self.left, self.right))
        except QuantityError:
            return False
        return left > right

    def cel(self) -> str:
        """Returns the same by the quantities of Kubernetes' CEL."""
        left, right = (f"string({one.cel()})" for one in (self.left, self.right))
        return f"isQuantity({left}) && isQuantity({right}) && quantity({left}).isGreaterThan(quantity({right}))"
