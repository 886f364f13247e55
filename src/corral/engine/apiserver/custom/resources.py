"""Makes the resources that a CustomResourceDefinition stands for: one for each served version."""

from collections.abc import Callable, Mapping
from typing import Any

from corral.engine.apiserver.custom.columns import printer_of
from corral.engine.apiserver.custom.json_path import JsonPath, parse_path
from corral.engine.apiserver.custom.strategy import CustomStrategy
from corral.engine.apiserver.resources.resource import Object, Resource, Scale
from corral.engine.apiserver.schema.defaulting import apply_defaults, copied
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.schema.pruning import drop_nulls, prune
from corral.engine.apiserver.schema.structural import compile_schema

Crd = dict[str, Any]


def resources_of(crd: Crd) -> list[Resource]:
    """Returns the resource of each served version, in the order of the definition."""
    spec = crd["spec"]
    versions = spec["versions"]
    storage = next(version["name"] for version in versions if version.get("storage"))
    schemas = {version["name"]: _schema_of(version) for version in versions}
    return [_resource(crd, version, schemas, storage) for version in versions if version.get("served")]


def preferred_version(crd: Crd) -> str:
    """Returns the version that clients should use: stable before beta before alpha, then the highest number."""
    served = [version["name"] for version in crd["spec"]["versions"] if version.get("served")]
    return max(served, key=version_priority, default="")


def version_priority(version: str) -> tuple[int, int, int, int, tuple[int, ...]]:
    """Returns the rank of a version name; `v2` > `v1` > `v2beta1` > `v1alpha3` > everything else, by name."""
    major, stage, minor = _parsed(version)
    if stage < 0:
        return (0, 0, 0, 0, tuple(-ord(char) for char in version))
    return (1, stage, major, minor, ())


def _parsed(version: str) -> tuple[int, int, int]:
    for stage, word in ((2, ""), (1, "beta"), (0, "alpha")):
        head, _, tail = version.removeprefix("v").partition(word) if word else (version.removeprefix("v"), "", "0")
        if version.startswith("v") and head.isdigit() and tail.isdigit() and (not word or word in version):
            return int(head), stage, int(tail)
    return 0, -1, 0


def _schema_of(version: dict[str, Any]) -> Schema:
    return compile_schema((version.get("schema") or {}).get("openAPIV3Schema") or {"type": "object"})


def _resource(crd: Crd, version: dict[str, Any], schemas: Mapping[str, Schema], storage: str) -> Resource:
    spec, names = crd["spec"], (crd.get("status") or {}).get("acceptedNames") or crd["spec"]["names"]
    schema, subresources = schemas[version["name"]], version.get("subresources") or {}
    scale = _scale_of(subresources.get("scale"))
    selectable = _selectable_of(version)
    has_status = "status" in subresources
    return Resource(
        group=spec["group"],
        version=version["name"],
        kind=names["kind"],
        plural=names["plural"],
        namespaced=spec["scope"] == "Namespaced",
        schema=schema,
        strategy=CustomStrategy(schema, has_status=has_status, scale=scale, selectable=selectable),
        singular=names.get("singular", ""),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=tuple(name for name in ("status", "scale") if name in subresources),
        printer=printer_of(version.get("additionalPrinterColumns")),
        storage_version=storage,
        to_storage=_converter(spec["group"], storage, schemas[storage], with_defaults=False),
        from_storage=_converter(spec["group"], version["name"], schema, with_defaults=True),
        selectable_fields=tuple(selectable),
        scale=scale,
        structural=True,
        annotations=_annotations(crd, version),
    )


def _annotations(crd: Crd, version: dict[str, Any]) -> dict[str, Any]:
    """What discovery and warnings need besides: the name of lists, and the words for a deprecated version."""
    names = crd["spec"]["names"]
    notes: dict[str, Any] = {"listKind": names.get("listKind") or f"{names['kind']}List"}
    if version.get("deprecated"):
        api = f"{crd['spec']['group']}/{version['name']} {names['kind']}"
        notes["warning"] = version.get("deprecationWarning") or f"{api} is deprecated"
    return notes


def _scale_of(scale: dict[str, Any] | None) -> Scale | None:
    if scale is None:
        return None
    return Scale(scale["specReplicasPath"], scale["statusReplicasPath"], scale.get("labelSelectorPath") or "")


def _selectable_of(version: dict[str, Any]) -> dict[str, JsonPath]:
    fields = [field["jsonPath"] for field in version.get("selectableFields") or ()]
    return {field.removeprefix("."): parse_path(field) for field in fields}


def _converter(group: str, version: str, schema: Schema, with_defaults: bool) -> Callable[[Object], Object]:
    """Conversion "None": only apiVersion changes; the other version's schema then prunes, and defaults on read."""
    api_version = f"{group}/{version}"

    def convert(obj: Object) -> Object:
        converted = copied(obj)
        assert isinstance(converted, dict)
        if converted.get("apiVersion") != api_version:
            converted["apiVersion"] = api_version
        prune(schema, converted)
        drop_nulls(schema, converted)
        if with_defaults:
            apply_defaults(schema, converted)
        return converted

    return convert
