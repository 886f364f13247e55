"""How messages print whole parts of a definition: under the names of Go's fields, every field, zero or not.

Only findings about a whole list of versions or a whole schema print one, but scripts see them, so they are equal.
"""

from typing import Any, Final

_TEXTS: Final = frozenset(["ID", "Schema", "Description", "Type", "Format", "Title", "Pattern"])
_FLAGS: Final = frozenset(
    ["Nullable", "ExclusiveMaximum", "ExclusiveMinimum", "UniqueItems", "XEmbeddedResource", "XIntOrString"]
)
_FIELDS: Final = [
    "ID",
    "Schema",
    "Ref",
    "Description",
    "Type",
    "Nullable",
    "Format",
    "Title",
    "Default",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Enum",
    "MaxProperties",
    "MinProperties",
    "Required",
    "Items",
    "AllOf",
    "OneOf",
    "AnyOf",
    "Not",
    "Properties",
    "AdditionalProperties",
    "PatternProperties",
    "Dependencies",
    "AdditionalItems",
    "Definitions",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XEmbeddedResource",
    "XIntOrString",
    "XListMapKeys",
    "XListType",
    "XMapType",
    "XValidations",
]
_KEYWORDS: Final = {
    "ID": "id",
    "Schema": "$schema",
    "Ref": "$ref",
    "XPreserveUnknownFields": "x-kubernetes-preserve-unknown-fields",
    "XEmbeddedResource": "x-kubernetes-embedded-resource",
    "XIntOrString": "x-kubernetes-int-or-string",
    "XListMapKeys": "x-kubernetes-list-map-keys",
    "XListType": "x-kubernetes-list-type",
    "XMapType": "x-kubernetes-map-type",
    "XValidations": "x-kubernetes-validations",
}


def printed_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a schema as it is printed."""
    return {field: _printed(field, schema.get(_keyword(field))) for field in _FIELDS}


def printed_version(version: dict[str, Any]) -> dict[str, Any]:
    """Returns a version as it is printed."""
    schema, subresources = version.get("schema"), version.get("subresources")
    columns, fields = version.get("additionalPrinterColumns"), version.get("selectableFields")
    return {
        "Name": version.get("name", ""),
        "Served": version.get("served", False),
        "Storage": version.get("storage", False),
        "Deprecated": version.get("deprecated", False),
        "DeprecationWarning": version.get("deprecationWarning"),
        "Schema": None if schema is None else {"OpenAPIV3Schema": _optional(schema.get("openAPIV3Schema"))},
        "Subresources": None if subresources is None else _printed_subresources(subresources),
        "AdditionalPrinterColumns": None if not columns else [_printed_column(column) for column in columns],
        "SelectableFields": None if not fields else [{"JSONPath": field.get("jsonPath", "")} for field in fields],
    }


def _keyword(field: str) -> str:
    return _KEYWORDS.get(field) or field[0].lower() + field[1:]


def _optional(schema: Any) -> Any:
    return printed_schema(schema) if isinstance(schema, dict) else None


def _printed(field: str, value: Any) -> Any:
    if value is None:
        return "" if field in _TEXTS else False if field in _FLAGS else None
    if field in ("AllOf", "OneOf", "AnyOf"):
        return [printed_schema(option) for option in value] or None
    if field in ("Properties", "PatternProperties", "Definitions"):
        return {key: printed_schema(child) for key, child in sorted(value.items())} or None
    if field in ("AdditionalProperties", "AdditionalItems"):
        return {"Allows": value is not False, "Schema": _optional(value)}
    if field == "Items":
        several = [printed_schema(item) for item in value] if isinstance(value, list) else None
        return {"Schema": _optional(value), "JSONSchemas": several}
    if field == "Not":
        return printed_schema(value)
    if field == "ExternalDocs":
        return {"Description": value.get("description", ""), "URL": value.get("url", "")}
    return value


def _printed_subresources(subresources: dict[str, Any]) -> dict[str, Any]:
    scale = subresources.get("scale")
    printed = None
    if scale is not None:
        printed = {
            "SpecReplicasPath": scale.get("specReplicasPath", ""),
            "StatusReplicasPath": scale.get("statusReplicasPath", ""),
            "LabelSelectorPath": scale.get("labelSelectorPath"),
        }
    return {"Status": subresources.get("status"), "Scale": printed}


def _printed_column(column: dict[str, Any]) -> dict[str, Any]:
    return {
        "Name": column.get("name", ""),
        "Type": column.get("type", ""),
        "Format": column.get("format", ""),
        "Description": column.get("description", ""),
        "Priority": column.get("priority", 0),
        "JSONPath": column.get("jsonPath", ""),
    }
