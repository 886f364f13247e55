"""Wrong types and unknown fields of built-in kinds, against answers recorded from a real server.

`pod_decoding_answers.json` has one line a pod: what was sent with fieldValidation=Strict, and what came back.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.schema.decoding import check

RECORDED = json.loads(Path(__file__).with_name("pod_decoding_answers.json").read_text())["cases"]
PREFIX = 'Pod in version "v1" cannot be handled as a Pod: '


def pod(**spec: Any) -> dict[str, Any]:
    spec.setdefault("containers", [{"name": "a", "image": "b"}])
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec}


def checked(obj: dict[str, Any], group: str = "", kind: str = "Pod") -> dict[str, Any]:
    outcome = check(builtin_schema(group, "v1", kind), obj)
    assert (outcome.error, outcome.unknown) == ("", [])
    return outcome.value


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda r: r["case"])
def test_a_bad_pod_gets_the_answer_of_the_real_server(recorded: dict[str, Any]) -> None:
    outcome = check(builtin_schema("", "v1", "Pod"), {"apiVersion": "v1", "kind": "Pod", **recorded["pod"]})
    answer = "accepted"
    if outcome.error:
        answer = PREFIX + outcome.error
    elif outcome.unknown:
        listed = ", ".join(f'unknown field "{path}"' for path in outcome.unknown)
        answer = f"{PREFIX}strict decoding error: {listed}"
    assert answer == recorded["answer"]


def test_a_good_object_is_handed_back_untouched() -> None:
    obj = pod(nodeSelector={"a": "b"}, terminationGracePeriodSeconds=0)
    before = json.dumps(obj)
    assert check(builtin_schema("", "v1", "Pod"), obj).value is obj
    assert json.dumps(obj) == before


def test_null_is_absent_and_in_lists_and_maps_the_zero_value() -> None:
    obj = checked(pod(hostNetwork=None, nodeSelector={"a": None}, containers=[{"name": "a", "args": [None, "x"]}]))
    assert "hostNetwork" not in obj["spec"]
    assert obj["spec"]["nodeSelector"] == {"a": ""}
    assert obj["spec"]["containers"][0]["args"] == ["", "x"]


def test_zero_is_lost_except_behind_a_pointer() -> None:
    container = {"name": "a", "image": "", "tty": False, "args": [], "securityContext": {"privileged": False}}
    spec = checked(pod(hostNetwork=False, automountServiceAccountToken=False, containers=[container]))["spec"]
    assert "hostNetwork" not in spec
    assert spec["automountServiceAccountToken"] is False
    assert spec["containers"] == [{"name": "a", "securityContext": {"privileged": False}}]


def test_quantities_and_times_get_the_form_in_which_they_rest() -> None:
    limits = {"cpu": "1000m", "memory": 1073741824}
    obj = pod(containers=[{"name": "a", "resources": {"limits": limits}}])
    obj["metadata"]["creationTimestamp"] = "2020-01-01T01:00:00.5+02:00"
    value = checked(obj)
    assert value["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1", "memory": "1073741824"}
    assert value["metadata"]["creationTimestamp"] == "2019-12-31T23:00:00Z"


def test_bytes_must_be_base64() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"a": "Y Q"}}
    assert check(builtin_schema("", "v1", "Secret"), secret).error == "illegal base64 data at input byte 1"


def test_a_lease_wants_microseconds() -> None:
    lease = {"spec": {"renewTime": "2020-01-01T00:00:00.5Z"}}
    outcome = check(builtin_schema("coordination.k8s.io", "v1", "Lease"), lease)
    assert outcome.error.endswith('cannot parse ".5Z" as ".000000"')
    lease = {"spec": {"renewTime": "2020-01-01T02:00:00.123456+02:00"}}
    assert checked(lease, "coordination.k8s.io", "Lease")["spec"]["renewTime"] == "2020-01-01T00:00:00.123456Z"


def test_only_the_first_error_is_told() -> None:
    outcome = check(builtin_schema("", "v1", "Pod"), pod(hostNetwork="x", containers="y"))
    assert outcome.error.count("json:") == 1
    assert "hostNetwork" in outcome.error


def test_the_schema_of_a_definition_may_be_a_schema_or_a_truth_value() -> None:
    node = builtin_schema("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
    properties = {"a": {"additionalProperties": True}, "b": {"additionalProperties": {"type": "string", "foo": 1}}}
    crd = {"spec": {"versions": [{"schema": {"openAPIV3Schema": {"properties": properties}}}]}}
    outcome = check(node, crd)
    path = "spec.versions[0].schema.openAPIV3Schema.properties.b.additionalProperties.foo"
    assert (outcome.error, outcome.unknown) == ("", [path])
