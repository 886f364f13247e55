"""The one rule in CEL that is known without CEL, on schemas of its own; both servers tell it alike, see tests/training."""

from typing import Any

import pytest

from corral.engine.apiserver.custom.change_rules import change_rules, judged_by
from corral.engine.apiserver.custom.schema_rules import rule_findings
from corral.engine.apiserver.field_errors import FieldError, invalid, required

FIXED: dict[str, Any] = {
    "type": "string",
    "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "stays"}],
}


def schema(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}


RULES = tuple(change_rules(schema(name=FIXED)))
WRONG = required("spec.other")
CHANGES = {
    "a change is told": ({"name": "a"}, {"name": "b"}, ['spec.name: Invalid value: "string": stays']),
    "the same is no change": ({"name": "a"}, {"name": "a"}, []),
    "adding is free": ({}, {"name": "b"}, []),
    "removing is free": ({"name": "a"}, {}, []),
    "a new parent is free": (None, {"name": "b"}, []),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_rule_is_asked_when_the_field_is_there_before_and_after(case: str) -> None:
    old, new, want = CHANGES[case]
    assert list(map(str, judged_by(RULES, [], {"spec": new}, {"spec": old}))) == want


def test_a_new_object_changes_nothing() -> None:
    assert judged_by(RULES, [], {"spec": {"name": "a"}}, None) == []


def test_rules_are_not_asked_of_an_object_that_is_wrong_in_shape() -> None:
    found = judged_by(RULES, [WRONG], {"spec": {"name": "b"}}, {"spec": {"name": "a"}})
    assert found[0] == WRONG
    assert str(found[1]).startswith("<nil>: Invalid value: null: some validation rules were not checked")
    assert len(found) == 2


def test_rules_are_asked_beside_a_value_out_of_bounds() -> None:
    beside: list[FieldError] = [invalid("spec.count", -1, "too low")]
    assert len(judged_by(RULES, beside, {"spec": {"name": "b"}}, {"spec": {"name": "a"}})) == 2


def test_without_rules_nothing_is_said_of_rules() -> None:
    assert judged_by((), [WRONG], {}, None) == [WRONG]


def test_a_rule_without_a_message_tells_itself() -> None:
    bare = {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}
    (rule,) = change_rules(schema(count=bare))
    assert rule.message == "failed rule: self == oldSelf"
    assert rule.path == ("spec", "count")


REFUSED: dict[str, dict[str, Any]] = {
    "another rule": {"name": {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]}},
    "one known and one not": {
        "name": {**FIXED, "x-kubernetes-validations": [*FIXED["x-kubernetes-validations"], {"rule": "true"}]}
    },
    "a known rule with more to it": {
        "name": {**FIXED, "x-kubernetes-validations": [{"rule": "self == oldSelf", "optionalOldSelf": True}]}
    },
    "items of a list": {"names": {"type": "array", "items": FIXED}},
    "values of a map": {"names": {"type": "object", "additionalProperties": FIXED}},
}


@pytest.mark.parametrize("case", REFUSED)
def test_every_other_rule_is_refused(case: str) -> None:
    found = rule_findings(schema(**REFUSED[case]), "schema")
    assert [one.kind for one in found] == ["Forbidden"]
    assert "validation rules in CEL are not supported" in str(found[0])


def test_the_known_rule_is_let_in() -> None:
    assert rule_findings(schema(name=FIXED), "schema") == []
