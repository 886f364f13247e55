"""Which containers are started and ended, and when the pod is looked at again."""

import pytest

from corral.engine.node.pods.life import Orders, Start, decide
from corral.engine.node.pods.sight import PodSight, RunSight
from corral.reconcile.moments import stamp_of
from tests.domain.node.pods.pod_sights import NOW, container, ended, held, pod, running, sidecar

DELETED = {"deletionTimestamp": stamp_of(NOW + 20), "deletionGracePeriodSeconds": 30}

STARTS: dict[str, tuple[PodSight, list[tuple[str, int]]]] = {
    "all containers of a new pod": (pod(container("a"), container("b")), [("a", 0), ("b", 0)]),
    "the first init container alone": (pod(container("a"), inits=(container("i"), container("j"))), [("i", 0)]),
    "the next init container after the first": (
        pod(container("a"), inits=(container("i", ended(0)), container("j"))),
        [("j", 0)],
    ),
    "the containers after the last init container": (
        pod(container("a"), inits=(container("i", ended(0)),)),
        [("a", 0)],
    ),
    "a failed init container again": (
        pod(container("a"), inits=(container("i", ended(1)),), policy="OnFailure"),
        [("i", 1)],
    ),
    "no failed init container when nothing is started again": (
        pod(container("a"), inits=(container("i", ended(1)),), policy="Never"),
        [],
    ),
    "the next one only when the sidecar has started": (
        pod(container("a"), inits=(sidecar("s", running(), has_started=False),)),
        [],
    ),
    "the containers beside a sidecar": (pod(container("a"), inits=(sidecar("s", running()),)), [("a", 0)]),
    "a sidecar that ended": (pod(container("a", running()), inits=(sidecar("s", ended(0)),)), [("s", 1)]),
    "a container that ended well, if always": (pod(container("a", ended(0))), [("a", 1)]),
    "no container that ended well, if on failure": (
        pod(container("a", ended(0)), container("b", running()), policy="OnFailure"),
        [],
    ),
    "a container that failed, if on failure": (pod(container("a", ended(3)), policy="OnFailure"), [("a", 1)]),
    "no container that failed, if never": (
        pod(container("a", ended(3)), container("b", running()), policy="Never"),
        [],
    ),
    "a second failure only after ten seconds": (pod(container("a", ended(3, 1, ago=9.9))), []),
    "a second failure after ten seconds": (pod(container("a", ended(3, 1, ago=10.0))), [("a", 2)]),
    "a third failure after twenty seconds": (pod(container("a", ended(3, 2, ago=20.0))), [("a", 3)]),
    "a failure after ten good minutes at once": (pod(container("a", ended(3, 7, lasted=600.0))), [("a", 8)]),
    "nothing that was refused a moment ago": (pod(container("a", held=held())), []),
    "what was refused, after its wait": (pod(container("a", held=held(again=NOW))), [("a", 0)]),
    "nothing of a deleted pod": (pod(container("a"), metadata=DELETED), []),
    "nothing of a finished pod": (pod(container("a"), status={"phase": "Failed"}), []),
}


@pytest.mark.parametrize("case", STARTS)
def test_containers_are_started_in_their_turn(case: str) -> None:
    sight, want_starts = STARTS[case]
    assert [(one.container, one.number) for one in decide(sight).starts] == want_starts


STREAKS: dict[str, tuple[RunSight, float, int]] = {
    "the first run": (ended(3, 0), 0.0, 1),
    "the first restart": (ended(3, 1, streak=1), 10.0, 2),
    "the third restart": (ended(3, 3, streak=3), 40.0, 4),
    "a restart far down the row": (ended(3, 40, streak=40), 300.0, 41),
    "a steady run far down the row": (ended(3, 40, streak=40, lasted=600.0), 0.0, 1),
    "the first restart after a steady run": (ended(3, 41, streak=1), 10.0, 2),
    "the second restart after a steady run": (ended(3, 42, streak=2), 20.0, 3),
    "the third restart after a steady run": (ended(3, 43, streak=3), 40.0, 4),
}


