"""What a cron does next, one situation at a time.

Invariants R2, R4 and R5: what may still be made up for is made up for, no two go on at once where that is forbidden, nothing
comes before its time, while suspended, or after the deadline.
"""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from corral.kinds.objects import Object
from corral.reconcile.cron.decision import LONGEST_WAIT, decide
from corral.reconcile.cron.world import World
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Delete, Plan
from tests.domain.reconcile.cron.cron_builders import at, cron, job, name_at
from tests.domain.reconcile.plan_reading import events_in, gone, made, reasons_in, status_in, written


def told(obj: Object, now: str, *jobs: Object) -> Object:
    """Returns the cron after everything that is seen was told, as the next look finds it."""
    for _ in range(3):
        plan = decide(World(obj, jobs), at(now))
        status = status_in(plan)
        if status is None or made(plan, "JAXJob"):
            return obj
        obj = {**obj, "status": status}
    raise AssertionError(f"what is told never settles: {obj['status']}")


def looked(obj: Object, now: str, *jobs: Object) -> Plan:
    return decide(World(obj, jobs), at(now))


def test_a_new_cron_is_told_of_and_waits_for_its_time() -> None:
    plan = looked(cron(), "09:31")
    status = written(plan)
    assert made(plan, "JAXJob") == []
    assert status["nextScheduleTime"] == "2026-11-18T10:00:00Z"
    assert status["inForce"] == {"schedule": "@hourly", "since": "2026-11-18T09:30:00Z"}
    assert status["conditions"][0]["reason"] == "Scheduled"
    assert plan.look_again_after == LONGEST_WAIT


def test_it_wakes_at_its_time_and_looks_now_and_then_before() -> None:
    known = told(cron(), "09:31")
    assert looked(known, "09:31").look_again_after == LONGEST_WAIT
    assert looked(known, "09:59:50").look_again_after == pytest.approx(10)


def test_a_time_that_has_come_makes_one_job_and_then_tells_of_it() -> None:
    plan = looked(told(cron(), "09:31"), "10:00")
    assert made(plan, "JAXJob") == [name_at("10:00")]
    assert [len(stage) for stage in plan.stages] == [1, 1], "the job is made before anybody is told"
    status = written(plan)
    assert status["lastScheduleTime"] == "2026-11-18T10:00:00Z"
    assert status["nextScheduleTime"] == "2026-11-18T11:00:00Z"
    assert [run["name"] for run in status["active"]] == [name_at("10:00")]
    assert "missed" not in status


def test_a_job_is_the_template_with_name_label_time_and_owner() -> None:
    plan = looked(told(cron(), "09:31"), "10:00:05")
    create = next(iter(plan))
    obj: Any = create.object  # type: ignore[union-attr]
    assert obj["metadata"]["namespace"] == "team"
    assert obj["metadata"]["labels"] == {"corral.dev/cron": "nightly"}
    assert obj["metadata"]["annotations"] == {"corral.dev/scheduled-at": "2026-11-18T10:00:00Z"}
    assert obj["metadata"]["ownerReferences"][0]["uid"] == "cron-uid"
    pod = obj["spec"]["jaxReplicaSpecs"]["Worker"]["template"]
    assert pod.pop("metadata") == {"labels": {"corral.dev/cron": "nightly"}}
    assert obj["spec"] == cron()["spec"]["template"]["spec"]


def test_once_told_nothing_is_left_to_do() -> None:
    """Writes stop: neither the status nor a second job."""
    first = looked(told(cron(), "09:31"), "10:00")
    known = {**cron(), "status": written(first)}
    again = looked(known, "10:00:30", job("10:00"))
    assert (made(again, "JAXJob"), status_in(again)) == ([], None)


def test_when_the_status_was_lost_the_job_is_found_and_told() -> None:
    """R1: a crash between the two writes doubles nothing."""
    plan = looked(told(cron(), "09:31"), "12:00:20", job("12:00"))
    assert made(plan, "JAXJob") == []
    assert written(plan)["lastScheduleTime"] == "2026-11-18T12:00:00Z"
    assert written(plan)["missed"] == 2, "10:00 and 11:00 had passed before it was made"


def test_of_several_times_that_have_passed_only_the_latest_is_made_up_for() -> None:
    plan = looked(told(cron(), "09:31"), "13:20")
    assert made(plan, "JAXJob") == [name_at("13:00")]
    assert written(plan)["missed"] == 3
    assert [event.message for event in events_in(plan)] == [
        "3 scheduled times passed without a job; only the latest is made up for"
    ]


def test_what_is_too_late_is_given_up_and_counted_once() -> None:
    obj = told(cron(startingDeadlineSeconds=600), "09:31")
    plan = looked(obj, "12:10:01")
    assert made(plan, "JAXJob") == []
    assert written(plan)["missed"] == 3
    assert reasons_in(plan) == ["MissSchedule"]
    after = told(obj, "12:10:01")
    assert status_in(looked(after, "12:20")) is None
    assert made(looked(after, "13:10"), "JAXJob") == [name_at("13:00")]


