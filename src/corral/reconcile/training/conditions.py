"""The conditions of a job: an ordered list in which the last entry is the state that people see.

Clients print and wait for these, so order, reasons and messages are part of the API. A condition that ends the job stays
alone: whatever comes after Succeeded or Failed changes nothing any more.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from corral.kinds.training.status import Condition
from corral.reconcile.moments import stamp_of

CREATED, RUNNING, RESTARTING = "Created", "Running", "Restarting"
SUSPENDED, SUCCEEDED, FAILED, INVALID = "Suspended", "Succeeded", "Failed", "Invalid"

TERMINAL = (SUCCEEDED, FAILED)
_OPPOSITES = {RUNNING: RESTARTING, RESTARTING: RUNNING}

Conditions = Sequence[Condition]


class Saying(NamedTuple):
    """A condition to set: its type, the reason for machines and the message for people."""

    type: str
    reason: str
    message: str
    status: str = "True"


def find(conditions: Conditions, kind: str) -> Condition | None:
    """Returns the condition of a type, if there is one."""
    return next((one for one in conditions if one.type == kind), None)


def holds(conditions: Conditions, kind: str) -> bool:
    """Whether a condition is there and true."""
    return any(one.type == kind and one.status == "True" for one in conditions)


def is_finished(conditions: Conditions) -> bool:
    """Whether the job has come to its end, good or bad."""
    return any(holds(conditions, kind) for kind in TERMINAL)


def said(conditions: Conditions, saying: Saying, now: float) -> list[Condition]:
    """Returns the conditions after one more was said; saying the same again changes nothing, not even the message."""
    held = find(conditions, saying.type)
    if is_finished(conditions) or (held and (held.status, held.reason) == (saying.status, saying.reason)):
        return list(conditions)
    stamp = stamp_of(now)
    turned = held.last_transition_time if held and held.status == saying.status else stamp
    fresh = Condition(
        type=saying.type,
        status=saying.status,
        reason=saying.reason,
        message=saying.message,
        last_update_time=stamp,
        last_transition_time=turned,
    )
    dropped = {saying.type, _OPPOSITES.get(saying.type)}
    kept = [one for one in conditions if one.type not in dropped]
    if saying.type in TERMINAL:
        kept = [_stopped(one, stamp) for one in kept if one.type != RESTARTING]
    return [*kept, fresh]


def without(conditions: Conditions, kind: str) -> list[Condition]:
    """Returns the conditions without those of a type."""
    return [one for one in conditions if one.type != kind]


def _stopped(condition: Condition, stamp: str) -> Condition:
    """Returns Running turned to False in its place; every other condition stays as it is."""
    if condition.type != RUNNING or condition.status == "False":
        return condition
    return replace(condition, status="False", last_update_time=stamp, last_transition_time=stamp)
