"""Conditions: the last one is the state that people see, saying it twice changes nothing, and the end stays the end."""

from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.training.status import Condition
from corral.reconcile.moments import stamp_of
from corral.reconcile.training.conditions import Saying, find, holds, is_finished, said, without
from tests.domain.reconcile.training_builders import NOW

EARLIER, STAMP = stamp_of(NOW - 60), stamp_of(NOW)


def held(*states: str) -> list[Condition]:
    """Returns conditions that were said earlier, such as `Created` or `Running=False`."""
    found = []
    for state in states:
        kind, _, status = state.partition("=")
        times = {"last_update_time": EARLIER, "last_transition_time": EARLIER}
        found.append(Condition(type=kind, status=status or "True", reason=f"Job{kind}", message="earlier", **times))
    return found


def states(conditions: list[Condition]) -> list[str]:
    return [one.type if one.status == "True" else f"{one.type}={one.status}" for one in conditions]


def saying(state: str, reason: str = "") -> Saying:
    kind, _, status = state.partition("=")
    return Saying(kind, reason or f"Job{kind}", "now", status or "True")


class Step(NamedTuple):
    before: tuple[str, ...]
    said: str
    want: list[str]
    reason: str = ""


STEPS: dict[str, Step] = {
    "the first is appended": Step((), "Created", ["Created"]),
    "another comes last": Step(("Created",), "Running", ["Created", "Running"]),
    "restarting takes the place of running": Step(("Created", "Running"), "Restarting", ["Created", "Restarting"]),
    "running takes the place of restarting": Step(("Created", "Restarting"), "Running", ["Created", "Running"]),
    "a changed status moves to the end": Step(
        ("Created", "Suspended", "Running=False"), "Suspended=False", ["Created", "Running=False", "Suspended=False"]
    ),
    "a changed reason moves to the end": Step(
        ("Created", "Running=False", "Suspended"), "Running=False", ["Created", "Suspended", "Running=False"], "Other"
    ),
    "suspension leaves running alone": Step(("Created", "Running=False"), "Suspended", ["Created", "Running=False", "Suspended"]),
    "success stops running in its place": Step(
        ("Created", "Running", "Suspended=False"), "Succeeded", ["Created", "Running=False", "Suspended=False", "Succeeded"]
    ),
    "failure stops running in its place": Step(("Created", "Running"), "Failed", ["Created", "Running=False", "Failed"]),
    "what had stopped stays so": Step(("Running=False",), "Failed", ["Running=False", "Failed"]),
    "nothing restarts after the end": Step(("Created", "Restarting"), "Failed", ["Created", "Failed"]),
    "a fast job was never seen to run": Step(("Created",), "Succeeded", ["Created", "Succeeded"]),
    "a job that failed does not succeed": Step(("Created", "Failed"), "Succeeded", ["Created", "Failed"]),
    "a job that succeeded does not fail": Step(("Created", "Succeeded"), "Failed", ["Created", "Succeeded"]),
    "a job that failed does not run": Step(("Running=False", "Failed"), "Running", ["Running=False", "Failed"]),
    "an end that did not hold is no end": Step(("Failed=False",), "Running", ["Failed=False", "Running"]),
}  # fmt: skip


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_condition_is_said(step: Step) -> None:
    assert states(said(held(*step.before), saying(step.said, step.reason), NOW)) == step.want


def test_saying_the_same_again_changes_nothing_not_even_the_message() -> None:
    before = held("Created", "Running", "Suspended=False")
    assert said(before, saying("Running"), NOW) == before


def test_a_new_condition_carries_the_time_twice() -> None:
    (fresh,) = said([], saying("Created"), NOW)
    assert fresh == Condition(
        type="Created",
        status="True",
        reason="JobCreated",
        message="now",
        last_update_time=STAMP,
        last_transition_time=STAMP,
    )


def test_a_new_reason_is_an_update_and_no_transition() -> None:
    (fresh,) = said(held("Running=False"), saying("Running=False", "JobSuspended"), NOW)
    assert (fresh.reason, fresh.last_update_time, fresh.last_transition_time) == ("JobSuspended", STAMP, EARLIER)


def test_a_new_status_is_a_transition() -> None:
    (fresh,) = said(held("Suspended"), saying("Suspended=False"), NOW)
    assert (fresh.last_update_time, fresh.last_transition_time) == (STAMP, STAMP)


def test_running_that_stops_keeps_its_words() -> None:
    running, _ = said(held("Running"), saying("Succeeded"), NOW)
    assert (running.reason, running.message) == ("JobRunning", "earlier")
    assert (running.last_update_time, running.last_transition_time) == (STAMP, STAMP)


def test_conditions_are_found_by_type() -> None:
    conditions = held("Created", "Running=False")
    assert find(conditions, "Running") == conditions[1]
    assert find(conditions, "Failed") is None
    assert holds(conditions, "Created")
    assert not holds(conditions, "Running")
    assert states(without(conditions, "Created")) == ["Running=False"]


SAYINGS = [
    f"{kind}={status}"
    for kind, status in product(
        ("Created", "Running", "Restarting", "Suspended", "Succeeded", "Failed"), ("True", "False")
    )
]


@given(st.lists(st.sampled_from(SAYINGS), max_size=12))
def test_whatever_is_said_every_type_is_there_once_and_at_most_one_end(sayings: list[str]) -> None:
    conditions: list[Condition] = []
    for one in sayings:
        was_finished, before = is_finished(conditions), conditions
        conditions = said(conditions, saying(one), NOW)
        assert not was_finished or conditions == before
    kinds = [one.type for one in conditions]
    assert len(kinds) == len(set(kinds))
    assert not ("Running" in kinds and "Restarting" in kinds)
    assert holds(conditions, "Succeeded") + holds(conditions, "Failed") <= 1
    assert not (is_finished(conditions) and holds(conditions, "Running"))
