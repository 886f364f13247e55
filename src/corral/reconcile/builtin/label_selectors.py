"""Label selectors as objects write them: matchLabels and matchExpressions."""

from collections.abc import Mapping
from typing import Any


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether labels fit; a selector that is absent fits nothing, an empty one everything."""
    if selector is None:
        return False
    wanted = selector.get("matchLabels") or {}
    if any(labels.get(name) != value for name, value in wanted.items()):
        return False
    return all(_holds(expression, labels) for expression in selector.get("matchExpressions") or ())


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    name, values = expression["key"], expression.get("values") or ()
    match expression["operator"]:
        case "In":
            return name in labels and labels[name] in values
        case "NotIn":
            return labels.get(name) not in values or name not in labels
        case "Exists":
            return name in labels
        case "DoesNotExist":
            return name not in labels
    return False  # an operator of a later version: matching too little is the safe side


def is_empty(selector: Mapping[str, Any] | None) -> bool:
    """Whether a selector would fit everything."""
    return selector is not None and not selector.get("matchLabels") and not selector.get("matchExpressions")
