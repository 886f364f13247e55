"""Queues in the loop, without a server: which terms count, what is told of them, and what quotas and run times say."""

from typing import Any

import pytest

from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.crowd import Crowd
from corral.control.scheduling.queueing.readings import readings_of
from corral.control.scheduling.queueing.register import Register, Unreadable
from corral.control.scheduling.queueing.standings import change_to, readiness_of, status_of
from corral.control.scheduling.reading.quotas import left_by
from corral.control.scheduling.room import FleetRoom
from corral.kinds.objects import Metadata
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.names import CHECKPOINTS, GANG, GANG_SIZE, PREEMPTIBLE, RUN_TIME
from corral.kinds.scheduling.names import QUEUE as QUEUE_LABEL
from corral.kinds.scheduling.quota_view import QuotaSpec, QuotaStatus, QuotaView
from corral.placement.admission.queues import QueueTerms
from corral.placement.fleet import Fleet
from tests.control.scheduling.scene import GPU, NOW, board, member, node, placed, pod, told

OTHERS = ApiResource("scheduling.volcano.sh", "v1beta1", "Queue", "queues", namespaced=False)


def in_queue(name: str, queue: str, gpus: int = 1) -> Any:
    return pod(name, gpus, metadata={"labels": {QUEUE_LABEL: queue}})


def desk_of(of: Any) -> AdmissionDesk:
    desk: AdmissionDesk = of._desk
    return desk


@pytest.fixture
def desk() -> AdmissionDesk:
    return AdmissionDesk(FleetRoom(Fleet()))


def test_of_two_kinds_that_describe_a_queue_the_first_counts_as_long_as_it_does(desk: AdmissionDesk) -> None:
    register = Register(desk, (QUEUE, OTHERS))
    assert register.put(OTHERS, "a", QueueTerms("a", weight=2))
    assert register.put(QUEUE, "a", QueueTerms("a", weight=3))
    assert not register.put(OTHERS, "a", QueueTerms("a", weight=4))
    assert desk.queues.terms("a").weight == 3
    assert register.remove(QUEUE, "a")
    assert desk.queues.terms("a").weight == 4
    assert register.remove(OTHERS, "a")
    assert "a" not in desk.queues
    assert not register.remove(OTHERS, "a")


def test_terms_that_cannot_be_read_hold_up_their_own_gangs_and_nobody_else() -> None:
    of = board([node("a", 4)], [in_queue("lost", "broken"), in_queue("fine", "good"), pod("free", 1)])
    desk = desk_of(of)
    register = Register(desk, (QUEUE,))
    register.put(QUEUE, "broken", Unreadable("an amount cannot be read"))
    register.put(QUEUE, "good", QueueTerms("good"))
    assert placed(of) == {"fine": "a", "free": "a"}
    assert told(of) == {"lost": "The terms of queue broken cannot be read: an amount cannot be read"}
    assert readiness_of(desk, "broken")[:2] == (False, "Unreadable")
    register.put(QUEUE, "broken", QueueTerms("broken"))
    assert placed(of) == {"lost": "a"}


def test_the_only_queue_lets_nobody_pass_while_its_terms_cannot_be_read() -> None:
    of = board([node("a", 4)], [in_queue("lost", "broken")])
    desk_of(of).put_unreadable("broken", "why")
    assert placed(of) == {}
    desk_of(of).remove_queue("broken")
    assert placed(of) == {"lost": "a"}


def test_a_status_tells_what_is_used_and_wanted_and_keeps_the_time_of_its_condition() -> None:
    of = board([node("a", 2)], [in_queue("runs", "team", 2), in_queue("waits", "team", 3)])
    desk = desk_of(of)
    desk.put_queue(QueueTerms("institute"))
    desk.put_queue(QueueTerms("team", parent="institute"))
    assert placed(of) == {"runs": "a"}
    of.tell_desk()
    first = status_of(desk, "team", None, NOW)
    assert {name: first[name] for name in ("used", "wanted", "running", "waiting")} == {
        "used": {GPU: "2"},
        "wanted": {GPU: "3"},
        "running": 1,
        "waiting": 1,
    }
    assert status_of(desk, "team", first, NOW + 60) == first
    assert status_of(desk, "institute", None, NOW)["used"] == {GPU: "2"}


def test_numbers_tell_the_same_in_gpus_and_cores() -> None:
    asks: dict[str, Any] = {
        "metadata": {"labels": {QUEUE_LABEL: "team"}},
        "requests": {"cpu": "1500m", "memory": "1Gi"},
    }
    of = board([node("a", 2)], [pod("runs", 2, **asks), in_queue("waits", "team", 3)])
    desk = desk_of(of)
    desk.put_queue(QueueTerms("team"))
    assert placed(of) == {"runs": "a"}
    of.tell_desk()
    lines = [line for one in readings_of(desk) for line in one.lines() if not line.startswith("#")]
    assert lines == [
        'corral_scheduler_queue_gangs{queue="team",state="running"} 1',
        'corral_scheduler_queue_gangs{queue="team",state="waiting"} 1',
        'corral_scheduler_queue_amount{queue="team",resource="cpu",state="used"} 1.5',
        f'corral_scheduler_queue_amount{{queue="team",resource="memory",state="used"}} {1 << 30}',
        f'corral_scheduler_queue_amount{{queue="team",resource="{GPU}",state="used"}} 2',
        f'corral_scheduler_queue_amount{{queue="team",resource="{GPU}",state="wanted"}} 3',
    ]


