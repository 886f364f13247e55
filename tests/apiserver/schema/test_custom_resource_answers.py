"""Custom resources, good and bad, against answers recorded from a real server.

`custom_resource_answers.json` has a definition that uses every rule, and one line for each spec that was created with
it: the message that came back, or the spec as it was stored.
"""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from corral.engine.apiserver import failures
from corral.engine.apiserver.custom.resources import resources_of
from corral.engine.apiserver.schema.defaulting import apply_defaults
from corral.engine.apiserver.schema.pruning import check_custom
from corral.engine.apiserver.schema.validation import validate

RECORDED = json.loads(Path(__file__).with_name("custom_resource_answers.json").read_text())
FOO = resources_of(RECORDED["definition"])[0]
HANDLED = 'Foo in version "v1" cannot be handled as a Foo: '


def answered(spec: dict[str, Any]) -> Any:
    obj = {"apiVersion": "schema.example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": spec}
    checked = check_custom(FOO.schema, obj)
    if checked.error:
        return HANDLED + checked.error
    if checked.unknown:
        listed = ", ".join(f'unknown field "{path}"' for path in checked.unknown)
        return f"{HANDLED}strict decoding error: {listed}"
    apply_defaults(FOO.schema, obj)
    findings = [*validate(FOO.schema, obj), *FOO.strategy.validate(obj)]
    return failures.invalid(FOO.group, FOO.kind, "x", findings).message if findings else obj["spec"]


@pytest.mark.parametrize("recorded", RECORDED["cases"], ids=lambda r: json.dumps(r["spec"])[:60])
def test_a_custom_resource_gets_the_answer_of_the_real_server(recorded: dict[str, Any]) -> None:
    """Go walks maps in any order, so several findings may come in another one."""
    ours, real = answered(copy.deepcopy(recorded["spec"])), recorded["answer"]
    assert ours == real or findings_in(ours) == findings_in(real)


def findings_in(answer: Any) -> list[str]:
    assert isinstance(answer, str)
    head, _, listed = answer.partition(" is invalid: ")
    return [head, *sorted(re.split(r", (?=spec|<nil>)", listed.strip("[]")))]


def test_a_tightened_schema_forgives_what_does_not_change() -> None:
    items = {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer", "minimum": 2}}}
    keyed = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": items}
    definition = copy.deepcopy(RECORDED["definition"])
    properties = {"e": {"type": "string", "enum": ["b"]}, "i": {"type": "integer"}, "mp": keyed}
    spec = {"type": "object", "properties": properties}
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object", "properties": {"spec": spec}}
    schema = resources_of(definition)[0].schema
    old = {"spec": {"e": "a", "mp": [{"k": "a", "v": 1}]}}
    assert len(validate(schema, old)) == 2
    assert validate(schema, {"spec": {**old["spec"], "i": 1}}, old) == []
    grown = {"spec": {"e": "a", "mp": [{"k": "z", "v": 1}, {"k": "a", "v": 1}]}}
    assert [finding.path for finding in validate(schema, grown, old)] == ["spec.mp[0].v"]
    changed = {"spec": {"e": "q", "mp": old["spec"]["mp"]}}
    assert [finding.path for finding in validate(schema, changed, old)] == ["spec.e"]


def test_repeated_elements_are_forgiven_where_some_were_repeated_before() -> None:
    old = {"spec": {"set": ["a", "a"]}}
    assert validate(FOO.schema, {"spec": {"set": ["a", "a", "b", "b"]}}, old) == []
    assert len(validate(FOO.schema, {"spec": {"set": ["a", "a"]}}, {"spec": {"set": ["a"]}})) == 1