def test_what_is_just_in_time_is_made() -> None:
    obj = told(cron(startingDeadlineSeconds=600), "09:31")
    assert made(looked(obj, "12:10:00"), "JAXJob") == [name_at("12:00")]


def test_after_the_deadline_nothing_is_made() -> None:
    obj = told(cron(deadline="2026-11-18T11:30:00Z"), "09:31")
    assert made(looked(obj, "10:00"), "JAXJob") == [name_at("10:00")]
    late = looked(obj, "11:30:01")
    assert made(late, "JAXJob") == []
    status = written(late)
    assert (status["missed"], status.get("nextScheduleTime")) == (2, None)
    assert status["conditions"][0]["reason"] == "DeadlinePassed"
    over = told(obj, "11:30:01")
    assert looked(over, "15:00") == Plan.of()


def test_the_last_job_before_the_deadline_has_no_next_time() -> None:
    obj = told(cron(deadline="2026-11-18T10:30:00Z"), "09:31")
    assert written(looked(obj, "10:00")).get("nextScheduleTime") is None


def test_a_suspended_cron_makes_nothing_and_makes_up_for_nothing_later() -> None:
    obj = told(cron(suspend=True), "09:31")
    assert obj["status"]["conditions"][0]["reason"] == "Suspended"
    assert looked(obj, "15:10") == Plan.of()
    resumed = told({**obj, "spec": {**obj["spec"], "suspend": False}}, "15:10")
    assert made(looked(resumed, "15:59:59"), "JAXJob") == []
    assert made(looked(resumed, "16:00"), "JAXJob") == [name_at("16:00")]
    assert "missed" not in resumed["status"]


@pytest.mark.parametrize("change", [{"schedule": "*/10 * * * *"}, {"timeZone": "Asia/Kolkata"}])
def test_a_schedule_that_is_changed_makes_up_for_nothing(change: Object) -> None:
    obj = told(cron(), "09:31")
    changed = {**obj, "spec": {**obj["spec"], **change}}
    plan = looked(changed, "09:59")
    assert made(plan, "JAXJob") == []
    assert written(plan)["inForce"]["since"] == "2026-11-18T09:59:00Z"
    assert made(looked(told(changed, "09:59"), "09:59:30"), "JAXJob") == []


@pytest.mark.parametrize("policy", ["Forbid", "Replace"])
def test_jobs_wait_for_those_before_them(policy: str) -> None:
    running = job("10:00")
    obj = told(cron(concurrencyPolicy=policy), "10:30", running)
    plan = looked(obj, "11:00", running)
    assert made(plan, "JAXJob") == []
    going = looked(told(obj, "11:01", job("10:00", is_deleting=True)), "11:01", job("10:00", is_deleting=True))
    assert (made(going, "JAXJob"), gone(going, "JAXJob")) == ([], [])
    ended = job("10:00", "Succeeded")
    assert made(looked(told(obj, "11:02", ended), "11:02", ended), "JAXJob") == [name_at("11:00")]


def test_forbidden_jobs_say_what_they_wait_for() -> None:
    running = job("10:00")
    plan = looked(told(cron(concurrencyPolicy="Forbid"), "10:30", running), "11:00", running)
    assert gone(plan, "JAXJob") == []
    assert [event.reason for event in events_in(plan)] == ["JobAlreadyActive"]


def test_replaced_jobs_are_deleted_with_their_pods_first() -> None:
    running = job("10:00")
    plan = looked(told(cron(concurrencyPolicy="Replace"), "10:30", running), "11:00", running)
    deletions = [action for action in plan if isinstance(action, Delete)]
    assert [(one.key.name, one.propagation) for one in deletions] == [(name_at("10:00"), "Foreground")]


def test_jobs_run_beside_each_other_where_that_is_allowed() -> None:
    running = job("10:00")
    plan = looked(told(cron(), "10:30", running), "11:00", running)
    assert made(plan, "JAXJob") == [name_at("11:00")]
    assert [run["name"] for run in written(plan)["active"]] == [name_at("10:00"), name_at("11:00")]


def test_history_keeps_the_latest_and_the_others_go() -> None:
    ended = [job("07:00", "Succeeded"), job("08:00", "Failed"), job("09:00", "Succeeded")]
    plan = looked(cron(created="06:30", historyLimit=2), "09:30", *ended)
    assert [(one["name"], one["status"]) for one in written(plan)["history"]] == [
        (name_at("08:00"), "Failed"),
        (name_at("09:00"), "Succeeded"),
    ]
    assert written(plan)["history"][1] == {
        "name": name_at("09:00"),
        "type": "JAXJob",
        "status": "Succeeded",
        "scheduled": "2026-11-18T09:00:00Z",
        "created": "2026-11-18T09:00:01Z",
        "finished": "2026-11-18T09:01:00Z",
    }
    assert gone(plan, "JAXJob") == [name_at("07:00")]


def test_a_job_that_is_to_go_is_deleted_also_when_nothing_is_to_be_told() -> None:
    ended = [job("08:00", "Succeeded"), job("09:00", "Succeeded")]
    known = told(cron(created="07:30", historyLimit=1), "09:30", *ended)
    assert gone(looked(known, "09:31", *ended), "JAXJob") == [name_at("08:00")]
    assert gone(looked(known, "09:31", *ended[1:]), "JAXJob") == []


