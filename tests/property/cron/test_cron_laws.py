"""What holds for every cron, whatever happens to it: found by hypothesis.

Invariants R1, R2, R3, R4 and R5: a time makes at most one job, what may still be made up for is, each time counts once, no
two go on at once, and nothing comes too early, too late or while suspended.
"""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from corral.kinds.cron.judgement import rule_errors_of
from corral.kinds.cron.timetable import faults_in, passed, timetable_of
from tests.domain.reconcile.cron.cron_builders import at, cron
from tests.property.cron.model import Model

SCHEDULES = ["* * * * *", "*/7 * * * *", "@hourly", "30 2,14 * * *", "@every 25m"]
START = at("18T00:00:20")


class CronLife(RuleBasedStateMachine):
    """One cron over days, with an operator that dies, comes late, or is away."""

    @initialize(
        schedule=st.sampled_from(SCHEDULES),
        policy=st.sampled_from(["Allow", "Forbid", "Replace"]),
        late=st.sampled_from([None, 30, 600, 7200]),
        history=st.sampled_from([0, 1, 10]),
        deadline=st.sampled_from([None, None, 20_000, 86400]),
    )
    def create(self, schedule: str, policy: str, late: int | None, history: int, deadline: int | None) -> None:
        spec: dict[str, Any] = {"concurrencyPolicy": policy, "historyLimit": history}
        spec |= {} if late is None else {"startingDeadlineSeconds": late}
        self.deadline = None if deadline is None else START + deadline
        if self.deadline is not None:
            spec["deadline"] = datetime.fromtimestamp(self.deadline, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.model = Model(cron(schedule, created="18T00:00:20", **spec), START)
        self.late = late
        self.was_suspended = False
        self.model.settle()

    @rule(seconds=st.integers(1, 20_000))
    def time_passes(self, seconds: int) -> None:
        self.model.now += seconds

    @rule(seconds=st.integers(1, 8000), writes=st.integers(0, 3))
    def the_operator_dies_while_it_writes(self, seconds: int, writes: int) -> None:
        self.model.now += seconds
        self.model.look(writes)

    @rule(seconds=st.integers(30, 8000))
    def all_is_well_for_a_while(self, seconds: int) -> None:
        self.model.now += seconds
        self.model.settle()

    @precondition(lambda self: self.model.active)
    @rule(data=st.data(), state=st.sampled_from(["Succeeded", "Failed"]))
    def a_job_ends(self, data: st.DataObject, state: str) -> None:
        job = data.draw(st.sampled_from(self.model.active))
        self.model.end(job["metadata"]["name"], state)

    @rule()
    def pods_are_gone(self) -> None:
        self.model.collect()

    @rule(suspend=st.booleans())
    def the_user_suspends_or_resumes(self, suspend: bool) -> None:
        self.was_suspended |= suspend
        self.model.change(suspend=suspend)
        self.model.settle()

    @invariant()
    def a_time_makes_at_most_one_job(self) -> None:
        moments = [moment for moment, _ in self.model.made]
        assert len(moments) == len(set(moments))
        assert moments == sorted(moments)

    @invariant()
    def no_two_jobs_go_on_where_that_is_forbidden(self) -> None:
        if self.model.cron["spec"]["concurrencyPolicy"] != "Allow":
            assert self.model.most_active <= 1

    @invariant()
    def nothing_is_made_too_early_or_too_late(self) -> None:
        for moment, when in self.model.made:
            assert START < moment <= when
            assert self.late is None or when - moment <= self.late
            assert self.deadline is None or when <= self.deadline

    def teardown(self) -> None:
        """In the end nothing is in the way: the latest time is made up for if it may be, and each has counted once."""
        model = self.model
        for job in model.active:
            model.end(job["metadata"]["name"], "Succeeded")
        model.collect()
        model.settle()
        if model.cron["spec"].get("suspend") or self.was_suspended:
            return
        table = timetable_of(model.cron["spec"]["schedule"], anchor=START)
        until = model.now if self.deadline is None else min(model.now, self.deadline)
        gone = passed(table, START, until)
        count = 0 if gone is None else gone.times
        assert len(model.made) + model.status.get("missed", 0) == count
        is_open = self.deadline is None or model.now <= self.deadline
        if gone is not None and is_open and (self.late is None or model.now - gone.latest <= self.late):
            assert model.made[-1][0] == gone.latest
        assert len(model.status.get("history", [])) <= model.cron["spec"]["historyLimit"]
        assert len(model.jobs) - len(model.active) <= model.cron["spec"]["historyLimit"]


TestCronLife = CronLife.TestCase
TestCronLife.settings = settings(max_examples=100, stateful_step_count=25, deadline=None)

ZONES = [ZoneInfo(name) for name in ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Cairo", "UTC")]
FIELDS = st.sampled_from(["*", "0", "30", "*/15", "1-5", "7,21", "2"])


@settings(max_examples=150, deadline=None)
@given(
    minute=FIELDS,
    hour=st.sampled_from(["*", "2", "0-3", "*/6", "1,2,3", "23"]),
    day=st.sampled_from(["*", "L", "25", "1-7"]),
    zone=st.sampled_from(ZONES),
    start=st.integers(int(at("01T00:00")) - 40 * 86400, int(at("01T00:00")) + 200 * 86400),
    steps=st.integers(1, 30),
)
def test_a_timetable_is_the_same_from_wherever_it_is_read(
    minute: str, hour: str, day: str, zone: ZoneInfo, start: int, steps: int
) -> None:
    """What an operator finds must not depend on when it looked last, also while clocks are changed."""
    table = timetable_of(f"{minute} {hour} {day} * *", zone)
    whole = table.after(start)
    found = [next(whole) for _ in range(steps)]
    assert found == sorted(set(found))
    assert all(moment % 60 == 0 for moment in found)
    moment: float = start
    for want in found:
        assert next(table.after(moment)) == want
        moment = want
        assert next(table.after(want - 1)) == want


WORDS = st.text(st.sampled_from("0123456789*/-,?LW#@ aMONJAN"), max_size=24)


@settings(max_examples=300, deadline=None)
@given(text=WORDS | st.from_regex(r"([0-9*?/,-]{1,4} ){4}[0-9A-Z#*-]{1,5}", fullmatch=True))
def test_whatever_somebody_writes_is_read_or_named_as_wrong(text: str) -> None:
    """Neither the server nor the operator stumbles over a text, and what has no fault has a next time."""
    rule_errors_of(cron(text))
    if not faults_in(text):
        assert next(timetable_of(text).after(START)) > START


def _field(low: int, high: int, names: str = "") -> st.SearchStrategy[str]:
    one = st.integers(low, high).map(str) | (st.sampled_from(names.split()) if names else st.nothing())
    span = st.tuples(st.integers(low, high), st.integers(low, high)).map(lambda two: f"{min(two)}-{max(two)}")
    stepped = st.tuples(st.just("*") | span, st.integers(1, 30)).map(lambda two: f"{two[0]}/{two[1]}")
    return st.lists(st.just("*") | one | span | stepped, min_size=1, max_size=3).map(",".join)


@settings(max_examples=150, deadline=None)
@given(
    fields=st.tuples(
        _field(0, 59), _field(0, 23), _field(1, 28), _field(1, 12, "jan MAR Dec"), _field(0, 7, "SUN wed Sat")
    )
)
def test_what_is_written_well_is_taken_by_server_and_operator(fields: tuple[str, ...]) -> None:
    text = " ".join(fields)
    assert [str(error) for error in rule_errors_of(cron(text)) if error.path == "spec.schedule"] == []
    assert faults_in(text) == []
