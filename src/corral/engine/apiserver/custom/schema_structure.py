"""Whether a schema is structural: every field has one type, stated outside of anyOf, oneOf, allOf and not.

Only then is it decidable what to prune and where defaults go, so a definition with any other schema is refused.
"""

from collections.abc import Iterator
from typing import Any, Final

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, required
from corral.engine.apiserver.schema.patterns import PatternError, compile_pattern

_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]
_LEVEL_TEXT: Final = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}
_UNDEFINED_INSIDE: Final = {
    "type": "must be empty to be structural",
    "additionalProperties": "must be undefined to be structural",
    "default": "must be undefined to be structural",
    "title": "must be empty to be structural",
    "description": "must be empty to be structural",
    "nullable": "must be false to be structural",
    "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
    "x-kubernetes-embedded-resource": "must be false to be structural",
    "x-kubernetes-int-or-string": "must be false to be structural",
    "x-kubernetes-list-map-keys": "must be empty to be structural",
    "x-kubernetes-list-type": "must be undefined to be structural",
    "x-kubernetes-map-type": "must be undefined to be structural",
    "x-kubernetes-validations": "must be empty to be structural",
}

Source = dict[str, Any]


def structure_findings(schema: Source, path: str) -> list[FieldError]:
    """Returns everything that keeps a schema from being structural, sorted by text."""
    return sorted([*_invariants(schema, "root", path), *_incomplete(schema, schema, path, path)], key=str)


def _invariants(schema: Source, level: str, path: str) -> Iterator[FieldError]:
    items = schema.get("items")
    if schema.get("type") == "array" and items is None:
        yield required(f"{path}.items", "must be specified")
    if isinstance(items, dict):
        yield from _invariants(items, "item", f"{path}.items")
    for key, child in schema.get("properties", {}).items():
        yield from _invariants(child, "field", f"{path}.properties[{key}]")
    yield from _additional_findings(schema, level, path)
    yield from _extension_findings(schema, path)
    yield from _value_rule_findings(schema, path, _is_int_or_string_pattern(schema), level)
    yield from _type_findings(schema, level, path)
    yield from _meta_findings(schema, level, path)


def _additional_findings(schema: Source, level: str, path: str) -> Iterator[FieldError]:
    additional = schema.get("additionalProperties")
    if additional is None:
        return
    if level == "root":
        yield forbidden(f"{path}.additionalProperties", "must not be used at the root")
    if isinstance(additional, dict):
        yield from _invariants(additional, "field", f"{path}.additionalProperties")


def _extension_findings(schema: Source, path: str) -> Iterator[FieldError]:
    if schema.get("x-kubernetes-int-or-string"):
        for keyword in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"):
            if schema.get(keyword):
                yield invalid(f"{path}.{keyword}", True, "must be false if x-kubernetes-int-or-string is true")


def _type_findings(schema: Source, level: str, path: str) -> Iterator[FieldError]:
    kind = schema.get("type", "")
    embedded = schema.get("x-kubernetes-embedded-resource")
    free = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if embedded and kind != "object":
        text = "must be object if x-kubernetes-embedded-resource is true"
        yield invalid(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)
    elif not kind and not free:
        yield required(f"{path}.type", _LEVEL_TEXT[level])
    if embedded and "additionalProperties" in schema:
        yield forbidden(f"{path}.additionalProperties", "must not be used if x-kubernetes-embedded-resource is set")
    if level == "root" and kind and kind != "object":
        yield invalid(f"{path}.type", kind, "must be object at the root")


