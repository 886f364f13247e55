"""Where kube-apiserver believes the parts of a definition stand.

Schema, subresources, columns and selectable fields are written per version; what all versions have in common it moves
to the top before it validates, so a definition with one version gets findings at `spec.validation`, not at
`spec.versions[0].schema`. Clients match on those paths.
"""

from typing import Any, NamedTuple

_SHARED = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")


class Layout(NamedTuple):
    """A definition's spec as it is validated: the shared parts, and versions without them."""

    shared: dict[str, Any]
    versions: list[dict[str, Any]]


def laid_out(spec: dict[str, Any]) -> Layout:
    """Returns the spec with everything that all versions share moved to the top."""
    versions = [dict(version) for version in spec.get("versions") or ()]
    shared: dict[str, Any] = {}
    for part in _SHARED:
        values = [version.get(part) for version in versions]
        if values and all(value == values[0] for value in values):
            shared[part] = values[0]
            for version in versions:
                version.pop(part, None)
    return Layout(shared, versions)
