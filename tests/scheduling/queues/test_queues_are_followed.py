"""Queues as objects, on both servers: their terms count from the first decision on, as they change, and until they go."""

from corral.kinds.scheduling.names import KUEUE_QUEUE, QUEUE
from tests.scheduling.cluster import GPU, Cluster

pytest_plugins = ["corral.testing.api_servers"]


def in_queue(cluster: Cluster, name: str, queue: str, gpus: int = 1, label: str = QUEUE) -> str:
    cluster.pod(name, gpus, metadata={"labels": {label: queue}})
    return name


def told(cluster: Cluster, name: str, part: str) -> str:
    """Returns why a pod waits, as soon as it says so."""
    return str(cluster.wait(lambda: cluster.condition(name).get("message", ""), lambda said: part in said))


def test_a_limit_holds_says_so_and_ends_with_the_change_that_lifts_it(queues: Cluster) -> None:
    queues.node("a", 8)
    small = queues.queue("small", limit={GPU: 2})
    for number in range(3):
        in_queue(queues, f"pod-{number}", small)
    with queues.scheduler() as scheduler:
        queues.wait(queues.places, lambda places: len(places) == 2)
        (waits,) = {"pod-0", "pod-1", "pod-2"} - queues.places().keys()
        assert told(queues, waits, "limit") == f"It needs 1 GPU; the limit of queue {small} leaves 0 GPUs."
        assert f'corral_scheduler_queue_gangs{{queue="{small}",state="waiting"}} 1' in scheduler.measurements()
        queues.queue(small, limit={GPU: 3})
        queues.wait(queues.places, lambda places: len(places) == 3)


def test_a_queue_that_is_missing_is_named_and_its_jobs_start_when_it_comes(queues: Cluster) -> None:
    queues.node("a", 8)
    other = queues.queue("other")
    late = f"late-{queues.token}"
    with queues.scheduler():
        in_queue(queues, "waits", late)
        in_queue(queues, "starts", other)
        queues.wait(queues.places, lambda places: places.keys() == {"starts"})
        assert told(queues, "waits", "no queue") == f"There is no queue {late}: there is only {other}."
        queues.queue("late", limit={GPU: 1})
        queues.wait(queues.places, lambda places: len(places) == 2)


def test_names_bind_nothing_once_the_last_queue_is_gone(queues: Cluster) -> None:
    queues.node("a", 8)
    only = queues.queue("only", limit={GPU: 1})
    with queues.scheduler():
        for number in range(2):
            in_queue(queues, f"pod-{number}", only)
        in_queue(queues, "elsewhere", "nowhere", label=KUEUE_QUEUE)
        told(queues, "elsewhere", "no queue nowhere")
        queues.wait(queues.places, lambda places: len(places) == 1)
        queues.remove_queue(only)
        queues.wait(queues.places, lambda places: len(places) == 3)


def test_the_next_scheduler_counts_what_runs_before_it_decides(queues: Cluster) -> None:
    queues.node("a", 8)
    small = queues.queue("small", limit={GPU: 2})
    scheduler = queues.scheduler()
    with scheduler:
        for number in range(2):
            in_queue(queues, f"pod-{number}", small)
        queues.wait(queues.places, lambda places: len(places) == 2)
        scheduler.kill()
    in_queue(queues, "third", small)
    with queues.scheduler():
        told(queues, "third", f"limit of queue {small}")
        queues.delete("pod-0")
        queues.wait(queues.places, lambda places: places.keys() == {"pod-1", "third"})


def test_the_tree_shares_what_nobody_is_guaranteed_by_weight(queues: Cluster) -> None:
    """Two institutes of equal weight, one of which has two teams, one of them twice as heavy: 6, and 4 beside 2."""
    queues.node("a", 12)
    north, south = queues.queue("north"), queues.queue("south")
    heavy = queues.queue("heavy", parent=south, weight=2)
    light = queues.queue("light", parent=south)
    for queue in (light, heavy, north):
        for number in range(8):
            in_queue(queues, f"{queue}-{number}", queue)
    with queues.scheduler():
        queues.wait(queues.places, lambda places: len(places) == 12)
        found = {queue: sum(name.startswith(queue) for name in queues.places()) for queue in (north, heavy, light)}
        assert found == {north: 6, heavy: 4, light: 2}
        stands = queues.wait(lambda: queues.standing(south), lambda said: said.get("used") == {GPU: "6"})
        assert (stands["running"], stands["waiting"]) == (0, 0)
        stands = queues.wait(lambda: queues.standing(light), lambda said: said.get("waiting") == 6)
        assert (stands["used"], stands["wanted"], stands["running"]) == ({GPU: "2"}, {GPU: "6"}, 2)


def test_a_queue_says_how_it_stands_and_whether_its_terms_are_followed(queues: Cluster) -> None:
    queues.node("a", 2)
    team = queues.queue("team", parent=f"institute-{queues.token}", limit={GPU: 2})

    def condition() -> tuple[str, str]:
        said = queues.standing(team).get("conditions") or [{}]
        return said[-1].get("status", ""), said[-1].get("reason", "")

    with queues.scheduler():
        queues.wait(condition, lambda found: found == ("False", "ParentMissing"))
        institute = queues.queue("institute", parent=team)
        queues.wait(condition, lambda found: found == ("False", "ParentsInARing"))
        queues.queue(institute)
        queues.wait(condition, lambda found: found == ("True", "Served"))
        in_queue(queues, "runs", team, 2)
        in_queue(queues, "waits", team)
        stands = queues.wait(lambda: queues.standing(team), lambda said: said.get("running") == 1 == said["waiting"])
        assert (stands["used"], stands["wanted"]) == ({GPU: "2"}, {GPU: "1"})
        for name in ("runs", "waits"):
            queues.delete(name)
        stands = queues.wait(lambda: queues.standing(team), lambda said: not said["waiting"] and not said["running"])
        assert (stands["used"], stands["wanted"]) == ({}, {})


def test_a_ring_of_parents_stops_nobody_neither_inside_nor_outside(queues: Cluster) -> None:
    queues.node("a", 4)
    ring = [f"{name}-{queues.token}" for name in ("one", "two", "three")]
    for name, parent in (("one", ring[1]), ("two", ring[2]), ("three", ring[0]), ("tail", ring[0])):
        queues.queue(name, parent=parent)
    with queues.scheduler() as scheduler:
        for name in (*ring, f"tail-{queues.token}"):
            in_queue(queues, f"of-{name}", name)
        queues.wait(queues.places, lambda places: len(places) == 4)
        for name in ring:
            stands = queues.wait(lambda name=name: queues.standing(name), lambda said: said.get("running") == 1)  # type: ignore[misc]
            assert stands["conditions"][-1]["reason"] == "ParentsInARing"
        assert queues.standing(ring[0])["used"] == {GPU: "2"}  # its own and that of its tail
        assert scheduler.measurements()
