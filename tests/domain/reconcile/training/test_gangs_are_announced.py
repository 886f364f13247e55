"""PodGroups: made as the job wants them, kept so, waited for with Volcano, and what their pods say."""

from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.kinds.scheduling.names import GANG, GANG_SIZE, QUEUE
from corral.kinds.training.job import Place
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Action, Create, Plan, Update
from corral.reconcile.training.decision import decide
from corral.reconcile.training.gangs import SCHEDULER_PLUGINS, VOLCANO, gangs_for, mark_member
from corral.reconcile.training.world import Gangs, Settings, World
from tests.domain.reconcile.plan_reading import made, states_in, status_in, written
from tests.domain.reconcile.training_builders import NOW, UID, every_pod, every_service, manifest, template, with_status

DIALECTS: dict[str, Gangs] = {
    "": Gangs(),
    "none": Gangs(),
    "volcano": Gangs("volcano", "volcano"),
    "Volcano": Gangs("volcano", "volcano"),
    "scheduler-plugins-scheduler": Gangs("scheduler-plugins", "scheduler-plugins-scheduler"),
    "corral-scheduler": Gangs("corral", "corral-scheduler"),
}


@pytest.mark.parametrize(("name", "want"), DIALECTS.items(), ids=lambda one: str(one))
def test_the_name_of_the_scheduler_tells_its_dialect(name: str, want: Gangs) -> None:
    assert gangs_for(name) == want


def settings(scheduler: str, **priorities: int) -> Settings:
    return Settings(gangs=gangs_for(scheduler), priorities=priorities)


def asking(container: Object | None = None, *, count: int = 1, **pod_spec: Any) -> Object:
    """Returns a role whose container asks for resources."""
    given = template("pytorch", **({"resources": container} if container else {}))
    given["spec"] |= pod_spec
    return {"replicas": count, "template": given}


def groups(plan: Plan) -> list[Action]:
    return [one for one in plan if isinstance(one, Create | Update) and one.resource.kind == "PodGroup"]


def group_spec(obj: Object, scheduler: str = "volcano", held: Object | None = None, **priorities: int) -> Object:
    """Returns the spec of the group that one look makes or changes."""
    (action,) = groups(decide(World(obj, pod_group=held, settings=settings(scheduler, **priorities)), NOW))
    assert isinstance(action, Create | Update)
    spec: Object = action.object["spec"]
    return spec


def held_group(phase: str | None = None, **spec: Any) -> Object:
    metadata = {"name": "job", "namespace": "ml", "uid": "some", "resourceVersion": "7"}
    group: Object = {"metadata": metadata, "spec": {"minMember": 3, "queue": "default", **spec}}
    return group if phase is None else {**group, "status": {"phase": phase}}


def test_a_group_belongs_to_its_job_and_carries_its_annotations() -> None:
    obj = manifest("PyTorchJob", annotations={"note": "mine"}, Master=1, Worker=2)
    (action,) = groups(decide(World(obj, settings=settings("volcano")), NOW))
    assert isinstance(action, Create)
    assert action.resource == VOLCANO
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "job", "uid": UID}
    assert action.object == {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {
            "name": "job",
            "namespace": "ml",
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
            "annotations": {"note": "mine"},
        },
        "spec": {"minMember": 3, "queue": "default"},
    }


def test_no_gang_scheduler_no_group() -> None:
    obj = manifest("PyTorchJob", runPolicy={"schedulingPolicy": {"minAvailable": 2}}, Master=1, Worker=2)
    for name in ("", "corral-scheduler"):
        assert groups(decide(World(obj, settings=settings(name)), NOW)) == []


@pytest.mark.parametrize("name", ["corral", "corral-scheduler", "Corral"])
def test_our_own_scheduler_is_told_by_marks_of_the_pods_under_each_of_its_names(name: str) -> None:
    policy = {"schedulingPolicy": {"queue": "research", "priorityClass": "high", "minAvailable": 2}}
    obj = manifest("PyTorchJob", runPolicy=policy, Master=1, Worker=asking({}, priorityClassName="own"))
    found = decide(World(obj, settings=settings(name)), NOW)
    assert groups(found) == []
    pods = [one.object for one in found if isinstance(one, Create) and one.resource.kind == "Pod"]
    assert {pod["spec"]["schedulerName"] for pod in pods} == {name.lower()}
    assert {pod["metadata"]["labels"][GANG] for pod in pods} == {"job"}
    assert {pod["metadata"]["annotations"][GANG_SIZE] for pod in pods} == {"2"}
    assert {pod["metadata"]["annotations"][QUEUE] for pod in pods} == {"research"}
    assert {pod["spec"]["priorityClassName"] for pod in pods} == {"high", "own"}


class Wish(NamedTuple):
    policy: Object
    want: Object
    scheduler: str = "volcano"


