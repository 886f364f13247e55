"""Crons on both servers: their times make jobs, which are told of, wait for each other, and go when it is time.

Invariants R1, R2 and R4 as a user of a server sees them.
"""

import random
import time

import pytest

from corral.kinds.cron.cron import CRON
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import EVENT, NAMESPACE, POD
from corral.ports.object_store import DeleteOptions, Patch, Scope
from tests.training.crons.cron_on_stage import CronOnStage, cron_manifest, days_ago, put_cron
from tests.training.ground import Ground
from tests.training.manifests import EVERY_KIND
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


def test_a_time_that_has_come_makes_a_job_that_is_told_of_from_start_to_end(stage: Stage) -> None:
    cron = put_cron(stage, cron_manifest("nightly"))
    cron.wait_reason("Scheduled")
    cron.come()
    stage.wait(lambda: cron.made)
    (name,) = cron.made
    job = cron.job(name)
    job.wait_pods("worker-0")
    assert job.read()["metadata"]["labels"]["corral.dev/cron"] == "nightly"
    active = stage.wait(lambda: cron.status.get("active"))
    assert active is not None
    assert [run["name"] for run in active] == [name]
    assert cron.status["lastScheduleTime"] == f"{time.gmtime().tm_year}-01-01T00:00:00Z"
    cron.end(name)
    (ended,) = stage.wait(lambda: cron.status.get("history")) or [{}]
    assert (ended["name"], ended["type"], ended["status"]) == (name, "JAXJob", "Succeeded")
    assert ended["created"] <= ended["finished"]
    assert "active" not in cron.status
    assert cron.status["missed"] == time.gmtime().tm_year - 2021


def test_a_cron_takes_its_jobs_with_it(stage: Stage) -> None:
    cron = put_cron(stage, cron_manifest("going"))
    cron.come()
    stage.wait(lambda: stage.names(POD))
    stage.delete(CRON, "going", DeleteOptions(propagation="Background"))
    stage.wait(lambda: (cron.made, stage.names(POD)), lambda seen: seen == ([], []))


def test_forbidden_jobs_wait_for_the_end_of_others(stage: Stage) -> None:
    cron = put_cron(stage, cron_manifest("alone", days_ago(3), concurrencyPolicy="Forbid", historyLimit=0))
    cron.come()
    first = stage.wait(lambda: cron.made)
    cron.come(days_ago(1))
    stage.stays(lambda: cron.made, lambda seen: seen == first)
    cron.end(first[0])
    stage.wait(lambda: cron.made, lambda seen: seen and first[0] not in seen)
    assert "history" not in cron.status


def test_replaced_jobs_and_their_pods_go_before_the_next_comes(stage: Stage) -> None:
    cron = put_cron(stage, cron_manifest("fresh", days_ago(3), concurrencyPolicy="Replace"))
    cron.come()
    (first,) = stage.wait(lambda: cron.made)
    pod = f"{first}-worker-0"
    stage.wait(lambda: stage.find(POD, pod))
    stage.hold(pod)
    cron.come(days_ago(1))
    stage.wait(lambda: (stage.find(POD, pod) or {"metadata": {}})["metadata"].get("deletionTimestamp"))
    stage.stays(lambda: cron.made, lambda seen: seen == [first])
    stage.let_go(pod)
    stage.wait(lambda: cron.made, lambda seen: len(seen) == 1 and seen != [first])
    stage.wait(lambda: cron.status.get("history") or [{}], lambda seen: seen[0].get("status") == "Deleted")


def _made_and_ended(stage: Stage, cron: CronOnStage, count: int) -> str:
    """Lets a time of some days ago come; returns the job, which is the only one in the end."""
    known = set(cron.made)
    cron.come(days_ago(count))
    (new,) = stage.wait(lambda: sorted(set(cron.made) - known))
    cron.end(new)
    stage.wait(lambda: cron.made, lambda seen: seen == [new])
    return new


def test_older_jobs_go_when_there_are_more_than_are_kept(stage: Stage) -> None:
    cron = put_cron(stage, cron_manifest("short", days_ago(4), historyLimit=1))
    names = [_made_and_ended(stage, cron, count) for count in (4, 3, 2)]
    assert [one["name"] for one in cron.status["history"]] == names[-1:]


