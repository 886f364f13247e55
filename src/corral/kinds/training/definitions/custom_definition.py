"""A whole custom resource definition around the versions of a kind, marked as ours."""

from hashlib import sha256
from typing import Any

import msgspec

from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.training.definitions.schemas import Schema, schema_of
from corral.kinds.training.schema_marks import FINGERPRINT

AGE = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "description": "Since its creation."}


def custom_definition(resource: ApiResource, versions: list[dict[str, Any]]) -> Object:
    """Returns the definition of a kind; its fingerprint changes with everything in it."""
    spec = {
        "group": resource.group,
        "names": {
            "kind": resource.kind,
            "listKind": f"{resource.kind}List",
            "plural": resource.plural,
            "singular": resource.kind.lower(),
        },
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "conversion": {"strategy": "None"},
        "versions": versions,
    }
    fingerprint = sha256(msgspec.json.encode(spec, order="sorted")).hexdigest()[:16]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": resource.qualified, "annotations": {FINGERPRINT: fingerprint}},
        "spec": spec,
    }


def schema_of_object(about: str, spec: type[Any], status: type[Any]) -> Schema:
    """Returns the schema of a whole object from the types of its parts."""
    return {
        "type": "object",
        "description": about,
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": schema_of(spec),
            "status": schema_of(status),
        },
    }


def column(name: str, path: str, meaning: str, type_: str = "string") -> dict[str, Any]:
    """Returns a column that a server prints."""
    return {"name": name, "type": type_, "jsonPath": path, "description": meaning}
