"""Makes the resources that a CustomResourceDefinition stands for: one for each served version."""

from collections.abc import Callable, Mapping
from typing import Any

from corral.engine.apiserver.custom.columns import printer_of
from corral.engine.apiserver.custom.strategy import CustomStrategy
from corral.engine.apiserver.discovery import version_rank
from corral.engine.apiserver.resources.resource import Object, Resource, Scale
from corral.engine.apiserver.schema.defaulting import apply_defaults, copied
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.schema.pruning import drop_nulls, prune
from corral.engine.apiserver.schema.settled import is_settled
from corral.engine.apiserver.schema.structural import compile_schema
from corral.kinds.json_path import JsonPath, parse_path

Crd = dict[str, Any]


_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
"""In the order in which a real server lists them for custom resources."""


def resources_of(crd: Crd) -> list[Resource]:
    """Returns the resource of each served version, in the order of the definition."""
    versions = crd["spec"]["versions"]
    schemas = {version["name"]: _schema_of(version) for version in versions}
    storage = _stored_version(crd)["name"]
    return [_resource(crd, version, schemas, storage) for version in versions if version.get("served")]


def stored_resource_of(crd: Crd) -> Resource:
    """Returns the resource of the version in which objects rest, which need not be served."""
    version = _stored_version(crd)
    return _resource(crd, version, {version["name"]: _schema_of(version)}, version["name"])


def _stored_version(crd: Crd) -> dict[str, Any]:
    return next(version for version in crd["spec"]["versions"] if version.get("storage"))


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
        verbs=_VERBS,
        subresources=tuple(name for name in ("status", "scale") if name in subresources),
        printer=printer_of(version.get("additionalPrinterColumns")),
        storage_version=storage,
        to_storage=_to_storage(f"{spec['group']}/{storage}", schemas[storage]),
        from_storage=_from_storage(f"{spec['group']}/{version['name']}", schema, schemas, schemas[storage]),
        selectable_fields=tuple(selectable),
        scale=scale,
        structural=True,
        definition=f"{spec['names']['plural']}.{spec['group']}",
        list_kind=spec["names"].get("listKind") or "",
        deprecation=_deprecation(crd, version),
    )


def _deprecation(crd: Crd, version: dict[str, Any]) -> str:
    if not version.get("deprecated"):
        return ""
    group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
    told = f"{group}/{version['name']} {kind} is deprecated"
    newer = _newer_version(crd, version["name"])
    return version.get("deprecationWarning") or (f"{told}; use {group}/{newer} {kind}" if newer else told)


def _newer_version(crd: Crd, name: str) -> str:
    """Returns the version that is meant for those who use a deprecated one, "" when there is none."""
    names = [v["name"] for v in crd["spec"]["versions"] if v.get("served") and not v.get("deprecated")]
    return min((n for n in names if version_rank(n) < version_rank(name)), key=version_rank, default="")


def _scale_of(scale: dict[str, Any] | None) -> Scale | None:
    if scale is None:
        return None
    return Scale(scale["specReplicasPath"], scale["statusReplicasPath"], scale.get("labelSelectorPath") or "")


def _selectable_of(version: dict[str, Any]) -> dict[str, JsonPath]:
    fields = [field["jsonPath"] for field in version.get("selectableFields") or ()]
    return {field.removeprefix("."): parse_path(field) for field in fields}


def _to_storage(api_version: str, schema: Schema) -> Callable[[Object], Object]:
    """Conversion "None" on the way in: only apiVersion changes, and what the stored version does not know is lost."""

    def convert(obj: Object) -> Object:
        if obj["apiVersion"] == api_version and is_settled(schema, obj):
            return obj
        return _coerced(copied(obj), api_version, schema)

    return convert


def _from_storage(
    api_version: str, schema: Schema, schemas: Mapping[str, Schema], stored: Schema
) -> Callable[[Object], Object]:
    """The way out: defaults are those of the version at rest; the version that was asked for only prunes.

    An object rests in the version that was the stored one when it was last written.
    """

    def convert(obj: Object) -> Object:
        resting = schemas.get(obj["apiVersion"].rpartition("/")[2], stored)
        if resting is schema and is_settled(schema, obj):
            return obj
        converted = _coerced(copied(obj), obj["apiVersion"], resting)
        apply_defaults(resting, converted)
        return converted if resting is schema else _coerced(converted, api_version, schema)

    return convert


def _coerced(obj: Object, api_version: str, schema: Schema) -> Object:
    obj["apiVersion"] = api_version
    prune(schema, obj)
    drop_nulls(schema, obj)
    return obj
