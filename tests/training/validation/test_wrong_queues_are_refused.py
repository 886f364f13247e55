"""Wrong queues are refused by both servers, with the same whole answer: by the schema, or by the policy, all errors at once."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.kinds.objects import Object
from corral.kinds.queues.judgement import admission_errors_of
from corral.kinds.training.policies.wording import refusal
from tests.training.validation.conftest import Judge

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

GPU = "nvidia.com/gpu"


def queue(name: str, **spec: Any) -> Object:
    return {"apiVersion": "corral.dev/v1alpha1", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def whole_refusal(name: str, errors: list[str]) -> Object:
    told = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
    text = f"ValidatingAdmissionPolicy 'corral-queue' with binding 'corral-queue' denied request: {told}"
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'queues.corral.dev "{name}" is forbidden: {text}',
        "reason": "Invalid",
        "details": {"name": name, "group": "corral.dev", "kind": "queues", "causes": [{"message": text}]},
        "code": 422,
    }


RULES: dict[str, tuple[Object, list[str]]] = {
    "its own parent": ({"parent": "wrong"}, ['spec.parent: Invalid value: "wrong": a queue is no part of itself']),
    "a parent that is no name": ({"parent": "A b"}, ['spec.parent: Invalid value: "A b": must be the name of a queue']),
    "less than nothing": (
        {"guarantee": {GPU: -1}, "limit": {"memory": "-1Gi", "cpu": "2"}, "borrowing": {GPU: "-500m"}},
        [
            f'spec.guarantee[{GPU}]: Invalid value: "-1": must not be negative',
            'spec.limit[memory]: Invalid value: "-1Gi": must not be negative',
            f'spec.borrowing[{GPU}]: Invalid value: "-500m": must not be negative',
        ],
    ),
    "more guaranteed than allowed": (
        {"guarantee": {GPU: 8, "memory": "2Ti"}, "limit": {GPU: "7999m", "memory": "2000Gi", "cpu": 1}},
        [
            'spec.guarantee[memory]: Invalid value: "2Ti": must not be more than the limit',
            f'spec.guarantee[{GPU}]: Invalid value: "8": must not be more than the limit',
        ],
    ),
    "lending what it does not have": (
        {"guarantee": {"cpu": 4}, "lending": {GPU: 1, "cpu": 2}},
        [f'spec.lending[{GPU}]: Invalid value: "1": only what is guaranteed can be lent'],
    ),
}


@pytest.mark.parametrize(("spec", "errors"), RULES.values(), ids=RULES)
def test_a_wrong_queue_is_refused_with_all_its_errors(judge: Judge, spec: Object, errors: list[str]) -> None:
    assert judge.create(queue("wrong", **spec)).body == whole_refusal("wrong", errors)


def test_a_name_must_fit_into_a_label(judge: Judge) -> None:
    name = "q" * 64
    told = f'metadata.name: Invalid value: "{name}": must be no more than 63 characters, as pods name it by a label'
    assert judge.create(queue(name)).body == whole_refusal(name, [told])


SCHEMA: dict[str, tuple[Object, list[str]]] = {
    "words that there are not": ({"order": "size", "strategy": "pack"}, ["spec.order", "spec.strategy"]),
    "numbers out of bounds": ({"weight": 0, "stretch": -1}, ["spec.stretch", "spec.weight"]),
    "amounts that are none": ({"limit": {"memory": "2 GB"}}, ["spec.limit.memory"]),
}


@pytest.mark.parametrize(("spec", "fields"), SCHEMA.values(), ids=SCHEMA)
def test_the_schema_says_what_fields_are(judge: Judge, spec: Object, fields: list[str]) -> None:
    verdict = judge.create(queue("wrong", **spec))
    assert verdict.code == 422, verdict.message
    assert sorted(one["field"] for one in verdict.body["details"]["causes"]) == fields


def test_defaults_are_written_down(judge: Judge) -> None:
    verdict = judge.create(queue("good", guarantee={GPU: 8}, limit={GPU: "8"}, parent="department"))
    assert verdict.code == 201, verdict.message
    spec = verdict.body["spec"]
    assert (spec["weight"], spec["order"], spec["passing"]) == (1, "priority", True)
    assert "lending" not in spec  # not given is another thing than nothing


def test_a_queue_that_was_taken_may_change_its_metadata_and_not_become_wrong(judge: Judge) -> None:
    kept = judge.create(queue("kept", weight=2), keep=True)
    assert kept.code == 201, kept.message
    assert judge.patch(kept.body, {"metadata": {"labels": {"a": "b"}}}).code == 200
    wrong = judge.patch(kept.body, {"spec": {"parent": "kept"}})
    assert wrong.body == whole_refusal("kept", ['spec.parent: Invalid value: "kept": a queue is no part of itself'])
    assert judge.delete(kept.body).code == 200


AMOUNTS = st.dictionaries(
    st.sampled_from(["cpu", "memory", GPU]),
    st.sampled_from(["0", "1", "-1", "500m", "1Gi", "1024Mi", "1e3", "999", "0.5", "-0"]),
)


@pytest.mark.parametrize("server", ["real"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(guarantee=AMOUNTS, limit=AMOUNTS, lending=AMOUNTS, parent=st.sampled_from(["", "any", "a.b", "-", "é"]))
def test_a_real_server_judges_queues_as_we_do(
    request: pytest.FixtureRequest, server: str, guarantee: Object, limit: Object, lending: Object, parent: str
) -> None:
    judge = request.getfixturevalue(f"{server}_judge")
    obj = queue("any", guarantee=guarantee, limit=limit, lending=lending, parent=parent)
    errors = admission_errors_of(obj)
    verdict = judge.create(obj)
    if not errors:
        assert verdict.code == 201, verdict.message
    else:
        assert verdict.message.endswith(refusal("queue", errors))
