"""The part of the server around a strategy, in the order that the strategy's contract promises."""

from copy import deepcopy
from typing import Any

from corral.engine.apiserver import failures
from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.resources.metadata_validation import validate_metadata, validate_metadata_update
from corral.engine.apiserver.resources.pods import bind
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.resources.workloads import workload_resources
from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.schema.completion import complete
from corral.engine.apiserver.schema.decoding import check
from tests.apiserver.resources.workloads.cases import UID

RESOURCES = {resource.kind: resource for resource in workload_resources(builtin_schema)}
NOW = "2024-01-01T00:00:00Z"


class Bench:
    """One object of a kind, made and changed as the server would."""

    def __init__(self, kind: str) -> None:
        self.resource: Resource = RESOURCES[kind]
        self.strategy = self.resource.strategy

    def create(self, sent: Object) -> Object:
        """Returns the stored object; raises the failure that refuses it."""
        obj = self._decoded(deepcopy(sent))
        self.strategy.default(obj)
        obj.pop("status", None)
        obj["metadata"] |= {"uid": UID, "creationTimestamp": NOW, "generation": 1}
        self.strategy.prepare_create(obj)
        rule = self.strategy.name_rule
        self._refuse(obj, validate_metadata(obj, namespaced=True, name_rule=rule) + self.strategy.validate(obj))
        obj["metadata"]["resourceVersion"] = "1"
        return self._completed(obj)

    def change(self, old: Object, patch: Any) -> Object:
        """Returns the object after a merge patch of everything but status."""
        new = self._patched(old, patch)
        self.strategy.prepare_update(new, old)
        if any(new.get(key) != old.get(key) for key in ("spec",)):
            new["metadata"]["generation"] = old["metadata"]["generation"] + 1
        errors = validate_metadata_update(new, old) + self.strategy.validate(new)
        self._refuse(new, errors + self.strategy.validate_update(new, old))
        return self._completed(new)

    def change_status(self, old: Object, patch: Any) -> Object:
        """Returns the object after a merge patch of its status."""
        new = self._patched(old, patch)
        self.strategy.prepare_status(new, old)
        self._refuse(new, validate_metadata_update(new, old) + self.strategy.validate_status(new, old))
        return self._completed(new)

    def bind(self, pod: Object, node: str) -> Object:
        """Returns the pod bound to a node."""
        return bind(pod, {"target": {"name": node}}, NOW)

    def _decoded(self, obj: Object) -> Object:
        checked = check(self.resource.schema, obj)
        if checked.error:
            kind, version = self.resource.kind, self.resource.version
            raise failures.bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {checked.error}')
        return checked.value

    def _patched(self, old: Object, patch: Any) -> Object:
        new = self._decoded(merged(deepcopy(old), patch))
        self.strategy.default(new)
        return new

    def _refuse(self, obj: Object, errors: list[FieldError]) -> None:
        if errors:
            raise failures.invalid(self.resource.group, self.resource.kind, obj["metadata"]["name"], errors)

    def _completed(self, obj: Object) -> Object:
        complete(self.resource.schema, obj)
        return obj


def refused(failure: ApiFailure) -> Object:
    """Returns the Status of a failure."""
    return failure.status()


def merged(target: Any, change: Any) -> Any:
    """Returns the result of a JSON merge patch."""
    if not isinstance(change, dict):
        return deepcopy(change)
    target = target if isinstance(target, dict) else {}
    for key, value in change.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merged(target.get(key), value)
    return target
