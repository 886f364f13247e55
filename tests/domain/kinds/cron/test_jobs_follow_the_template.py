"""Which job a cron makes of its template, and which cron of a job that somebody would submit."""

from corral.kinds.cron.making import Timing, cron_objects
from corral.kinds.cron.template import job_at, job_name
from corral.kinds.objects import Object, copied

JOB_NAME, GANG = "training.kubeflow.org/job-name", "pod-group.scheduling.sigs.k8s.io/name"
MOMENT = 29_917_320 * 60.0


def job() -> Object:
    affinity = {
        "podAntiAffinity": {"terms": [{"labelSelector": {"matchLabels": {JOB_NAME: "mnist", "other": "mnist"}}}]}
    }
    pod = {"metadata": {"labels": {GANG: "tfjob-mnist"}}, "spec": {"affinity": affinity, "containers": []}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "mnist", "namespace": "team", "labels": {"a": "b"}},
        "spec": {"tfReplicaSpecs": {"Worker": {"template": pod}}},
    }


def test_a_job_becomes_a_cron_and_a_time_becomes_a_job_again() -> None:
    (cron,) = cron_objects([job()], Timing("@daily"))
    assert cron["metadata"] == {"name": "mnist", "namespace": "team"}
    assert "namespace" not in cron["spec"]["template"]["metadata"]
    made = job_at(cron, MOMENT)
    assert made["metadata"]["name"] == job_name(cron, MOMENT) == "mnist-29917320"
    assert made["metadata"]["labels"] == {"a": "b", "corral.dev/cron": "mnist"}


def test_pods_name_their_own_job_and_its_cron() -> None:
    (cron,) = cron_objects([job()], Timing("@daily"))
    before = copied(cron)
    pod = job_at(cron, MOMENT)["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    assert pod["metadata"]["labels"] == {GANG: "tfjob-mnist-29917320", "corral.dev/cron": "mnist"}
    terms = pod["spec"]["affinity"]["podAntiAffinity"]["terms"]
    assert terms[0]["labelSelector"]["matchLabels"] == {JOB_NAME: "mnist-29917320", "other": "mnist"}
    assert cron == before, "a template is shared by all jobs"


def test_what_a_template_without_a_name_says_stays_as_it_is() -> None:
    (cron,) = cron_objects([job()], Timing("@daily"))
    del cron["spec"]["template"]["metadata"]["name"]
    pod = job_at(cron, MOMENT)["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    assert pod["metadata"]["labels"][GANG] == "tfjob-mnist"


def test_what_belongs_to_a_job_looks_for_all_jobs_of_its_cron() -> None:
    board = {
        "kind": "Deployment",
        "metadata": {"name": "mnist-tensorboard"},
        "spec": [{JOB_NAME: "mnist"}, {"a": "mnist"}],
    }
    _, found = cron_objects([job(), board], Timing("@daily"))
    assert found["spec"] == [{"corral.dev/cron": "mnist"}, {"a": "mnist"}]


def test_only_what_was_said_is_written() -> None:
    said = Timing("@daily", time_zone="UTC", suspend=False, starting_deadline_seconds=60, history_limit=0)
    (cron,) = cron_objects([job()], said)
    assert {field: value for field, value in cron["spec"].items() if field != "template"} == {
        "schedule": "@daily",
        "timeZone": "UTC",
        "suspend": False,
        "startingDeadlineSeconds": 60,
        "historyLimit": 0,
    }
