"""Wrong jobs are refused on create and on update by both servers, with the same whole answer."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.validation import admission_errors_of, errors_of
from tests.training.manifests import FACTS, INDEXED_KINDS, USUAL_ROLES, manifest
from tests.training.validation.conftest import Judge, Verdict
from tests.training.validation.rows import NOT_LABEL, ROWS, good, spoilt

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

EACH = [(rule, kind) for rule, row in ROWS.items() for kind in row.kinds]


def refusal(kind: str, name: str, errors: list[str]) -> Object:
    """Returns the whole Status of a refused job."""
    facts = FACTS[kind]
    policy = f"corral-{facts.singular}"
    told = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
    text = f"ValidatingAdmissionPolicy '{policy}' with binding '{policy}' denied request: {told}"
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'{facts.plural}.kubeflow.org "{name}" is forbidden: {text}',
        "reason": "Invalid",
        "details": {"name": name, "group": "kubeflow.org", "kind": facts.plural, "causes": [{"message": text}]},
        "code": 422,
    }


def is_refused(verdict: Verdict, kind: str, name: str, errors: list[str]) -> None:
    assert verdict.body == refusal(kind, name, errors)
    assert verdict.code == 422


@pytest.mark.parametrize("kind", INDEXED_KINDS)
def test_a_good_job_has_no_errors(kind: str) -> None:
    assert errors_of(good(kind)) == []


@pytest.mark.parametrize(("rule", "kind"), EACH)
def test_every_error_of_a_job_is_found_at_once(rule: str, kind: str) -> None:
    job, errors = spoilt(kind, ROWS[rule])
    assert [str(error) for error in errors_of(job)] == errors
    assert [str(error) for error in admission_errors_of(job, good(kind))] == [*ROWS[rule].on_update, *errors]


@pytest.mark.parametrize(("rule", "kind"), EACH)
def test_a_wrong_job_is_refused_on_create(judge: Judge, rule: str, kind: str) -> None:
    job, errors = spoilt(kind, ROWS[rule])
    is_refused(judge.create(job), kind, "job", errors)


@pytest.mark.parametrize("kind", INDEXED_KINDS)
def test_a_wrong_job_is_refused_on_update_patch_and_apply(judge: Judge, kind: str) -> None:
    """One job of each kind, changed into every wrong one, in each way to change it."""
    name = f"{kind.lower()}-changed"
    kept = judge.create(good(kind, name), keep=True)
    assert kept.code == 201, kept.message
    for rule, row in ROWS.items():
        if kind not in row.kinds:
            continue
        wrong, errors = spoilt(kind, row)
        errors = [*row.on_update, *errors]
        changed = {**kept.body, "spec": wrong["spec"]}
        is_refused(judge.update(changed), kind, name, errors)
        replace = [{"op": "replace", "path": "/spec", "value": wrong["spec"]}]
        is_refused(judge.patch(kept.body, replace, "json-patch+json"), kind, name, errors)
        if rule == "another manager":  # what else an applier leaves out may still be there
            applied = {"apiVersion": kept.body["apiVersion"], "kind": kind, "spec": wrong["spec"]}
            verdict = judge.patch(kept.body, applied, "apply-patch+yaml", "?fieldManager=other&force=true")
            is_refused(verdict, kind, name, errors)
    assert judge.update(kept.body).code == 200


@pytest.mark.parametrize("kind", INDEXED_KINDS)
@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("1job", [NOT_LABEL]),
        ("a.b", [NOT_LABEL]),
        ("j" * 64, ["should match: must be no more than 63 bytes"]),
        (
            "1" * 64,
            [f"should match: must be no more than 63 bytes,{NOT_LABEL.removeprefix('should match: ')}"],
        ),
    ],
)
def test_a_name_must_be_a_label(judge: Judge, kind: str, name: str, faults: list[str]) -> None:
    errors = [f'metadata.name: Invalid value: "{name}": {fault}' for fault in faults]
    is_refused(judge.create(good(kind, name)), kind, name, errors)


def test_a_generated_name_is_judged_too(judge: Judge) -> None:
    job = good("JAXJob")
    job["metadata"] = {"generateName": "1-"}
    verdict = judge.create(job)
    assert verdict.code == 422
    assert 'jaxjobs.kubeflow.org "1-' in verdict.message
    assert NOT_LABEL in verdict.message


@pytest.mark.parametrize("kind", INDEXED_KINDS)
def test_the_names_of_all_pods_must_fit(judge: Judge, kind: str) -> None:
    roles = {"Master": 1, "Worker": 100} if "Master" in USUAL_ROLES[kind] else {"Worker": 100}
    fits = 63 - len("-worker-99")
    assert judge.create(manifest(kind, "j" * fits, roles)).code == 201
    name, child = "j" * (fits + 1), "j" * (fits + 1) + "-worker-99"
    error = (
        f'metadata.name: Invalid value: "{name}": is too long: its pod "{child}" would have a name of 64 characters, '
        "and 63 are allowed"
    )
    is_refused(judge.create(manifest(kind, name, roles)), kind, name, [error])


@pytest.mark.parametrize("kind", [*INDEXED_KINDS, "MPIJob"])
def test_the_manager_of_a_job_stays(judge: Judge, kind: str) -> None:
    name, field = f"{kind.lower()}-managed", "spec.runPolicy.managedBy"
    job = good(kind, name)
    job["spec"]["runPolicy"]["managedBy"] = "kueue.x-k8s.io/multikueue"
    assert judge.create(job, keep=True).code == 201
    for value, shown in (("kubeflow.org/training-operator", '"kubeflow.org/training-operator"'), (None, "null")):
        verdict = judge.patch(job, {"spec": {"runPolicy": {"managedBy": value}}})
        is_refused(verdict, kind, name, [f"{field}: Invalid value: {shown}: field is immutable"])


def test_a_bad_mpi_job_is_let_in_because_the_operator_answers_it(judge: Judge) -> None:
    job = good("MPIJob")
    job["spec"]["mpiReplicaSpecs"].pop("Launcher")
    assert judge.create(job).code == 201
    assert errors_of(job)


@pytest.mark.parametrize("kind", INDEXED_KINDS)
def test_long_lists_of_errors_are_cut(judge: Judge, kind: str) -> None:
    job = good(kind)
    role = next(iter(job["spec"][FACTS[kind].map_field].values()))
    role["template"]["spec"]["containers"] = [{"name": f"c{i}"} for i in range(60)]
    verdict = judge.create(job)
    told = verdict.message.partition("denied request: ")[2]
    whole = f"[{', '.join(map(str, admission_errors_of(job)))}]"
    assert told == whole[:4000] + " ... and more"


def test_what_is_too_long_to_be_told_is_still_refused(judge: Judge) -> None:
    job = good("TFJob")
    job["spec"]["tfReplicaSpecs"]["ä" * 3000] = job["spec"]["tfReplicaSpecs"]["Worker"]
    verdict = judge.create(job)
    assert verdict.message.endswith("denied request: the job has errors that are too long to be told")


@pytest.mark.parametrize("kind", ["TFJob", "MXJob"])
def test_roles_may_be_written_in_any_case(judge: Judge, kind: str) -> None:
    job = good(kind)
    field = FACTS[kind].map_field
    job["spec"][field] = {role.lower(): one for role, one in job["spec"][field].items()}
    assert judge.create(job).code == 201


def test_the_old_number_of_processes_warns(judge: Judge) -> None:
    policy = "corral-pytorchjob-warnings"
    job = good("PyTorchJob")
    job["spec"]["elasticPolicy"] = {"nProcPerNode": 2}
    want = (
        f"Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{policy}': "
        "spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead"
    )
    taken = judge.create(job)
    assert (taken.code, taken.warnings) == (201, [want])
    job["spec"]["nprocPerNode"] = "2"
    refused = judge.create(job)
    assert (refused.code, refused.warnings) == (422, [want])
