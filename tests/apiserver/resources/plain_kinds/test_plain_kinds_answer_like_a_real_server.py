"""Every answer in answers.json came from a real kube-apiserver; the strategies must give the same, word for word."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from corral.engine.apiserver import failures
from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.resources.metadata_validation import validate_metadata
from corral.engine.apiserver.resources.plain import plain_resources
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.resources.service_addresses import InUse, allocate
from corral.engine.apiserver.schema.node import Schema

HERE = Path(__file__).parent
NAMESPACE = "plain-kinds"
CASES = yaml.safe_load((HERE / "cases.yaml").read_text())
ANSWERS = json.loads((HERE / "answers.json").read_text())
RESOURCES = {f"{r.api_version}/{r.plural}": r for r in plain_resources(lambda group, version, kind: Schema())}


class Bench:
    """The part of the server around a strategy, in the order that the strategy's contract promises."""

    def __init__(self, resource: Resource) -> None:
        self.resource, self.strategy = resource, resource.strategy
        self.stored: Object | None = None

    def create(self, sent: Object) -> Object:
        """Returns the created object, or the Status that refuses it."""
        obj = {"apiVersion": self.resource.api_version, "kind": self.resource.kind, **deepcopy(sent)}
        if self.resource.namespaced:
            obj["metadata"]["namespace"] = NAMESPACE
        self.strategy.default(obj)
        errors = self._allocated(obj, None)
        if errors:
            return self._refusal(obj, errors)
        obj = self._to_storage(obj)
        self.strategy.prepare_create(obj)
        errors = self._metadata_errors(obj) + self.strategy.validate(obj)
        return self._refusal(obj, errors) if errors else self._store(obj)

    def patch(self, change: Any) -> Object:
        """Returns the object after a merge patch of everything but status."""
        old, new = self._changed(change)
        errors = self._allocated(new, old)
        if errors:
            return self._refusal(new, errors)
        self.strategy.prepare_update(new, old)
        errors = self.strategy.validate_update(new, old) + self.strategy.validate(new)
        return self._refusal(new, errors) if errors else self._store(new)

    def status(self, change: Any) -> Object:
        """Returns the object after a merge patch of its status."""
        old, new = self._changed(change)
        self.strategy.prepare_status(new, old)
        errors = self.strategy.validate_status(new, old)
        return self._refusal(new, errors) if errors else self._store(new)

    def read(self, resource: Resource) -> Object:
        """Returns the stored object in another version."""
        assert self.stored is not None
        return tidy(deepcopy(resource.from_storage(self.stored) if resource.from_storage else self.stored))

    def _changed(self, change: Any) -> tuple[Object, Object]:
        assert self.stored is not None
        shown = self.resource.from_storage(self.stored) if self.resource.from_storage else self.stored
        new = merged(deepcopy(shown), change)
        self.strategy.default(new)
        return self.stored, self._to_storage(new)

    def _to_storage(self, obj: Object) -> Object:
        return deepcopy(self.resource.to_storage(obj) if self.resource.to_storage else obj)

    def _allocated(self, new: Object, old: Object | None) -> list[FieldError]:
        return allocate(new, old, InUse()) if self.resource.kind == "Service" else []

    def _metadata_errors(self, obj: Object) -> list[FieldError]:
        if self.resource.kind == "Event" and self.resource.group == "":
            return []
        rule = self.strategy.name_rule
        return validate_metadata(obj, namespaced=self.resource.namespaced, name_rule=rule)

    def _store(self, obj: Object) -> Object:
        self.stored = deepcopy(obj)
        return self.read(self.resource)

    def _refusal(self, obj: Object, errors: list[FieldError]) -> Object:
        name, shared = obj["metadata"].get("name", ""), self.resource.storage_group
        status = failures.invalid(
            self.resource.group if shared is None else shared, self.resource.kind, name, errors
        ).status()
        return {key: status[key] for key in ("code", "message", "details")}


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


def tidy(answer: Object) -> Object:
    """Returns an answer without the addresses and ports that each server gives as it likes."""
    spec = answer.get("spec") or {}
    if answer.get("kind") == "Service" and spec.get("clusterIP", "None") != "None":
        spec["clusterIP"], spec["clusterIPs"] = "given", ["given"]
    for port in spec.get("ports") or ():
        if "nodePort" in port:
            port["nodePort"] = "given"
    if "healthCheckNodePort" in spec:
        spec["healthCheckNodePort"] = "given"
    return answer


def named_steps() -> list[Any]:
    """Returns one parameter set per case."""
    return [pytest.param(case, id=case["case"].replace(" ", "-")) for case in CASES]


@pytest.mark.parametrize("case", named_steps())
def test_case_gets_the_answers_of_the_real_server(case: dict[str, Any]) -> None:
    bench = Bench(RESOURCES[case["kind"]])
    for step, want in zip(case["steps"], ANSWERS[case["case"]], strict=True):
        ((verb, what),) = step.items()
        got = bench.read(RESOURCES[what]) if verb == "read" else getattr(bench, verb)(what)
        assert got == tidy(deepcopy(want)), step
