"""Definitions, good and bad, against answers recorded from a real server.

`definition_answers.json` has one line a definition: what was created with dryRun and fieldValidation=Strict, and the
message that came back. The two things that this release refuses and a real server takes are tested below it.
"""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from corral.engine.apiserver import failures
from corral.engine.apiserver.custom.definition_strategy import CustomResourceDefinitionStrategy
from corral.engine.apiserver.resources.metadata_validation import validate_metadata
from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.schema.decoding import check

RECORDED = json.loads(Path(__file__).with_name("definition_answers.json").read_text())["cases"]
HANDLED = 'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: '
STRATEGY = CustomResourceDefinitionStrategy()
BOUNDARY = re.compile(r", (?=(?:spec|metadata|status)[.:\[])")


def answered(definition: dict[str, Any]) -> str:
    crd = copy.deepcopy(definition)
    checked = check(builtin_schema("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), crd)
    if checked.error:
        return HANDLED + checked.error
    if checked.unknown:
        listed = ", ".join(f'unknown field "{path}"' for path in checked.unknown)
        return f"{HANDLED}strict decoding error: {listed}"
    STRATEGY.default(crd)
    STRATEGY.prepare_create(crd)
    findings = validate_metadata(crd, namespaced=False, name_rule=STRATEGY.name_rule) + STRATEGY.validate(crd)
    if not findings:
        return "accepted"
    return failures.invalid(
        "apiextensions.k8s.io", "CustomResourceDefinition", crd["metadata"]["name"], findings
    ).message


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda r: r["case"])
def test_a_definition_gets_the_answer_of_the_real_server(recorded: dict[str, Any]) -> None:
    """Go walks maps in any order, so findings about several properties may come in another one."""
    ours, real = answered(recorded["definition"]), recorded["answer"]
    assert sorted(BOUNDARY.split(ours.replace("[spec", ", spec"))) == sorted(
        BOUNDARY.split(real.replace("[spec", ", spec"))
    )


def definition(schema: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema or {"type": "object"}},
    }
    names = {"plural": "foos", "kind": "Foo"}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version], **spec}
    return {"metadata": {"name": "foos.example.com"}, "spec": spec}


def test_rules_in_cel_are_refused_by_name() -> None:
    refusal = answered(definition({"type": "object", "x-kubernetes-validations": [{"rule": "true"}]}))
    path = "spec.validation.openAPIV3Schema.x-kubernetes-validations"
    assert refusal.endswith(f"{path}: Forbidden: validation rules in CEL are not supported by this release")


def test_conversion_by_webhook_is_refused_by_name() -> None:
    refusal = answered(definition(conversion={"strategy": "Webhook"}))
    assert refusal.endswith("Forbidden: conversion by webhook is not supported by this release; use None")


def test_a_definition_is_completed_from_its_kind() -> None:
    crd = definition()
    STRATEGY.default(crd)
    STRATEGY.prepare_create(crd)
    assert crd["spec"]["names"] == {"plural": "foos", "kind": "Foo", "singular": "foo", "listKind": "FooList"}
    assert crd["spec"]["conversion"] == {"strategy": "None"}
    assert crd["status"]["storedVersions"] == ["v1"]


def test_a_new_storage_version_is_noted_and_the_old_one_must_stay() -> None:
    old = definition()
    STRATEGY.default(old)
    STRATEGY.prepare_create(old)
    old["metadata"]["resourceVersion"] = "1"
    new = copy.deepcopy(old)
    new["spec"]["versions"][0]["name"] = "v2"
    STRATEGY.prepare_update(new, old)
    assert new["status"]["storedVersions"] == ["v1", "v2"]
    findings = STRATEGY.validate(new)
    assert [finding.path for finding in findings] == ["status.storedVersions[0]"]
    assert "v1 was previously a storage version" in findings[0].text


def test_what_a_name_is_made_of_cannot_change() -> None:
    old = definition()
    STRATEGY.default(old)
    STRATEGY.prepare_create(old)
    old["metadata"]["resourceVersion"] = "1"
    old["status"]["conditions"] = [{"type": "Established", "status": "True"}]
    new = copy.deepcopy(old)
    new["spec"].update(group="other.example.com", scope="Cluster")
    new["spec"]["names"].update(plural="bars", kind="Bar")
    findings = STRATEGY.validate(new) + STRATEGY.validate_update(new, old)
    assert [finding.path for finding in findings] == [
        "spec.scope",
        "spec.names.kind",
        "spec.group",
        "spec.names.plural",
    ]
    assert {finding.text.rpartition(": ")[2] for finding in findings} == {"field is immutable"}