@pytest.mark.parametrize("case", STREAKS)
def test_a_steady_run_begins_the_waits_anew(case: str) -> None:
    latest, want_wait, want_streak = STREAKS[case]
    waiting = decide(pod(container("a", latest)))
    assert (waiting.wake or NOW) - NOW == want_wait
    later = pod(container("a", latest))._replace(now=NOW + want_wait)
    assert decide(later).starts == (Start("a", latest.number + 1, want_streak),)


def stops(orders: Orders) -> list[tuple[str, float]]:
    return [(one.container, one.grace) for one in orders.stops]


def test_a_deleted_pod_ends_within_what_is_left_of_its_grace() -> None:
    orders = decide(pod(container("a", running()), metadata=DELETED))
    assert stops(orders) == [("a", 21.0)]
    assert not orders.lets_go


def test_a_deleted_pod_is_let_go_when_nothing_of_it_runs() -> None:
    orders = decide(pod(container("a", ended(143)), metadata=DELETED))
    assert orders.lets_go
    assert not orders.stops


def test_a_clock_that_was_set_back_stretches_no_grace() -> None:
    far = {"deletionTimestamp": stamp_of(NOW + 9000), "deletionGracePeriodSeconds": 30}
    assert stops(decide(pod(container("a", running()), metadata=far))) == [("a", 30.0)]


def test_sidecars_end_after_the_others() -> None:
    sight = pod(container("a", running()), inits=(sidecar("s", running()),), metadata=DELETED)
    assert [name for name, _ in stops(decide(sight))] == ["a"]
    later = sight._replace(mains=(container("a", ended(0)),))
    assert [name for name, _ in stops(decide(later))] == ["s"]


def test_a_sidecar_ends_when_the_pod_has_done_its_work() -> None:
    orders = decide(pod(container("a", ended(0)), inits=(sidecar("s", running()),), policy="Never"))
    assert stops(orders) == [("s", 30.0)]
    assert not orders.starts


def test_an_ailing_container_is_ended_alone() -> None:
    sight = pod(container("a", running(), ailment="liveness"), container("b", running()))
    assert stops(decide(sight)) == [("a", 30.0)]


def test_an_ailing_container_ends_with_the_grace_of_its_probe() -> None:
    for grace in (5.0, 90.0):
        ailing = container("a", running(), ailment="liveness", ailment_grace=grace)
        assert stops(decide(pod(ailing))) == [("a", grace)]
    deleted = pod(container("a", running(), ailment="liveness", ailment_grace=90.0), metadata=DELETED)
    assert stops(decide(deleted)) == [("a", 21.0)]


def test_a_pod_beyond_its_deadline_ends_with_its_own_grace() -> None:
    sight = pod(
        container("a", running()), verdict=("DeadlineExceeded", "late"), spec={"terminationGracePeriodSeconds": 3}
    )
    assert stops(decide(sight)) == [("a", 3.0)]


def test_a_grace_below_nothing_is_a_second() -> None:
    sight = pod(container("a", running()), verdict=("Evicted", "full"), spec={"terminationGracePeriodSeconds": -5})
    assert stops(decide(sight)) == [("a", 1.0)]


def test_the_next_look_is_at_the_deadline_or_the_next_start() -> None:
    waiting = pod(container("a", ended(1, 1, ago=4.0)), spec={"activeDeadlineSeconds": 500})
    assert decide(waiting).wake == NOW + 6
    assert decide(pod(container("a", running()), spec={"activeDeadlineSeconds": 500})).wake == NOW + 400
    assert decide(pod(container("a", running()))).wake is None


def test_what_runs_of_a_finished_pod_is_ended_at_once() -> None:
    assert stops(decide(pod(container("a", running()), status={"phase": "Failed"}))) == [("a", 0.0)]
