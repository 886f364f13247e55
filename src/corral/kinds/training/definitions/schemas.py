"""From a msgspec type to the structural schema that says the same to a server.

A field without default is required, a description is a description, bounds are bounds; what Python types cannot say
comes from `schema_marks`. A union with None is the other type: servers drop null before they look.
"""

from typing import Any

import msgspec
from msgspec import inspect

from corral.kinds.training.pod_template import PodTemplate
from corral.kinds.training.schema_marks import ANYTHING, INT_OR_STRING

Schema = dict[str, Any]

_NAMED: dict[str, type[msgspec.Struct]] = {"PodTemplate": PodTemplate}
"""The types behind the mark `corralSchema`, of fields that are described but not decoded."""
_BOUNDS = {
    "ge": "minimum",
    "le": "maximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
}


def schema_of(type_: type[Any]) -> Schema:
    """Returns the structural schema of a type."""
    return _schema(inspect.type_info(type_))


def _schema(info: inspect.Type) -> Schema:
    match info:
        case inspect.Metadata():
            return _marked(_schema(info.type), info.extra_json_schema or {})
        case inspect.UnionType():
            return _union([one for one in info.types if not isinstance(one, inspect.NoneType)])
        case inspect.StructType():
            return _struct(info)
        case inspect.DictType():
            return _map(info)
        case inspect.ListType():
            return {"type": "array", "items": _schema(info.item_type)}
        case inspect.AnyType():
            return dict(ANYTHING)
        case _:
            return _scalar(info)


def _marked(schema: Schema, marks: dict[str, Any]) -> Schema:
    named = marks.get("corralSchema")
    found = schema_of(_NAMED[named]) if named else schema
    found = {**found, **{mark: value for mark, value in marks.items() if mark != "corralSchema"}}
    if "additionalProperties" in marks:  # the mark describes what the type leaves open
        found.pop("x-kubernetes-preserve-unknown-fields", None)
    return found


def _union(members: list[inspect.Type]) -> Schema:
    if len(members) == 1:
        return _schema(members[0])
    if {type(one) for one in members} == {inspect.IntType, inspect.StrType}:
        return dict(INT_OR_STRING)
    raise TypeError(f"no structural schema says {members}")


def _struct(info: inspect.StructType) -> Schema:
    schema: Schema = {
        "type": "object",
        "description": (info.cls.__doc__ or "").partition("\n\n")[0],
        "properties": {field.encode_name: _schema(field.type) for field in info.fields},
    }
    required = [field.encode_name for field in info.fields if field.required]
    if required:
        schema["required"] = required
    return {**schema, **ANYTHING} if getattr(info.cls, "keeps_unknown", False) else schema


def _map(info: inspect.DictType) -> Schema:
    if isinstance(info.value_type, inspect.AnyType):
        return {"type": "object", **ANYTHING}
    return {"type": "object", "additionalProperties": _schema(info.value_type)}


def _scalar(info: inspect.Type) -> Schema:
    match info:
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.StrType():
            schema: Schema = {"type": "string"}
        case inspect.IntType():
            schema = {"type": "integer", "format": "int32"}
        case inspect.FloatType():
            schema = {"type": "number"}
        case inspect.LiteralType():
            return {"type": "string", "enum": list(info.values)}
        case _:
            raise TypeError(f"no structural schema says {info}")
    given = {keyword: getattr(info, bound, None) for bound, keyword in _BOUNDS.items()}
    return {**schema, **{keyword: value for keyword, value in given.items() if value is not None}}
