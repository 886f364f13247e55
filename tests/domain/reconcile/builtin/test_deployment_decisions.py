"""Whole steps of Deployments: state in, plan out."""

from corral.kinds.objects import Object
from corral.reconcile.builtin.deployments.decision import Observed, decide
from corral.reconcile.builtin.deployments.template import is_same_template, template_hash
from corral.reconcile.plan import Create, Delete, EmitEvent, LookAgainAfter, Patch, Plan, SetStatus
from tests.domain.reconcile.builtin.builders import NOW, STAMP, deployment, pod, replica_set, template


def status_in(plan: Plan) -> Object:
    [written] = [action for action in plan if isinstance(action, SetStatus)]
    return written.status


def progress(status: Object) -> tuple[str, str]:
    found = next(one for one in status["conditions"] if one["type"] == "Progressing")
    return found["status"], found["reason"]


def progressing(reason: str, since: str = STAMP, status: str = "True") -> Object:
    return {
        "type": "Progressing",
        "status": status,
        "reason": reason,
        "message": "",
        "lastUpdateTime": since,
        "lastTransitionTime": since,
    }


def test_a_new_deployment_gets_a_replica_set_of_its_template() -> None:
    plan = decide(Observed(deployment(3), ()), NOW)
    [made] = [action.object for action in plan if isinstance(action, Create)]
    hashed = template_hash(template(), 0)
    assert made["metadata"]["name"] == f"web-{hashed}"
    assert made["spec"]["replicas"] == 3
    assert made["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": hashed}
    assert made["spec"]["template"]["metadata"]["labels"] == {"app": "web", "pod-template-hash": hashed}
    [note] = [action for action in plan if isinstance(action, Patch)]
    assert (note.subresource, note.body["metadata"]["annotations"]) == (
        "status",
        {"deployment.kubernetes.io/revision": "1"},
    )
    assert progress(status_in(plan)) == ("True", "NewReplicaSetCreated")
    assert any(isinstance(action, EmitEvent) for action in plan)


def test_the_same_state_gives_the_same_plan() -> None:
    assert decide(Observed(deployment(3), ()), NOW) == decide(Observed(deployment(3), ()), NOW)


def test_a_taken_name_raises_the_count_of_collisions() -> None:
    taken = f"web-{template_hash(template(), 0)}"
    plan = decide(Observed(deployment(3), (), foreign_names={taken}), NOW)
    [made] = [action.object for action in plan if isinstance(action, Create)]
    assert made["metadata"]["name"] == f"web-{template_hash(template(), 1)}"
    assert status_in(plan)["collisionCount"] == 1


def test_a_template_is_known_again_whatever_label_we_gave_it() -> None:
    assert is_same_template(template(**{"pod-template-hash": "x"}), template())
    assert not is_same_template(template("other"), template())


def test_a_complete_deployment_needs_nothing() -> None:
    current = replica_set("web-a", 3, 3, desired=3, most=4)
    first = decide(Observed(deployment(3), [current]), NOW)
    status = status_in(first)
    assert progress(status) == ("True", "NewReplicaSetAvailable")
    settled = deployment(3, status=status)
    settled["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "1"}
    assert not decide(Observed(settled, [current]), NOW)


def test_recreating_waits_for_pods_that_still_terminate() -> None:
    old = replica_set("web-old", 0, pods=0, image="old")
    wanted = deployment(2, "new", strategy={"type": "Recreate"})
    going = pod("late", "Running", deleting=True)
    waiting = decide(Observed(wanted, [old], {"uid-web-old": [going]}), NOW)
    assert not any(isinstance(action, Create) for action in waiting)
    free = decide(Observed(wanted, [old], {"uid-web-old": [pod("late", "Failed")]}), NOW)
    assert any(isinstance(action, Create) for action in free)


def test_no_progress_within_the_deadline_is_a_failure() -> None:
    status = {
        "observedGeneration": 1,
        "replicas": 3,
        "updatedReplicas": 3,
        "unavailableReplicas": 3,
        "conditions": [progressing("ReplicaSetUpdated", "2027-01-15T07:49:00Z")],
    }
    stuck = deployment(3, status=status)
    current = replica_set("web-a", 3, desired=3, most=4)
    assert progress(status_in(decide(Observed(stuck, [current]), NOW))) == ("False", "ProgressDeadlineExceeded")


def test_until_the_deadline_it_is_looked_at_again_in_time() -> None:
    status = {"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "unavailableReplicas": 3}
    waiting = deployment(3, status={**status, "conditions": [progressing("ReplicaSetUpdated")]})
    plan = decide(Observed(waiting, [replica_set("web-a", 3, desired=3, most=4)]), NOW + 100)
    assert plan.look_again_after == 501.0


def test_a_paused_deployment_makes_nothing_new() -> None:
    plan = decide(Observed(deployment(3, "new", paused=True), [replica_set("web-a", 3, 3, desired=3)]), NOW)
    assert not any(isinstance(action, Create) for action in plan)
    assert progress(status_in(plan)) == ("Unknown", "DeploymentPaused")


def test_old_revisions_go_oldest_first_and_never_with_pods() -> None:
    done = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
    wanted = deployment(1, "new", status=done, revisionHistoryLimit=1)
    sets = [
        replica_set("r1", 0, pods=0, image="1", revision=1),
        replica_set("r2", 0, pods=1, image="2", revision=2),
        replica_set("r3", 0, pods=0, image="3", revision=3),
        replica_set("r4", 1, 1, image="new", revision=4, desired=1, most=2),
    ]
    deletes = [action.key.name for action in decide(Observed(wanted, sets), NOW) if isinstance(action, Delete)]
    assert deletes == ["r1"]


def test_a_deployment_that_is_going_only_tells() -> None:
    going = deployment(3)
    going["metadata"]["deletionTimestamp"] = STAMP
    plan = decide(Observed(going, [replica_set("web-a", 1, 1)]), NOW)
    assert {type(action) for action in plan} <= {SetStatus, LookAgainAfter}
