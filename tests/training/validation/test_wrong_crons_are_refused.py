"""Wrong crons are refused by both servers, with the same whole answer: by the schema, or by the policy, all errors at once."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.kinds.cron.judgement import admission_errors_of
from corral.kinds.objects import Object
from corral.kinds.training.policies.wording import refusal
from tests.training.crons.cron_on_stage import cron_manifest
from tests.training.validation.conftest import Judge
from tests.training.validation.rows import NOT_LABEL

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

FIVE = 'write five fields, as in "30 22 * * MON-FRI", or one of @hourly, @daily, @weekly, @monthly, @yearly, @every 90m'
KINDS = ", ".join(
    f'"kubeflow.org/v1 {kind}"'
    for kind in ("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob")
)


def schedule_error(text: str, detail: str) -> str:
    return f'spec.schedule: Invalid value: "{text}": {detail}'


RULES: dict[str, tuple[Object, list[str]]] = {
    "too few fields": ({"schedule": "0 0"}, [schedule_error("0 0", FIVE)]),
    "no schedule": ({"schedule": ""}, [schedule_error("", FIVE)]),
    "an unknown word": ({"schedule": "@noon"}, [schedule_error("@noon", FIVE)]),
    "seconds that are not 0": ({"schedule": "5 0 22 * * ?"}, [schedule_error("5 0 22 * * ?", FIVE)]),
    "every field": (
        {"schedule": "60 24 32 13 8"},
        [
            schedule_error("60 24 32 13 8", f"the {field}")
            for field in (
                "minute must be * or from 0 to 59",
                "hour must be * or from 0 to 23",
                "day of the month must be * or from 1 to 31, or L for the last",
                "month must be * or from 1 to 12, or JAN to DEC",
                "day of the week must be * or from 0 to 7, where 0 and 7 are Sunday, or SUN to SAT",
            )
        ],
    ),
    "a zone that is none": (
        {"timeZone": "../etc"},
        ['spec.timeZone: Invalid value: "../etc": must be a name such as Europe/Berlin'],
    ),
    "a job that is not for training": (
        {"template": {"apiVersion": "batch/v1", "kind": "Job", "spec": {}}},
        [f'spec.template: Unsupported value: "batch/v1 Job": supported values: {KINDS}'],
    ),
    "jobs elsewhere, and a bad minute": (
        {
            "schedule": "x * * * *",
            "template": {**cron_manifest("x")["spec"]["template"], "metadata": {"namespace": "elsewhere"}},
        },
        [
            schedule_error("x * * * *", "the minute must be * or from 0 to 59"),
            'spec.template.metadata.namespace: Invalid value: "elsewhere": jobs are made where their cron is',
        ],
    ),
}


def whole_refusal(name: str, errors: list[str]) -> Object:
    told = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
    text = f"ValidatingAdmissionPolicy 'corral-cron' with binding 'corral-cron' denied request: {told}"
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'crons.corral.dev "{name}" is forbidden: {text}',
        "reason": "Invalid",
        "details": {"name": name, "group": "corral.dev", "kind": "crons", "causes": [{"message": text}]},
        "code": 422,
    }


@pytest.mark.parametrize(("change", "errors"), RULES.values(), ids=RULES)
def test_a_wrong_cron_is_refused_with_all_its_errors(judge: Judge, change: Object, errors: list[str]) -> None:
    obj = cron_manifest("wrong")
    obj["spec"] |= change
    assert judge.create(obj).body == whole_refusal("wrong", errors)


@pytest.mark.parametrize(
    ("name", "errors"),
    [
        ("c" * 53, ["must be no more than 52 characters"]),
        ("1st", [NOT_LABEL.removeprefix("should match: ")]),
    ],
)
def test_a_name_must_leave_room_for_the_time(judge: Judge, name: str, errors: list[str]) -> None:
    wanted = [f'metadata.name: Invalid value: "{name}": {error}' for error in errors]
    assert judge.create(cron_manifest(name)).body == whole_refusal(name, wanted)


SCHEMA: dict[str, tuple[Object, list[str]]] = {
    "a policy that there is not": ({"concurrencyPolicy": "Queue"}, ["spec.concurrencyPolicy"]),
    "negative numbers": (
        {"historyLimit": -1, "startingDeadlineSeconds": 0},
        ["spec.historyLimit", "spec.startingDeadlineSeconds"],
    ),
    "a deadline that is no time": ({"deadline": "tomorrow"}, ["spec.deadline"]),
    "no template": ({"template": None}, ["spec.template"]),
    "a template without a spec": (
        {"template": {"apiVersion": "kubeflow.org/v1", "kind": "TFJob"}},
        ["spec.template.spec"],
    ),
}


@pytest.mark.parametrize(("change", "fields"), SCHEMA.values(), ids=SCHEMA)
def test_the_schema_says_what_fields_are(judge: Judge, change: Object, fields: list[str]) -> None:
    obj = cron_manifest("wrong")
    obj["spec"] |= change
    verdict = judge.create(obj)
    assert verdict.code == 422
    told = [one["field"] for one in verdict.body["details"]["causes"]]
    assert sorted(told) == sorted(fields)  # a real server names them in any order


def test_defaults_are_written_down(judge: Judge) -> None:
    verdict = judge.create(cron_manifest("good"))
    assert verdict.code == 201, verdict.message
    spec = verdict.body["spec"]
    assert (spec["concurrencyPolicy"], spec["suspend"], spec["historyLimit"]) == ("Allow", False, 10)


def test_a_cron_that_was_taken_may_change_its_metadata_and_not_become_wrong(judge: Judge) -> None:
    kept = judge.create(cron_manifest("kept"), keep=True)
    assert kept.code == 201, kept.message
    assert judge.patch(kept.body, {"metadata": {"labels": {"a": "b"}}}).code == 200
    wrong = judge.patch(kept.body, {"spec": {"schedule": "0 0"}})
    assert wrong.body == whole_refusal("kept", [schedule_error("0 0", FIVE)])
    assert judge.delete(kept.body).code == 200


PARTS = ["*", "0", "59", "60", "5-1", "*/15", "*/0", "1,2", "L", "?", "MON", "jan", "MON#2", "7L", "@every", "1h", "0"]


@pytest.mark.parametrize("server", ["real"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.sampled_from(PARTS), min_size=1, max_size=7), zone=st.sampled_from(["", "UTC", "a b", "é", "A/b"])
)
def test_a_real_server_judges_schedules_as_we_do(
    request: pytest.FixtureRequest, server: str, words: list[str], zone: str
) -> None:
    judge = request.getfixturevalue(f"{server}_judge")
    obj = cron_manifest("any", " ".join(words), timeZone=zone)
    obj["metadata"]["namespace"] = judge.namespace
    errors = admission_errors_of(obj)
    verdict = judge.create(obj)
    if not errors:
        assert verdict.code == 201, verdict.message
    else:
        assert verdict.message.endswith(refusal("cron", errors))