def test_a_suspended_cron_makes_nothing(stage: Stage) -> None:
    cron = put_cron(stage, cron_manifest("paused", suspend=True))
    cron.wait_reason("Suspended")
    stage.change(CRON, "paused", {"spec": {"suspend": False}})
    cron.wait_reason("Scheduled")
    stage.stays(lambda: cron.made, lambda seen: seen == [])


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_jobs_of_every_kind_can_be_made(stage: Stage, kind: str) -> None:
    cron = put_cron(stage, cron_manifest("any", kind=kind))
    cron.come()
    stage.wait(lambda: cron.made)
    stage.wait(lambda: len(stage.names(POD)) == 2 or kind == "JAXJob")


def test_both_dialects_of_mpi_can_be_made(stage: Stage) -> None:
    obj = cron_manifest("second", kind="MPIJob")
    obj["spec"]["template"]["apiVersion"] = "kubeflow.org/v2beta1"
    cron = put_cron(stage, obj)
    cron.come()
    (name,) = stage.wait(lambda: cron.made)
    assert stage.get(cron.jobs, name)["spec"]["mpiImplementation"] == "OpenMPI"
    stage.stays(lambda: "history" in cron.status, lambda seen: not seen)


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"schedule": "30-10 * * * *"}, 'spec.schedule: Invalid value: "30-10 * * * *": the minute "30-10" is not one'),
        ({"timeZone": "Mars/Olympus"}, 'spec.timeZone: Invalid value: "Mars/Olympus": is not a known time zone'),
        (
            {"template": {"apiVersion": "kubeflow.org/v1", "kind": "JAXJob", "spec": {"jaxReplicaSpecs": {}}}},
            "spec.template.spec.jaxReplicaSpecs: Required value: must be required",
        ),
    ],
)
def test_what_only_the_operator_can_tell_is_told_in_the_condition(stage: Stage, change: object, want: str) -> None:
    obj = cron_manifest("wrong")
    obj["spec"] |= change
    cron = put_cron(stage, obj)
    assert cron.wait_reason("Invalid")["message"] == want
    assert cron.made == []


def test_a_job_that_the_server_refuses_is_told_and_tried_again(stage: Stage) -> None:
    """The namespace does not allow what the template asks for, which only the server knows."""
    guard = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}
    stage.client.patch(NAMESPACE, ObjectKey("", stage.namespace), Patch("merge", guard))
    obj = cron_manifest("strong")
    pod = obj["spec"]["template"]["spec"]["jaxReplicaSpecs"]["Worker"]["template"]["spec"]
    pod["hostNetwork"] = True
    cron = put_cron(stage, obj)
    cron.come()
    seen = stage.wait(
        lambda: [one for one in stage.client.list(EVENT, Scope(stage.namespace)) if one["reason"] == "FailedCreate"]
    )
    assert "hostNetwork" in seen[0]["message"]
    assert cron.made == []
    free = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": None}}}
    stage.client.patch(NAMESPACE, ObjectKey("", stage.namespace), Patch("merge", free))
    stage.wait(lambda: cron.made)


def test_however_often_the_operator_is_killed_each_time_makes_one_job(ground: Ground, stage: Stage) -> None:
    """Invariant R1: the moment of death is chance, the outcome is not."""
    chance = random.Random(7)
    names = [f"killed-{at}" for at in range(6)]
    crons = [put_cron(stage, cron_manifest(name)) for name in names]
    for cron in crons:
        cron.wait_reason("Scheduled")
    uids: dict[str, set[str]] = {}
    for _ in range(3):
        for cron in crons:
            cron.come()
        time.sleep(chance.uniform(0.0, 0.06))
        ground.operator().kill()
        ground.operator()  # another one, since that one is dead
        for one in stage.client.list(crons[0].jobs):
            uids.setdefault(one["metadata"]["name"], set()).add(one["metadata"]["uid"])
    stage.wait(lambda: [len(cron.made) for cron in crons], lambda seen: seen == [1] * len(crons))
    wanted = [time.gmtime().tm_year - 2021] * len(crons)
    stage.wait(lambda: [cron.status.get("missed") for cron in crons], lambda seen: seen == wanted)
    assert all(len(found) == 1 for found in uids.values())