ALL = {"queue": "research", "priorityClass": "high", "minAvailable": 2, "scheduleTimeoutSeconds": 9}
WISHES: dict[str, Wish] = {
    "everything that Volcano knows": Wish(ALL, {"minMember": 2, "queue": "research", "priorityClassName": "high"}),
    "everything that scheduler-plugins know": Wish(ALL, {"minMember": 2, "scheduleTimeoutSeconds": 9}, "other"),
    "no time to wait is left out": Wish({}, {"minMember": 3}, "other"),
    "resources as given": Wish({"minResources": {"cpu": "7"}}, {"minMember": 3, "minResources": {"cpu": "7"}}, "other"),
}


@pytest.mark.parametrize("case", WISHES.values(), ids=WISHES)
def test_the_scheduling_policy_is_told(case: Wish) -> None:
    obj = manifest("PyTorchJob", runPolicy={"schedulingPolicy": case.policy}, Master=1, Worker=2)
    assert group_spec(obj, case.scheduler) == case.want


def test_the_least_resources_are_what_the_first_members_ask_for() -> None:
    master = asking({"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": 64}})
    worker = asking({"limits": {"cpu": 2, "nvidia.com/gpu": 1}}, count=3)
    policy = {"schedulingPolicy": {"minAvailable": 3}}
    obj = manifest("PyTorchJob", runPolicy=policy, Master=master, Worker=worker)
    assert group_spec(obj)["minResources"] == {"cpu": "4500m", "memory": "1Gi", "nvidia.com/gpu": "2"}


def test_the_most_important_roles_come_first() -> None:
    master = asking({"requests": {"cpu": "1"}}, priorityClassName="low")
    worker = asking({"requests": {"cpu": "10"}}, count=2, priorityClassName="high")
    obj = manifest("PyTorchJob", runPolicy={"schedulingPolicy": {"minAvailable": 2}}, Master=master, Worker=worker)
    assert group_spec(obj, low=1, high=1000)["minResources"] == {"cpu": "20"}
    assert group_spec(obj)["minResources"] == {"cpu": "11"}


class Drift(NamedTuple):
    held: Object
    want: Object | None
    policy: Object = {}  # noqa: RUF012


DRIFTS: dict[str, Drift] = {
    "as wanted": Drift(held_group("Running"), None),
    "fields of others stay": Drift(held_group("Running", minTaskMember={"a": 1}), None),
    "a new size is told": Drift(
        held_group("Running", minMember=10), {"minMember": 2, "queue": "default"}, {"minAvailable": 2}
    ),
    "the queue it waits in stays": Drift(held_group("Running", queue="old"), None, {"queue": "new"}),
}


@pytest.mark.parametrize("case", DRIFTS.values(), ids=DRIFTS)
def test_a_group_is_kept_as_wanted(case: Drift) -> None:
    obj = manifest("PyTorchJob", runPolicy={"schedulingPolicy": case.policy}, Master=1, Worker=2)
    found = groups(decide(World(obj, pod_group=case.held, settings=settings("volcano")), NOW))
    if case.want is None:
        assert found == []
    else:
        (update,) = found
        assert isinstance(update, Update)
        assert update.object == {**case.held, "spec": case.want}


PHASES: dict[str, tuple[Object | None, bool]] = {
    "without a group": (None, False),
    "nobody has looked at it": (held_group(), False),
    "without a phase": (held_group(""), False),
    "it waits": (held_group("Pending"), False),
    "it is let in": (held_group("Inqueue"), True),
    "it runs": (held_group("Running"), True),
}


@pytest.mark.parametrize(("group", "want"), PHASES.values(), ids=PHASES)
def test_volcano_lets_pods_in(group: Object | None, want: bool) -> None:
    obj = manifest("PyTorchJob", runPolicy={"activeDeadlineSeconds": 60}, Master=1, Worker=2)
    plan = decide(World(obj, pod_group=group, settings=settings("volcano")), NOW)
    assert bool(made(plan)) is bool(made(plan, "Service")) is want
    assert ("startTime" in written(plan)) is want
    assert plan.look_again_after == (60.0 if want else None)
    assert states_in(plan) == ["Created"]


def test_a_job_that_waits_for_volcano_is_quiet() -> None:
    obj = with_status(manifest("PyTorchJob", Master=1, Worker=2), "Created", replicaStatuses={})
    world = World(obj, pod_group=held_group("Pending"), settings=settings("volcano"))
    settled = {**obj, "status": written(decide(world, NOW))}
    assert not decide(World(settled, pod_group=world.pod_group, settings=world.settings), NOW + 1)


def test_other_schedulers_get_pods_at_once_after_the_group() -> None:
    plan = decide(World(manifest("PyTorchJob", Worker=2), settings=settings("other")), NOW)
    (group,) = [action for action in plan.stages[0] if isinstance(action, Create)]
    assert group.resource == SCHEDULER_PLUGINS
    assert made(Plan(plan.stages[1:])) == ["job-worker-0", "job-worker-1"]


