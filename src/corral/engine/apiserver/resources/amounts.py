"""Maps of resource names to quantities (capacity, requests, ...) in their stored form, and what may stand in them."""

from typing import Any

from corral.engine.apiserver.field_errors import FieldError, invalid
from corral.engine.apiserver.resources.metadata_validation import NOT_NEGATIVE
from corral.engine.apiserver.resources.resource_requirements import is_extended
from corral.kinds.quantities import parse_quantity, quantity_text, resource_quantity


def settle_amounts(holder: dict[str, Any], *fields: str) -> None:
    """Brings the quantities in `holder[field]` into the form in which they rest."""
    for field in fields:
        amounts: dict[str, Any] = holder.get(field) or {}
        for name, value in amounts.items():
            amounts[name] = resource_quantity(quantity_text(value)).text


def settle_quantities(holder: dict[str, Any], *fields: str) -> None:
    """Brings single quantities into the form in which they rest."""
    for field in fields:
        if holder.get(field) is not None:
            holder[field] = parse_quantity(quantity_text(holder[field])).text


def amount_errors(path: str, name: str, text: str) -> list[FieldError]:
    """Returns what is wrong with an amount of a resource: it is not negative, and whole where halves make no sense."""
    amount = parse_quantity(text)
    errors = [invalid(path, text, NOT_NEGATIVE)] if amount.nanos < 0 else []
    if not amount.is_whole and (name == "pods" or is_extended(name)):
        errors.append(invalid(path, text, "must be an integer"))
    return errors
