"""The strategy of custom resources: everything that differs between them is data of their definition."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from corral.engine.apiserver.custom.change_rules import ChangeRule, change_rules, judged_by
from corral.engine.apiserver.custom.embedded_resources import embedded_findings
from corral.engine.apiserver.field_errors import FieldError, invalid
from corral.engine.apiserver.resources.resource import Object, Scale, Strategy
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.schema.structural import source_of
from corral.engine.apiserver.schema.uniqueness import duplicates
from corral.engine.apiserver.schema.validation import violations
from corral.engine.apiserver.schema.value_rules import go_number
from corral.kinds.json_path import JsonPath

_LARGEST = 2**31 - 1
_GO_TYPES = {str: "string", bool: "bool", int: "int64", float: "float64", list: "[]interface {}"}


class CustomStrategy(Strategy):
    """One version of a custom resource."""

    generation = True
    allow_unconditional_update = False

    def __init__(
        self, schema: Schema, *, has_status: bool, scale: Scale | None, selectable: Mapping[str, JsonPath]
    ) -> None:
        self.schema = schema
        self.has_status = has_status
        self.scale = scale
        self._selectable = selectable

    def prepare_create(self, obj: Object) -> None:
        """Drops a status that only its own subresource may write."""
        if self.has_status:
            obj.pop("status", None)

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps a status that only its own subresource may write; without one it counts as content."""
        if not self.has_status:
            if new.get("status") != old.get("status"):
                new["metadata"]["generation"] = int(old["metadata"].get("generation", 0)) + 1
        elif "status" in old:
            new["status"] = old["status"]
        else:
            new.pop("status", None)

    def validate(self, obj: Object) -> list[FieldError]:
        """Returns what is wrong besides the schema: the numbers of the scale subresource, and embedded resources."""
        return [*self._scale_findings(obj, with_spec=True), *embedded_findings(self.schema, obj)]

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Returns the violations below status, of which alone a status update is judged."""
        findings: list[FieldError] = []
        schema = self.schema.properties.get("status")
        if schema is not None and "status" in new:
            status, before = new["status"], old.get("status")
            findings.extend(violations(schema, status, before, path="status"))
            if next(duplicates(schema, before, "status"), None) is None:
                findings.extend(duplicates(schema, status, "status"))
        return self.judged([*findings, *self._scale_findings(new, with_spec=False)], new, old)

    def judged(self, findings: list[FieldError], new: Object, old: Object | None) -> list[FieldError]:
        """Asks the rules about changes."""
        return judged_by(self._change_rules, findings, new, old)

    @cached_property
    def _change_rules(self) -> tuple[ChangeRule, ...]:
        return tuple(change_rules(source_of(self.schema)))

    def selectable(self, obj: Object) -> Mapping[str, str]:
        """Returns the selectable fields that the definition names."""
        return {name: _selected(path.first(obj)) for name, path in self._selectable.items()}

    def _scale_findings(self, obj: Object, with_spec: bool) -> Iterator[FieldError]:
        if self.scale is None:
            return
        if with_spec:
            yield from _replica_findings(obj, self.scale.spec_replicas)
        yield from _replica_findings(obj, self.scale.status_replicas)
        if self.scale.selector:
            value, fault = _nested(obj, self.scale.selector)
            if fault:
                yield invalid(self.scale.selector, "", fault)
            elif value is not None and not isinstance(value, str):
                yield invalid(self.scale.selector, "", _accessor_fault(self.scale.selector, value, "string"))


def _selected(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else go_number(value) if isinstance(value, (int, float)) else str(value)


def _replica_findings(obj: Object, path: str) -> Iterator[FieldError]:
    value, fault = _nested(obj, path)
    if fault:
        yield invalid(path, 0, fault)
    elif value is None:
        return
    elif not isinstance(value, int) or isinstance(value, bool):
        yield invalid(path, 0, _accessor_fault(path, value, "int64"))
    elif value < 0:
        yield invalid(path, value, "should be a non-negative integer")
    elif value > _LARGEST:
        yield invalid(path, value, f"should be less than or equal to {_LARGEST}")


def _nested(obj: Object, path: str) -> tuple[Any, str]:
    """Follows a plain path of fields; returns the value, or what Go says of a field that has none inside."""
    value: Any = obj
    for part in path.removeprefix(".").split("."):
        if not isinstance(value, dict):
            if value is None:
                return None, ""
            return None, _accessor_fault(path, value, "map[string]interface{}")
        if part not in value:
            return None, ""
        value = value[part]
    return value, ""


def _accessor_fault(path: str, value: Any, wanted: str) -> str:
    printed = value if isinstance(value, str) else repr(value)
    return f"{path} accessor error: {printed} is of the type {_GO_TYPES.get(type(value), 'nil')}, expected {wanted}"