def test_no_history_at_all_is_possible() -> None:
    ended = job("09:00", "Succeeded")
    plan = looked(cron(created="08:30", historyLimit=0), "09:30", ended)
    assert "history" not in written(plan)
    assert gone(plan, "JAXJob") == [name_at("09:00")]


def test_what_was_told_of_a_job_stays_when_it_is_gone() -> None:
    ended = job("09:00", "Succeeded")
    known = told(cron(created="08:30"), "09:30", ended)
    assert status_in(looked(known, "09:31")) is None


def test_a_job_that_somebody_took_away_is_told_as_deleted() -> None:
    known = told(cron(created="08:30"), "09:30", job("09:00"))
    plan = looked(known, "09:40")
    assert written(plan)["history"] == [
        {
            "name": name_at("09:00"),
            "type": "JAXJob",
            "status": "Deleted",
            "scheduled": "2026-11-18T09:00:00Z",
            "finished": "2026-11-18T09:40:00Z",
        }
    ]
    assert made(looked(told(known, "09:40"), "09:41"), "JAXJob") == [], "its time was dealt with"


def test_a_clock_that_goes_back_a_little_is_waited_for() -> None:
    known = told(cron(), "10:00:30", job("10:00"))
    for now in ("09:58", "09:59:59", "10:00:10"):
        plan = looked(known, now, job("10:00"))
        assert (made(plan, "JAXJob"), status_in(plan)) == ([], None)


def test_a_clock_that_goes_back_by_days_begins_anew() -> None:
    """Whether it was wrong before or is wrong now: waiting for that day to come again helps nobody."""
    known = {**told(cron(), "09:31"), "status": written(looked(told(cron(), "09:31"), "25T10:00"))}
    ahead = job("25T10:00")
    plan = looked(known, "18T10:10", ahead)
    assert made(plan, "JAXJob") == []
    assert written(plan)["inForce"]["since"] == "2026-11-18T10:10:00Z"
    healed = told(known, "18T10:10", ahead)
    assert made(looked(healed, "18T10:59:59", ahead), "JAXJob") == []
    assert made(looked(healed, "18T11:00", ahead), "JAXJob") == [name_at("11:00")]


def test_a_clock_that_jumps_ahead_makes_one_job() -> None:
    plan = looked(told(cron(), "09:31"), "28T10:00")
    assert made(plan, "JAXJob") == [name_at("28T10:00")]


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"schedule": "61 * * * *"}, "spec.schedule: Invalid value"),
        ({"schedule": "30-10 * * * *"}, 'the minute "30-10" is not one'),
        ({"template": {"apiVersion": "batch/v1", "kind": "Job", "spec": {}}}, "spec.template: Unsupported value"),
        ({"historyLimit": "ten"}, "Expected `int`"),
        (
            {"template": {"apiVersion": "kubeflow.org/v1", "kind": "JAXJob", "spec": {"jaxReplicaSpecs": {}}}},
            "spec.template.spec.jaxReplicaSpecs: Required value",
        ),
    ],
)
def test_a_wrong_cron_makes_nothing_and_says_why(change: Object, want: str) -> None:
    obj = cron(**change)
    plan = looked(obj, "11:00")
    assert made(plan, "JAXJob") == []
    condition = written(plan)["conditions"][0]
    assert (condition["status"], condition["reason"]) == ("False", "Invalid")
    assert want in condition["message"]
    assert reasons_in(plan) == ["InvalidCron"]
    assert looked(told(obj, "11:00"), "12:00") == Plan.of()


def test_a_zone_that_nobody_knows_is_a_fault() -> None:
    plan = decide(World(cron(timeZone="Mars/Olympus"), (), None), at("11:00"))
    assert "spec.timeZone: Invalid value" in written(plan)["conditions"][0]["message"]


def test_all_faults_are_told_at_once() -> None:
    plan = looked(cron("61 25 * * *", template={"apiVersion": "v1", "kind": "Pod", "spec": {}}), "11:00")
    message = written(plan)["conditions"][0]["message"]
    assert all(text in message for text in ("the minute", "the hour", "spec.template"))


def test_a_wrong_cron_still_tells_what_became_of_its_jobs() -> None:
    known = told(cron(created="08:30"), "09:30", job("09:00"))
    wrong = {**known, "spec": {**known["spec"], "schedule": "61 * * * *"}}
    plan = looked(wrong, "09:40", job("09:00", "Failed"))
    assert [one["status"] for one in written(plan)["history"]] == ["Failed"]


def test_what_is_being_deleted_is_left_alone() -> None:
    obj = cron()
    obj["metadata"]["deletionTimestamp"] = stamp_of(at("10:00"))
    assert looked(obj, "11:00") == Plan.of()


def test_the_schedule_goes_by_the_clock_of_its_zone() -> None:
    world = World(cron("0 12 * * *", timeZone="Asia/Shanghai"), (), ZoneInfo("Asia/Shanghai"))
    assert written(decide(world, at("09:31")))["nextScheduleTime"] == "2026-11-19T04:00:00Z"