def _meta_findings(schema: Source, level: str, path: str) -> Iterator[FieldError]:
    """Metadata is implicit: a schema may say of it only what a name looks like."""
    properties = schema.get("properties", {})
    embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    if level == "root" or embedded:
        for key in ("kind", "apiVersion"):
            if key in properties and properties[key].get("type", "") != "string":
                yield invalid(f"{path}.properties[{key}].type", properties[key].get("type", ""), "must be string")
        if "metadata" in properties and properties["metadata"].get("type", "") != "object":
            kind = properties["metadata"].get("type", "")
            yield invalid(f"{path}.properties[metadata].type", kind, "must be object")
    if level == "root" and "metadata" in properties and _says_more_than_names(properties["metadata"]):
        text = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        yield forbidden(f"{path}.properties[metadata]", text)
    if embedded and not properties and not schema.get("x-kubernetes-preserve-unknown-fields"):
        text = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        yield required(f"{path}.properties", text)


def _says_more_than_names(metadata: Source) -> bool:
    if metadata.get("properties", {}).keys() - {"name", "generateName"}:
        return True
    return any(value for key, value in metadata.items() if key not in ("type", "properties", "default"))


def _is_int_or_string_pattern(schema: Source) -> bool:
    """Whether types may stand inside anyOf: the one exception, a number or a text."""
    alternatives = schema.get("anyOf") or (schema.get("allOf") or [{}])[0].get("anyOf")
    return bool(alternatives == _INT_OR_STRING)


def _value_rule_findings(schema: Source, path: str, exempt: bool, level: str) -> Iterator[FieldError]:
    if not (exempt and schema.get("anyOf")):
        for index, option in enumerate(schema.get("anyOf") or ()):
            yield from _nested_findings(option, f"{path}.anyOf[{index}]", False, level)
    for index, option in enumerate(schema.get("allOf") or ()):
        yield from _nested_findings(option, f"{path}.allOf[{index}]", exempt and index == 0, level)
    for index, option in enumerate(schema.get("oneOf") or ()):
        yield from _nested_findings(option, f"{path}.oneOf[{index}]", False, level)
    if schema.get("not"):
        yield from _nested_findings(schema["not"], f"{path}.not", False, level)
    pattern = schema.get("pattern")
    if pattern:
        try:
            compile_pattern(pattern)
        except PatternError as fault:
            yield invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {fault}")


def _nested_findings(schema: Source, path: str, exempt: bool, level: str) -> Iterator[FieldError]:
    yield from _value_rule_findings(schema, path, exempt, level)
    if isinstance(schema.get("items"), dict):
        yield from _nested_findings(schema["items"], f"{path}.items", False, level)
    for key, child in schema.get("properties", {}).items():
        yield from _nested_findings(child, f"{path}.properties[{key}]", False, level)
    for keyword, text in _UNDEFINED_INSIDE.items():
        if schema.get(keyword) or (keyword in ("default", "additionalProperties") and schema.get(keyword) is not None):
            yield forbidden(f"{path}.{keyword}", text)
    if "metadata" in schema.get("properties", {}):
        yield forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _incomplete(rules: Source, schema: Source | None, path: str, rule_path: str) -> Iterator[FieldError]:
    """Yields fields that are named inside a junctor only; `schema` is the structure at the same place."""
    for junctor in ("allOf", "anyOf", "oneOf"):
        for index, option in enumerate(rules.get(junctor) or ()):
            yield from _nested_incomplete(option, schema, path, f"{rule_path}.{junctor}[{index}]")
    if rules.get("not"):
        yield from _nested_incomplete(rules["not"], schema, path, f"{rule_path}.not")


def _nested_incomplete(rules: Source, schema: Source | None, path: str, rule_path: str) -> Iterator[FieldError]:
    if schema is None:
        yield required(path, f"because it is defined in {rule_path}")
        return
    yield from _incomplete(rules, schema, path, rule_path)
    if isinstance(rules.get("items"), dict):
        yield from _nested_incomplete(rules["items"], schema.get("items"), f"{path}.items", f"{rule_path}.items")
    for key, child in rules.get("properties", {}).items():
        known = schema.get("properties", {}).get(key)
        where, rule = f"{path}.properties[{key}]", f"{rule_path}.properties[{key}]"
        yield from _nested_incomplete(child, known, where, rule)
