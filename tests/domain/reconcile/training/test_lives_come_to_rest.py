"""Whatever happens to a job and its pods: it comes to rest, ends once, counts no failure twice and mixes no attempts."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.kinds.objects import Object
from corral.reconcile.training.sight import attempt_of
from corral.reconcile.training.world import NODE_GRACE
from tests.domain.reconcile.training.small_cluster import SmallCluster
from tests.domain.reconcile.training_builders import manifest

Move = Callable[[SmallCluster, int], None]


def _on_pod(act: Callable[[SmallCluster, str], None]) -> Move:
    def move(cluster: SmallCluster, pick: int) -> None:
        if names := sorted(cluster.pods):
            act(cluster, names[pick % len(names)])

    return move


def _set_policy(**fields: Any) -> Move:
    def move(cluster: SmallCluster, pick: int) -> None:
        policy = {**cluster.job["spec"]["runPolicy"], **fields}
        cluster.job = {**cluster.job, "spec": {**cluster.job["spec"], "runPolicy": policy}}

    return move


def _scale(cluster: SmallCluster, pick: int) -> None:
    roles = cluster.job["spec"]["pytorchReplicaSpecs"]
    roles = {**roles, "Worker": {**roles["Worker"], "replicas": 1 + pick % 3}}
    cluster.job = {**cluster.job, "spec": {**cluster.job["spec"], "pytorchReplicaSpecs": roles}}


def _wait(cluster: SmallCluster, pick: int) -> None:
    cluster.now += 1 + pick * 7


def _lose_node(cluster: SmallCluster, pick: int) -> None:
    cluster.lost.setdefault(f"node-{pick % 3}", cluster.now)


def _find_nodes(cluster: SmallCluster, pick: int) -> None:
    cluster.lost.clear()


MOVES: dict[str, Move] = {
    "start": _on_pod(lambda cluster, name: cluster.set_phase(name, "Running")),
    "fail": _on_pod(lambda cluster, name: cluster.set_phase(name, "Failed", 1)),
    "kill": _on_pod(lambda cluster, name: cluster.set_phase(name, "Failed", 137)),
    "succeed": _on_pod(lambda cluster, name: cluster.set_phase(name, "Succeeded", 0)),
    "delete": _on_pod(lambda cluster, name: cluster.delete(name)),
    "reap": lambda cluster, pick: cluster.reap(),
    "suspend": _set_policy(suspend=True),
    "resume": _set_policy(suspend=False),
    "scale": _scale,
    "wait": _wait,
    "lose node": _lose_node,
    "find nodes": _find_nodes,
}

JOBS = st.builds(
    lambda policy, gang, clean, limit, master: _job(policy, gang, clean, limit, master),
    st.sampled_from(["Never", "OnFailure", "ExitCode"]),
    st.booleans(),
    st.sampled_from(["None", "Running", "All"]),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)


def _job(policy: str, gang: bool, clean: str, limit: int | None, master: bool) -> Object:
    roles: Object = {"Worker": {"replicas": 2, "restartPolicy": policy}}
    if master:
        roles["Master"] = {"replicas": 1, "restartPolicy": policy}
    run_policy = {"cleanPodPolicy": clean} | ({} if limit is None else {"backoffLimit": limit})
    annotations = {"corral.dev/restart-scope": "gang"} if gang else None
    return manifest("PyTorchJob", annotations=annotations, runPolicy=run_policy, **roles)


STEPS = st.lists(st.tuples(st.sampled_from(sorted(MOVES)), st.integers(0, 8)), max_size=25)


def states(job: Object) -> dict[str, str]:
    return {one["type"]: one["status"] for one in job["status"]["conditions"]}


def is_over(job: Object) -> bool:
    return "True" in (states(job).get("Succeeded"), states(job).get("Failed"))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JOBS, STEPS)
def test_a_job_comes_to_rest_whatever_happens(job: Object, steps: list[tuple[str, int]]) -> None:
    cluster = SmallCluster(job)
    cluster.rest()
    for name, pick in steps:
        before = cluster.job["status"]
        MOVES[name](cluster, pick)
        cluster.rest()
        _nothing_is_undone(before, cluster.job)
        _children_fit(cluster)


def _nothing_is_undone(before: Object, job: Object) -> None:
    after = job["status"]
    if is_over({"status": before}):
        assert after == before
    for counter in ("attempt", "restarts"):
        assert after.get(counter, 0) >= before.get(counter, 0)
    assert len(states(job)) == len(after["conditions"])
    assert not (states(job).get("Succeeded") == states(job).get("Failed") == "True")
    assert ("completionTime" in after) is is_over(job)


def _children_fit(cluster: SmallCluster) -> None:
    leaving = [pod for pod in cluster.views() if pod.is_terminating]
    staying = [pod for pod in cluster.views() if not pod.is_terminating]
    policy = cluster.job["spec"]["runPolicy"]
    if is_over(cluster.job):
        kept = {"None": staying, "Running": [pod for pod in staying if pod.is_finished], "All": []}
        assert staying == kept[policy["cleanPodPolicy"]]
    elif policy.get("suspend"):
        assert staying == []
        assert cluster.services == set()
    elif not leaving:
        roles = cluster.job["spec"]["pytorchReplicaSpecs"]
        assert len(staying) == sum(one["replicas"] for one in roles.values())
    if not is_over(cluster.job) and not policy.get("suspend"):
        assert not [pod for pod in leaving if cluster.now - cluster.lost.get(pod.node, cluster.now) >= NODE_GRACE]
    assert is_over(cluster.job) or len({attempt_of(pod) for pod in staying}) <= 1