def test_conditions_of_others_stay_before_ours(desk: AdmissionDesk) -> None:
    desk.put_queue(QueueTerms("team", parent="nobody"))
    other = {"type": "Audited", "status": "True"}
    old = {"type": "Ready", "status": "False", "lastTransitionTime": "then"}
    conditions = status_of(desk, "team", {"conditions": [old, other]}, NOW)["conditions"]
    assert [one["type"] for one in conditions] == ["Audited", "Ready"]
    assert (conditions[-1]["reason"], conditions[-1]["lastTransitionTime"]) == ("ParentMissing", "then")
    assert status_of(desk, "team", {"conditions": "broken"}, NOW)["conditions"][0]["type"] == "Ready"


def test_only_queues_in_a_ring_are_said_to_be_in_it(desk: AdmissionDesk) -> None:
    for name, parent in {"a": "b", "b": "a", "below": "a"}.items():
        desk.put_queue(QueueTerms(name, parent=parent))
    assert [readiness_of(desk, name).reason for name in ("a", "b", "below")] == [
        "ParentsInARing",
        "ParentsInARing",
        "Served",
    ]


def test_amounts_that_are_gone_are_taken_away_by_name() -> None:
    wanted = {"used": {GPU: "1"}, "wanted": {}, "running": 1}
    change = change_to({"used": {GPU: "2", "cpu": "1"}, "wanted": {"cpu": "1"}}, wanted)
    assert change == {"used": {GPU: "1", "cpu": None}, "wanted": {"cpu": None}, "running": 1}
    assert change_to(None, wanted) == wanted


def quota(hard: dict[str, Any], used: dict[str, Any], **spec: Any) -> QuotaView:
    return QuotaView(metadata=Metadata(name="q"), spec=QuotaSpec(**spec), status=QuotaStatus(hard=hard, used=used))


def test_the_strictest_quota_of_a_namespace_says_what_is_left() -> None:
    wide = quota({f"requests.{GPU}": "8", "cpu": "10", "pods": "5"}, {f"requests.{GPU}": "2", "cpu": "9500m"})
    narrow = quota({f"requests.{GPU}": 4, "requests.memory": "1Gi"}, {f"requests.{GPU}": 5})
    some = quota({f"requests.{GPU}": "0"}, {}, scopes=["BestEffort"])
    broken = quota({"cpu": "many"}, {})
    assert left_by([wide, narrow, some, broken]) == {"gpu": 0, "cpu": 500, "memory": 1 << 30}
    assert left_by([]) == {}


def run_time(*pods: Any) -> float | None:
    of = board([], pods)
    crowd: Crowd = of.crowd
    claim = crowd.claim(next(iter(crowd)).gang)
    assert claim is not None
    return claim.run_time


def said(name: str, time: str, **spec: Any) -> Any:
    marks = {"labels": {GANG: "g"}, "annotations": {GANG_SIZE: "2", **({RUN_TIME: time} if time else {})}}
    return pod(name, metadata=marks, **spec)


def test_a_run_time_is_what_the_owner_says_and_no_longer_than_all_pods_may_run() -> None:
    assert run_time(pod("a")) is None
    assert run_time(pod("a", activeDeadlineSeconds=90)) == 90
    assert run_time(said("a", "1h30m"), said("b", "")) == 5400
    assert run_time(said("a", "2h"), said("b", "", activeDeadlineSeconds=60)) == 7200
    both = (said("a", "2h", activeDeadlineSeconds=30), said("b", "", activeDeadlineSeconds=60))
    assert run_time(*both) == 60
    assert run_time(member("a", "g", 2), member("b", "g", 2)) is None


def test_a_run_time_that_cannot_be_read_is_complained_of() -> None:
    marks = {"annotations": {RUN_TIME: "soon"}}
    of = board([node("a", 4)], [pod("a", metadata=marks)])
    assert placed(of) == {}
    assert told(of) == {"a": "corral.dev/run-time: 'soon' is no time: write it as 90s, 10m, 1h30m or 2d"}


@pytest.mark.parametrize("name", [PREEMPTIBLE, CHECKPOINTS])
def test_a_word_that_is_neither_yes_nor_no_is_complained_of(name: str) -> None:
    of = board([node("a", 4)], [pod("a", metadata={"annotations": {name: "maybe"}})])
    assert placed(of) == {}
    assert told(of) == {"a": f"{name} is 'maybe', not one of true, false"}


def test_who_stands_behind_another_one_in_a_queue_where_nobody_passes_hears_so() -> None:
    of = board([node("a", 4)], [in_queue("large", "team", 5)])
    desk_of(of).put_queue(QueueTerms("team", passing=False))
    assert placed(of) == {}
    later = {"labels": {QUEUE_LABEL: "team"}, "creationTimestamp": "2027-01-15T07:59:30Z"}
    of.take_pod(None, pod("small", 1, metadata=later), NOW)
    assert placed(of) == {}
    assert told(of)["small"] == "Nobody passes in queue team, and 1 is before it."
    desk_of(of).put_queue(QueueTerms("team"))
    assert placed(of) == {"small": "a"}