def test_a_group_that_left_its_queue_does_not_take_running_pods() -> None:
    obj = with_status(manifest("PyTorchJob", Master=1, Worker=2), "Created", "Running", startTime=stamp_of(NOW - 60))
    job = read_job(obj)
    world = World(obj, every_pod(job), every_service(job), held_group("Pending"), settings=settings("volcano"))
    plan = decide(world, NOW)
    assert "startTime" in (status_in(plan) or obj["status"])
    assert made(plan) == []


def marked(scheduler: str, **spec: Any) -> Object:
    pod: Object = {"metadata": {"labels": {"a": "b"}}, "spec": spec}
    mark_member(gangs_for(scheduler), read_job(manifest("PyTorchJob", Worker=2)), Place("Worker", 1), pod)
    return pod


MARKS: dict[str, Object] = {
    "": {"metadata": {"labels": {"a": "b"}}, "spec": {}},
    "volcano": {
        "metadata": {
            "labels": {"a": "b"},
            "annotations": {"scheduling.k8s.io/group-name": "job", "volcano.sh/task-spec": "worker"},
        },
        "spec": {"schedulerName": "volcano"},
    },
    "other": {
        "metadata": {"labels": {"a": "b", "scheduling.x-k8s.io/pod-group": "job"}},
        "spec": {"schedulerName": "other"},
    },
    "corral-scheduler": {
        "metadata": {"labels": {"a": "b", "corral.dev/gang": "job"}, "annotations": {"corral.dev/gang-size": "2"}},
        "spec": {"schedulerName": "corral-scheduler"},
    },
}


@pytest.mark.parametrize(("scheduler", "want"), MARKS.items(), ids=MARKS)
def test_pods_name_their_gang(scheduler: str, want: Object) -> None:
    assert marked(scheduler) == want


def test_a_scheduler_that_the_template_names_stays() -> None:
    assert marked("volcano", schedulerName="mine")["spec"] == {"schedulerName": "mine"}


class Named(NamedTuple):
    job: Object
    want: Object
    scheduler: str = "corral-scheduler"
    policy: Object | None = None


QUEUES: dict[str, Named] = {
    "by our own label": Named({"corral.dev/queue": "a"}, {"corral.dev/queue": "a"}),
    "by our own label, whoever schedules": Named({"corral.dev/queue": "a"}, {"corral.dev/queue": "a"}, ""),
    "by Kueue's label, where we schedule": Named({"kueue.x-k8s.io/queue-name": "b"}, {"corral.dev/queue": "b"}),
    "not by Kueue's label elsewhere": Named({"kueue.x-k8s.io/queue-name": "b"}, {}, "volcano"),
    "by its policy": Named({}, {"corral.dev/queue": "c d"}, policy={"queue": "c d"}),
}


@pytest.mark.parametrize("case", QUEUES.values(), ids=QUEUES)
def test_pods_name_the_queue_of_their_job(case: Named) -> None:
    obj = manifest("PyTorchJob", Worker=2)
    obj["metadata"]["labels"] = case.job
    obj["spec"]["runPolicy"] = {"schedulingPolicy": case.policy} if case.policy else {}
    pod: Object = {"metadata": {"labels": {}}, "spec": {}}
    mark_member(gangs_for(case.scheduler), read_job(obj), Place("Worker", 1), pod)
    found = {**pod["metadata"]["labels"], **pod["metadata"].get("annotations", {})}
    assert {name: value for name, value in found.items() if name == "corral.dev/queue"} == case.want


def test_the_queue_that_a_template_names_stays() -> None:
    obj = manifest("PyTorchJob", Worker=2)
    obj["metadata"]["labels"] = {"corral.dev/queue": "of-the-job"}
    pod: Object = {"metadata": {"labels": {"corral.dev/queue": "of-the-pod"}}, "spec": {}}
    mark_member(gangs_for(""), read_job(obj), Place("Worker", 1), pod)
    assert pod["metadata"]["labels"] == {"corral.dev/queue": "of-the-pod"}


@pytest.mark.parametrize(("said", "want"), [({}, "3600"), ({"corral.dev/run-time": "20m"}, "20m")])
def test_pods_say_how_long_their_job_runs(said: dict[str, str], want: str) -> None:
    obj = manifest("PyTorchJob", Worker=2)
    obj["metadata"]["annotations"] = said
    obj["spec"]["runPolicy"] = {"activeDeadlineSeconds": 3600}
    pod: Object = {"metadata": {"labels": {}}, "spec": {}}
    mark_member(gangs_for("corral-scheduler"), read_job(obj), Place("Worker", 1), pod)
    assert pod["metadata"]["annotations"]["corral.dev/run-time"] == want
