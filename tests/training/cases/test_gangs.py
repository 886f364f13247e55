"""Gangs: PodGroups in both dialects, what of them reaches pods, and pods that wait for their group."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.well_known import JOB
from tests.training.manifests import EVERY_KIND, role, template
from tests.training.marks import case, started_with
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

VOLCANO = ApiResource("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups")
PLUGINS = ApiResource("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups")

with_volcano = started_with("--gang-scheduler-name", "Volcano")
with_plugins = started_with("--gang-scheduler-name", "my-scheduler")


def group_of(stage: Stage, resource: ApiResource, name: str = "job") -> Object:
    """Returns the PodGroup as soon as it is there."""
    found = stage.wait(lambda: stage.find(resource, name))
    assert found is not None
    return found


def let_in(stage: Stage, phase: str = "Inqueue") -> None:
    """Says what Volcano would."""
    group_of(stage, VOLCANO)
    stage.change(VOLCANO, "job", {"status": {"phase": phase}}, "status")


@case(68)
@with_plugins
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_job_is_announced_as_a_gang(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, metadata={"annotations": {"note": "copied"}})
    group = group_of(stage, PLUGINS)
    assert group["spec"]["minMember"] == 2
    assert "scheduleTimeoutSeconds" not in group["spec"]
    assert group["metadata"]["annotations"]["note"] == "copied"
    assert [(one["kind"], one["uid"], one["controller"]) for one in group["metadata"]["ownerReferences"]] == [
        (kind, job.uid, True)
    ]
    stage.wait(job.pods, lambda seen: len(seen) == 2)


@case(68)
@with_plugins
def test_the_policy_overrides_and_changes_follow(stage: Stage) -> None:
    policy = {"minAvailable": 10, "scheduleTimeoutSeconds": 30, "minResources": {"cpu": "4"}}
    job = stage.submit("PyTorchJob", run_policy={"schedulingPolicy": policy})
    spec = group_of(stage, PLUGINS)["spec"]
    assert (spec["minMember"], spec["scheduleTimeoutSeconds"], spec["minResources"]) == (10, 30, {"cpu": "4"})
    job.set_run_policy(schedulingPolicy={"minAvailable": 2})
    stage.wait(lambda: group_of(stage, PLUGINS)["spec"]["minMember"] == 2)


@case(68)
@with_plugins
def test_resources_are_those_of_the_first_members(stage: Stage) -> None:
    asked = {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"nvidia.com/gpu": "8"}}
    only = {"limits": {"cpu": "2"}}
    roles = {"Master": role("PyTorchJob", 1, resources=asked), "Worker": role("PyTorchJob", 2, resources=only)}
    stage.submit("PyTorchJob", roles=roles)
    assert group_of(stage, PLUGINS)["spec"]["minResources"] == {"cpu": "4500m", "memory": "1Gi"}


@case(68)
@with_plugins
@pytest.mark.parametrize("end", ["finish", "suspend", "limit"])
def test_a_group_goes_with_the_end_of_its_job(stage: Stage, end: str) -> None:
    limit = {"activeDeadlineSeconds": 1} if end == "limit" else {}
    job = stage.submit("PyTorchJob", run_policy=limit)
    group_of(stage, PLUGINS)
    job.wait_pods("master-0", "worker-0")
    if end == "finish":
        job.set_phase("master-0", "Succeeded")
    elif end == "suspend":
        job.set_run_policy(suspend=True)
    stage.wait_gone(PLUGINS, "job")
    job.wait_state({"finish": "Succeeded", "suspend": "Suspended", "limit": "Failed"}[end])


@case(69)
@with_plugins
def test_members_name_their_scheduler_and_group(stage: Stage) -> None:
    own = template("PyTorchJob", spec={"schedulerName": "mine"})
    job = stage.submit("PyTorchJob", roles={"Master": 1, "Worker": role("PyTorchJob", 1, pod=own)})
    job.wait_pods("master-0", "worker-0")
    assert job.pod("master-0")["spec"]["schedulerName"] == "my-scheduler"
    assert job.pod("worker-0")["spec"]["schedulerName"] == "mine"
    for short in job.pods():
        assert job.pod(short)["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] == "job"
    found = stage.wait(lambda: job.events("SetPodTemplateSchedulerName"))
    assert {one["type"] for one in found} == {"Warning"}


@case(69)
@with_plugins
def test_the_second_dialect_of_mpi_overwrites_the_scheduler(stage: Stage) -> None:
    own = template("MPIJob", spec={"schedulerName": "mine"})
    roles = {"Launcher": role("MPIJob", 1, pod=own), "Worker": role("MPIJob", 2, pod=own)}
    job = stage.submit("MPIJob", roles=roles, version="v2beta1")
    group = group_of(stage, PLUGINS)
    assert (group["spec"]["minMember"], group["spec"]["scheduleTimeoutSeconds"]) == (3, 0)
    job.wait_pods("worker-0", "worker-1")
    assert job.pod("worker-0")["spec"]["schedulerName"] == "my-scheduler"
    launcher = stage.wait(lambda: stage.find(JOB, "job-launcher"))
    assert launcher is not None
    assert launcher["spec"]["template"]["spec"]["schedulerName"] == "my-scheduler"


@case(68, 69, 70)
@with_volcano
def test_volcano_lets_pods_be_made_when_it_has_let_the_group_in(stage: Stage) -> None:
    policy = {"queue": "research", "priorityClass": "high"}
    job = stage.submit("TFJob", run_policy={"schedulingPolicy": policy})
    spec = group_of(stage, VOLCANO)["spec"]
    assert (spec["minMember"], spec["queue"], spec["priorityClassName"]) == (2, "research", "high")
    job.wait_state("Created")
    let_in(stage, "Pending")
    settle(stage)
    assert job.pods() == []
    version = job.read()["metadata"]["resourceVersion"]
    settle(stage)
    assert job.read()["metadata"]["resourceVersion"] == version
    let_in(stage)
    job.wait_pods("worker-0", "worker-1")
    for short in job.pods():
        pod = job.pod(short)
        assert pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] == "job"
        assert pod["metadata"]["annotations"]["volcano.sh/task-spec"] == "worker"
        assert pod["spec"]["schedulerName"] == "volcano"


def settle(stage: Stage) -> None:
    """Returns when the operator has looked at a job submitted now, whose group is its first sign."""
    probe = stage.submit("JAXJob", f"probe-{len(stage.names(VOLCANO))}", roles={"Worker": 1})
    group_of(stage, VOLCANO, probe.name)
    probe.wait_state("Created")


@case(70)
@with_volcano
def test_the_queue_is_the_default_one_and_stays(stage: Stage) -> None:
    job = stage.submit("TFJob")
    assert group_of(stage, VOLCANO)["spec"]["queue"] == "default"
    let_in(stage, "Running")
    job.wait_pods("worker-0", "worker-1")


def test_without_a_gang_scheduler_there_are_no_groups(stage: Stage) -> None:
    job = stage.submit("TFJob", run_policy={"schedulingPolicy": {"minAvailable": 1}})
    job.wait_pods("worker-0", "worker-1")
    stage.settled()
    assert stage.names(VOLCANO) == stage.names(PLUGINS) == []
    assert job.pod("worker-0")["spec"]["schedulerName"] == "default-scheduler"
