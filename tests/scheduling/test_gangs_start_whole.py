"""Gangs on both servers: whole or not at all, however many schedulers die on the way, and though two of them believe that they lead."""

import random
import time

import pytest

from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import ledger_of
from corral.kinds.well_known import CONFIG_MAP, POD
from tests.scheduling.cluster import Cluster

pytest_plugins = ["corral.testing.api_servers"]

KILLS = 6


def test_of_two_gangs_that_each_need_more_than_half_one_runs_and_the_other_hears_why(cluster: Cluster) -> None:
    for name in ("a", "b"):
        cluster.node(name, 5)
    with cluster.scheduler("--no-leader-elect"):
        gangs = [cluster.gang("one", 6), cluster.gang("two", 6)]
        cluster.wait(lambda: sorted(map(cluster.bound_of, gangs)), lambda found: found == [0, 6])
        loser = min(gangs, key=cluster.bound_of)
        told = cluster.wait(lambda: cluster.condition(loser[0]), lambda one: one.get("reason") == "Unschedulable")
        assert told["status"] == "False"
        assert "needs 6 pods at once and 4 fit" in told["message"]
        assert cluster.doubles() == []
        for name in max(gangs, key=cluster.bound_of):
            cluster.delete(name)
        cluster.wait(lambda: cluster.bound_of(loser), lambda bound: bound == 6)
        assert cluster.doubles() == []


def test_a_gang_waits_for_the_last_of_its_pods(cluster: Cluster) -> None:
    cluster.node("a", 8)
    with cluster.scheduler("--no-leader-elect"):
        marks = {"labels": {"corral.dev/gang": "late"}, "annotations": {"corral.dev/gang-size": "2"}}
        cluster.pod("late-0", metadata=marks)
        told = cluster.wait(lambda: cluster.condition("late-0"), lambda one: one.get("reason") == "Unschedulable")
        assert told["message"] == "1 of the 2 pods that must start together are there."
        cluster.pod("late-1", metadata=marks)
        cluster.wait(cluster.places, lambda places: len(places) == 2)


def test_a_gang_in_the_words_of_arena_takes_no_place_while_a_part_of_it_fits(cluster: Cluster) -> None:
    for name in ("a", "b"):
        cluster.node(name, 8)
    group = "pod-group.scheduling.sigs.k8s.io"
    gang = [f"pytorchjob-train-{index}" for index in range(3)]
    with cluster.scheduler("--no-leader-elect"):
        for name in gang:
            cluster.pod(
                name, 8, metadata={"labels": {f"{group}/name": "pytorchjob-train", f"{group}/min-available": "3"}}
            )
        told = cluster.wait(lambda: cluster.condition(gang[2]), lambda one: one.get("reason") == "Unschedulable")
        assert "needs 3 pods at once and 2 fit" in told["message"]
        assert cluster.places() == {}
        cluster.node("c", 8)
        cluster.wait(lambda: cluster.bound_of(gang), lambda bound: bound == 3)


def test_what_a_scheduler_leaves_when_it_is_killed_the_next_one_finishes(cluster: Cluster) -> None:
    """Gangs fill the nodes and go again, while schedulers are killed at random moments: F28, invariants I1, I3 and I4."""
    chance = random.Random(7)
    for name in ("a", "b", "c"):
        cluster.node(name, 4)
    gangs = [cluster.gang(f"gang-{number}", 4) for number in range(8)]
    scheduler = cluster.scheduler("--no-leader-elect")
    left = list(gangs)
    for _ in range(KILLS):
        scheduler.begin()
        deadline = time.monotonic() + chance.uniform(0.6, 2.2)
        while time.monotonic() < deadline:
            assert cluster.doubles() == []
        scheduler.kill()
        assert cluster.doubles() == []
        for gang in [gang for gang in left if cluster.bound_of(gang) == len(gang)]:
            left.remove(gang)
            for name in gang:
                cluster.delete(name)
    with scheduler:
        while left:
            done = cluster.wait(lambda: [gang for gang in left if cluster.bound_of(gang) == len(gang)])
            assert cluster.doubles() == []
            for gang in done:
                left.remove(gang)
                for name in gang:
                    cluster.delete(name)
        cluster.wait(lambda: promised(cluster), lambda count: count == 0)


def test_two_schedulers_that_both_believe_to_lead_give_nothing_twice(cluster: Cluster) -> None:
    """Without a lease each takes the ledger from the other again and again, which is worse than any clock: F02 and F03."""
    for name in ("a", "b"):
        cluster.node(name, 8)
    first, second = cluster.scheduler("--no-leader-elect"), cluster.scheduler("--no-leader-elect")
    gangs = [cluster.gang(f"gang-{number}", 4) for number in range(3)]
    singles = [f"single-{number}" for number in range(4)]
    with first, second:
        for name in singles:
            cluster.pod(name)
            assert cluster.doubles() == []
        cluster.wait(cluster.places, lambda places: len(places) == 16, within=120)
        assert cluster.doubles() == []
        assert [cluster.bound_of(gang) for gang in gangs] == [4, 4, 4]


def test_a_promise_that_was_never_bound_is_finished_or_taken_back(cluster: Cluster) -> None:
    """What a scheduler wrote before it died counts: on nodes that are there it is finished, on others it is taken back."""
    there = cluster.node("there", 4)
    names = [*cluster.gang("kept", 2), *cluster.gang("lost", 2)]
    uids = {name: cluster.get(POD, name)["metadata"]["uid"] for name in names}
    rows = [
        f'["{uids[name]}", "{cluster.namespace}/{name}", "{node}", [{device}], "{cluster.namespace}/{name[:-2]}", ""]'
        for name, node, device in zip(names, (there, there, "gone", there), (3, 2, 0, 1), strict=True)
    ]
    ledger = {"metadata": {"name": "corral-scheduler-ledger", "namespace": cluster.namespace}}
    cluster.client.create(CONFIG_MAP, {**ledger, "data": {"epoch": "7", "decisions": f"[{', '.join(rows)}]"}})
    cluster.promised_before = 2
    with cluster.scheduler("--no-leader-elect"):
        cluster.wait(cluster.places, lambda places: len(places) == 4)
        devices = {name: cluster.get(POD, name)["metadata"]["annotations"]["corral.dev/gpus"] for name in names}
        assert (devices["kept-0"], devices["kept-1"]) == ("3", "2")
        assert cluster.doubles() == []
        cluster.wait(lambda: promised(cluster), lambda count: count == 0)
        assert cluster.client.get(CONFIG_MAP, ledger_key(cluster))["data"]["epoch"] == "8"


@pytest.mark.parametrize("words", ["{", "not json", '[["one"]]'])
def test_a_ledger_that_cannot_be_read_is_not_taken_for_empty(cluster: Cluster, words: str) -> None:
    cluster.node("a", 1)
    ledger = {"metadata": {"name": "corral-scheduler-ledger", "namespace": cluster.namespace}}
    cluster.client.create(CONFIG_MAP, {**ledger, "data": {"epoch": "3", "decisions": words}})
    cluster.pod("waits")
    scheduler = cluster.scheduler("--no-leader-elect")
    scheduler.begin()
    try:
        cluster.wait(lambda: "cannot be read" in scheduler.log.read_text())
        assert cluster.places() == {}
    finally:
        scheduler.kill()


def promised(cluster: Cluster) -> int:
    return len(ledger_of(cluster.client.get(CONFIG_MAP, ledger_key(cluster))).decisions)


def ledger_key(cluster: Cluster) -> ObjectKey:
    return ObjectKey(cluster.namespace, "corral-scheduler-ledger")
