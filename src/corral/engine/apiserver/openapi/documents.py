"""Whole OpenAPI documents, as values; whoever serves them keeps them."""

from collections.abc import Sequence
from typing import Any, Final

from corral.engine.apiserver.openapi.definitions import definitions_of, in_version_2
from corral.engine.apiserver.openapi.operations import bodies_of, paths_of, referenced
from corral.engine.apiserver.resources.resource import Resource

Document = dict[str, Any]

INFO: Final = {"title": "Kubernetes", "version": "1.34"}
_TOKEN: Final = {
    "type": "apiKey",
    "description": "Bearer Token authentication",
    "name": "authorization",
    "in": "header",
}


def version_3(resources: Sequence[Resource]) -> Document:
    """Returns the document of one group and version."""
    return {
        "openapi": "3.0.0",
        "info": INFO,
        "paths": paths_of(resources),
        "components": {
            "schemas": definitions_of(resources, (*referenced(), *bodies_of(resources))),
            "securitySchemes": {"BearerToken": _TOKEN},
        },
    }


def version_2(resources: Sequence[Resource]) -> Document:
    """Returns the one document of all groups and versions, in the older form."""
    definitions = definitions_of(resources, (*referenced(), *bodies_of(resources)))
    return {
        "swagger": "2.0",
        "info": INFO,
        "paths": {path: _path_2(operations) for path, operations in paths_of(resources).items()},
        "definitions": {name: in_version_2(schema) for name, schema in definitions.items()},
        "securityDefinitions": {"BearerToken": _TOKEN},
        "security": [{"BearerToken": []}],
    }


def _path_2(path: Document) -> Document:
    return {
        key: [_parameter_2(p) for p in value] if key == "parameters" else _operation_2(value)
        for key, value in path.items()
    }


def _operation_2(operation: Document) -> Document:
    """Version 2 has one schema for all media types, and the body among the parameters."""
    old = {key: value for key, value in operation.items() if key not in ("requestBody", "responses", "parameters")}
    parameters = [_parameter_2(parameter) for parameter in operation.get("parameters", ())]
    body = operation.get("requestBody")
    if body:
        schema = in_version_2(next(iter(body["content"].values()))["schema"])
        required = {"required": True} if body.get("required") else {}
        parameters.insert(0, {"name": "body", "in": "body", "schema": schema, **required})
    old["consumes"] = list(body["content"]) if body else ["*/*"]
    produced: dict[str, None] = {}
    old["responses"] = {}
    for code, response in operation["responses"].items():
        content = response.get("content", {})
        produced.update(dict.fromkeys(content))
        schemas = {"schema": in_version_2(next(iter(content.values()))["schema"])} if content else {}
        old["responses"][code] = {"description": response["description"], **schemas}
    old["produces"] = list(produced)
    if parameters:
        old["parameters"] = parameters
    return old


def _parameter_2(parameter: Document) -> Document:
    flat = {key: value for key, value in parameter.items() if key != "schema"}
    return {**flat, **parameter["schema"]}
