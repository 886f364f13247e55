"""Pods and services: what is missing is made, what is too much goes, what is somebody else's stays."""

import msgspec

from corral.kinds.pod_view import PodView
from corral.kinds.training.reading import read_job
from corral.reconcile.frameworks.catalogue import framework_of
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Create, Delete
from corral.reconcile.training.creation import MOST_PODS_AT_ONCE
from corral.reconcile.training.decision import decide
from corral.reconcile.training.gangs import gangs_for
from corral.reconcile.training.sight import attempt_of, roster_of
from corral.reconcile.training.world import Settings, World
from tests.domain.reconcile.plan_reading import events_in, gone, made, reasons_in, status_in
from tests.domain.reconcile.training_builders import (
    NOW,
    UID,
    every_pod,
    every_service,
    manifest,
    pod,
    service,
    template,
    with_status,
)

STARTED = {"startTime": stamp_of(NOW - 60)}


def test_everything_is_made_at_once() -> None:
    plan = decide(World(manifest("PyTorchJob", Master=1, Worker=2)), NOW)
    assert made(plan) == made(plan, "Service") == ["job-master-0", "job-worker-0", "job-worker-1"]
    assert len(plan.stages) == 1
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "job", "uid": UID}
    for one in plan:
        if isinstance(one, Create):
            assert one.object["metadata"]["ownerReferences"] == [
                {**owner, "controller": True, "blockOwnerDeletion": True}
            ]


def test_very_many_are_made_in_goes() -> None:
    obj = manifest("TFJob", Worker=1200)
    job = read_job(obj)
    plan = decide(World(obj), NOW)
    assert len(made(plan)) == MOST_PODS_AT_ONCE
    assert plan.look_again_after == 0.0
    names = set(made(plan))
    held = [one for one in every_pod(job) if one.name in names]
    second = decide(World(obj, held, every_service(job)), NOW)
    assert len(made(second)) == MOST_PODS_AT_ONCE
    assert not names & set(made(second))


def test_only_what_is_missing_is_made() -> None:
    obj = manifest("PyTorchJob", Master=1, Worker=2)
    job = read_job(obj)
    plan = decide(World(obj, [pod(job, "Worker", 0)], [service(job, "Master", 0)]), NOW)
    assert made(plan) == ["job-master-0", "job-worker-1"]
    assert made(plan, "Service") == ["job-worker-0", "job-worker-1"]


def test_a_kind_without_services_gets_none() -> None:
    plan = decide(World(manifest("MPIJob", Launcher=1, Worker=1)), NOW)
    assert made(plan) == ["job-launcher", "job-worker-0"]
    assert made(plan, "Service") == []


def test_a_pod_that_is_on_its_way_out_keeps_its_name_until_it_is_gone() -> None:
    obj = manifest("PyTorchJob", Worker=1)
    job = read_job(obj)
    plan = decide(World(obj, [pod(job, "Worker", 0, "Pending", deleting=True)], every_service(job)), NOW)
    assert (made(plan), gone(plan)) == ([], [])


def test_every_creation_tells_how_it_went() -> None:
    told = [one.told for one in decide(World(manifest("PyTorchJob", Worker=1)), NOW) if isinstance(one, Create)]
    words = [
        [(event.reason, event.message, event.type) for event in (one.done, one.failed, one.taken) if event]
        for one in told
        if one is not None
    ]
    taken = 'Resource "job-worker-0" of Kind "Pod" already exists and is not managed by PyTorchJob'
    assert words == [
        [
            ("SuccessfulCreatePod", "Created pod: job-worker-0", "Normal"),
            ("FailedCreatePod", "Error creating: ", "Warning"),
            ("ErrResourceExists", taken, "Warning"),
        ],
        [
            ("SuccessfulCreateService", "Created service: job-worker-0", "Normal"),
            ("FailedCreateService", "Error creating: ", "Warning"),
        ],
    ]


def test_a_job_made_smaller_gives_up_its_last_pods_and_their_services() -> None:
    large, small = (with_status(manifest("PyTorchJob", Worker=count), "Created", **STARTED) for count in (3, 2))
    job = read_job(large)
    plan = decide(World(small, every_pod(job), every_service(job)), NOW)
    assert gone(plan) == gone(plan, "Service") == ["job-worker-2"]
    assert made(plan) == []
    (first, _) = (one for one in plan if isinstance(one, Delete))
    assert first.uid == "uid-of-job-worker-2"
    assert first.told is not None
    assert first.told.done is not None
    assert first.told.done.message == "Deleted pod: job-worker-2"


