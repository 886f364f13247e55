"""Label sets and label selectors as one line of text."""

from collections.abc import Mapping
from typing import Any

_OPERATORS = {"In": " in ({})", "NotIn": " notin ({})"}


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Returns `a=b,c=d` sorted by key, or `<none>`."""
    return ",".join(f"{key}={labels[key]}" for key in sorted(labels)) if labels else "<none>"


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """Returns a label selector as kubectl would take it on the command line; "" when it chooses everything."""
    if selector is None:
        return ""
    parts = [(key, f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()]
    parts += [(rule["key"], _requirement(rule)) for rule in selector.get("matchExpressions") or ()]
    parts.sort(key=lambda part: part[0])  # by key; requirements of one key keep their order
    return ",".join(text for _, text in parts)


def _requirement(rule: Mapping[str, Any]) -> str:
    key, operator = rule["key"], rule["operator"]
    if operator == "Exists":
        return str(key)
    if operator == "DoesNotExist":
        return f"!{key}"
    return str(key) + _OPERATORS[operator].format(",".join(sorted(rule.get("values") or ())))
