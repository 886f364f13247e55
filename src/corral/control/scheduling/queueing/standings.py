"""How a queue stands, as its status tells it. Pure."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.reading.queues import quantities_in
from corral.kinds.objects import Object
from corral.reconcile.moments import stamp_of

READY: Final = "Ready"
_AMOUNTS: Final = ("used", "wanted")


class Readiness(NamedTuple):
    """Whether the gangs of a queue are let in by its terms."""

    is_ready: bool
    reason: str
    message: str


def readiness_of(desk: AdmissionDesk, name: str) -> Readiness:
    """Returns whether the terms of a queue are followed as they stand."""
    complaint = desk.complaint_about(name)
    if complaint:
        return Readiness(False, "Unreadable", f"its gangs wait until its terms can be read: {complaint}")
    parent = desk.queues.terms(name).parent
    if parent not in desk.queues:
        return Readiness(False, "ParentMissing", f"there is no queue {parent}; until there is one it is part of none")
    if desk.queues.is_in_a_ring(name):
        return Readiness(False, "ParentsInARing", f"by way of {parent} it is part of itself; one of them must change")
    return Readiness(True, "Served", "its gangs are let in by these terms")


def status_of(desk: AdmissionDesk, name: str, told: Any, now: float) -> Object:
    """Returns the status that a queue should have; `told` is the one it has."""
    stands = desk.standing(name)
    return {
        "used": quantities_in(stands.used),
        "wanted": quantities_in(stands.wanted),
        "running": stands.running,
        "waiting": stands.waiting,
        "conditions": _conditions(readiness_of(desk, name), _said(told), now),
    }


def change_to(told: Any, wanted: Object) -> Object:
    """Returns the merge patch from one status to another: amounts that are no longer told must be taken away by name."""
    change = dict(wanted)
    before = told if isinstance(told, Mapping) else {}
    for field in _AMOUNTS:
        held = before.get(field)
        gone = held.keys() - wanted[field].keys() if isinstance(held, Mapping) else ()
        change[field] = {**wanted[field], **dict.fromkeys(gone)}
    return change


def _said(told: Any) -> list[Object]:
    conditions = told.get("conditions") if isinstance(told, Mapping) else None
    return [one for one in conditions if isinstance(one, dict)] if isinstance(conditions, list) else []


def _conditions(found: Readiness, said: list[Object], now: float) -> list[Object]:
    """Returns the conditions with ours as the last one, whose time is that of its last change; those of others stay."""
    status = "True" if found.is_ready else "False"
    before = next((one for one in said if one.get("type") == READY), {})
    since = before.get("lastTransitionTime") if before.get("status") == status else None
    ours = {
        "type": READY,
        "status": status,
        "reason": found.reason,
        "message": found.message,
        "lastTransitionTime": since or stamp_of(now),
    }
    return [*(one for one in said if one.get("type") != READY), ours]