def test_a_job_made_smaller_and_larger_again_does_not_fail_by_its_own_hand() -> None:
    """Even with a policy that starts nothing twice: the pod that is still going was sent away, it did not fail."""
    workers = {"restartPolicy": "Never"}
    large = manifest("PyTorchJob", Worker={**workers, "replicas": 2})
    small = with_status(manifest("PyTorchJob", Worker={**workers, "replicas": 1}), "Created", "Running", **STARTED)
    job = read_job(large)
    told = status_in(decide(World(small, every_pod(job), every_service(job)), NOW))
    assert told is not None
    assert told["counted"] == ["uid-of-job-worker-1"]
    pods = [pod(job, "Worker", 0), pod(job, "Worker", 1, deleting=True)]
    plan = decide(World({**large, "status": told}, pods, every_service(job)), NOW)
    assert "PyTorchJobFailed" not in reasons_in(plan)
    assert gone(plan) == made(plan) == []


def test_strays_that_are_going_are_not_deleted_again() -> None:
    large, small = (with_status(manifest("PyTorchJob", Worker=count), "Created", **STARTED) for count in (2, 1))
    job = read_job(large)
    extra = msgspec.convert(
        {"metadata": {"name": "job-worker-1", "deletionTimestamp": stamp_of(NOW)}}, type(service(job, "Worker", 1))
    )
    pods = [pod(job, "Worker", 0), pod(job, "Worker", 1, deleting=True)]
    plan = decide(World(small, pods, [service(job, "Worker", 0), extra]), NOW)
    assert gone(plan) == gone(plan, "Service") == []


def test_a_pod_of_the_job_that_another_program_made_is_left_alone() -> None:
    obj = manifest("PyTorchJob", Worker=1)
    job = read_job(obj)
    plan = decide(World(obj, [pod(job, "Worker", 7, labels={})], every_service(job)), NOW)
    assert gone(plan) == []


def test_nothing_is_done_when_all_is_as_it_should_be() -> None:
    obj = manifest("PyTorchJob", Master=1, Worker=2)
    job = read_job(obj)
    first = decide(World(obj, every_pod(job), every_service(job)), NOW)
    settled = {**obj, "status": status_in(first)}
    assert not decide(World(settled, every_pod(job), every_service(job)), NOW + 5)


def test_what_a_template_says_and_the_operator_decides_is_told_while_pods_are_made() -> None:
    given = template("pytorch")
    given["spec"] |= {"restartPolicy": "Always", "schedulerName": "mine"}
    obj = manifest("PyTorchJob", Worker={"replicas": 1, "template": given})
    settings = Settings(gangs=gangs_for("sched"))
    assert reasons_in(decide(World(obj, settings=settings), NOW)) == [
        "SetPodTemplateRestartPolicy",
        "SetPodTemplateSchedulerName",
    ]
    assert reasons_in(decide(World(obj), NOW)) == ["SetPodTemplateRestartPolicy"]
    assert events_in(decide(World(obj, every_pod(read_job(obj)), settings=settings), NOW)) == []


def test_pods_are_sorted_by_what_they_are_to_the_job() -> None:
    job = read_job(manifest("PyTorchJob", annotations={"corral.dev/restart-scope": "gang"}, Master=1, Worker=2))
    current, old = ({"corral.dev/attempt": told} for told in ("2", "1"))
    pods: tuple[PodView, ...] = (
        pod(job, "Worker", 1, annotations=current),
        pod(job, "Master", 0, annotations=current),
        pod(job, "Worker", 0, annotations=old),
        pod(job, "Worker", 5, annotations=current),
    )
    roster = roster_of(framework_of(job.facts), job, pods, 2)
    assert [one.name for one in roster.members.values()] == ["job-master-0", "job-worker-1"]
    assert [one.name for one in roster.outdated] == ["job-worker-0"]
    assert [one.name for one in roster.strays] == ["job-worker-5"]


def test_attempts_that_cannot_be_read_are_the_first() -> None:
    job = read_job(manifest("PyTorchJob", Worker=1))
    told = {"3": 3, "": 0, "-1": 0, "many": 0}
    found = {text: attempt_of(pod(job, "Worker", 0, annotations={"corral.dev/attempt": text})) for text in told}
    assert found == told
    assert attempt_of(pod(job, "Worker", 0)) == 0
