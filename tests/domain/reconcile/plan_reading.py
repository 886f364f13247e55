"""What a plan says, in the few words that tests compare."""

from typing import Any

from corral.kinds.objects import Object
from corral.reconcile.plan import Create, Delete, EmitEvent, Plan, SetStatus


def status_in(plan: Plan) -> Object | None:
    """Returns the status that a plan writes, None when it writes none."""
    written = [one.status for one in plan if isinstance(one, SetStatus)]
    assert len(written) <= 1
    return written[0] if written else None


def written(plan: Plan) -> dict[str, Any]:
    """Returns the status that a plan writes; it must write one."""
    status = status_in(plan)
    assert status is not None
    return status


def states_in(plan: Plan) -> list[str]:
    """Returns the conditions that a plan writes: `Created` for a true one, `Running=False` for another."""
    said = written(plan)["conditions"]
    return [one["type"] if one["status"] == "True" else f"{one['type']}={one['status']}" for one in said]


def message_in(plan: Plan, condition: str) -> str:
    """Returns the message of a condition that a plan writes."""
    return str(next(one["message"] for one in written(plan)["conditions"] if one["type"] == condition))


def made(plan: Plan, kind: str = "Pod") -> list[str]:
    """Returns the names of what a plan creates."""
    return [one.object["metadata"]["name"] for one in plan if isinstance(one, Create) and one.resource.kind == kind]


def gone(plan: Plan, kind: str = "Pod") -> list[str]:
    """Returns the names of what a plan deletes."""
    return [one.key.name for one in plan if isinstance(one, Delete) and one.resource.kind == kind]


def forced(plan: Plan) -> list[str]:
    """Returns the names of what a plan deletes without waiting for the node."""
    return [one.key.name for one in plan if isinstance(one, Delete) and one.grace_seconds == 0]


def events_in(plan: Plan) -> list[EmitEvent]:
    """Returns what people hear for certain: events by themselves, and those that follow the status."""
    found: list[EmitEvent] = []
    for one in plan:
        found += [one] if isinstance(one, EmitEvent) else one.told if isinstance(one, SetStatus) else ()
    return found


def reasons_in(plan: Plan) -> list[str]:
    """Returns the reasons of these events."""
    return [one.reason for one in events_in(plan)]


def after(obj: Object, plan: Plan) -> Object:
    """Returns a job as it is once the status of a plan is written."""
    status = status_in(plan)
    return obj if status is None else {**obj, "status": status}
