"""Why a gang goes nowhere: what is missing, what is free, and the one constraint that is in the way, if it is one.

Each constraint is lifted in turn and the room counted again: the one without which everybody who must would fit is *binding*. What is
short on the nodes comes before what keeps the gang away from nodes, because the latter is what somebody wanted.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from corral.placement.asks import WHOLE, Gang, Member, PodAsk, Refusal, Standing
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.gangs.keeping import without_kept
from corral.placement.gangs.room import room
from corral.placement.gangs.words import fit_of, make_of, pods_of, sentence_about
from corral.placement.potentials.policies import Policy

KEPT = "kept-for-larger"
"""The code of gangs for which there would be room, if it were not kept for larger pods."""
_AMOUNTS = ("cpu", "memory", "pods")
_WISHES = ("closed", "device", "gpu", "neighbours", "model", "rules")


def short_refusal(gang: Gang, missing: int, there: int) -> Refusal:
    """Returns the refusal of a gang of which too few pods exist."""
    sentence = f"{pods_of(missing)} must start together and {there} {'is' if there == 1 else 'are'} there."
    return Refusal(gang.uid, "members-missing", sentence, (("pods", missing),), (("pods", there),))


def refused(
    fleet: Fleet,
    gang: Gang,
    waiting: Sequence[Member],
    missing: int,
    seated: int,
    policy: Policy,
    *,
    explain: bool,
) -> Refusal:
    """Returns why no more than so many of the waiting members found a seat when so many must; without `explain` not why."""
    wanted = Counter(member.ask for member in waiting)
    if not explain:
        return _told_briefly(fleet, gang, wanted, missing, seated, policy)
    ask, count = _scarcest(fleet, wanted, missing)
    rooms = room(fleet, ask)
    allowed = _may_go(fleet, ask)
    code, binding = _reason(fleet, gang, ask, count, rooms)
    if code == "does-not-fit" and _is_kept(fleet, policy, ask):
        code, binding = KEPT, "kept"
    left = np.maximum(fleet.columns.gpu[: len(rooms)], 0)
    figures = {
        "pods": seated,
        "gpu_milli": int(left[allowed].sum()),
        "idle_gpus": int((left[allowed] >= WHOLE).sum()),
        "idle_gpus_on_one_node": int((left[allowed] >= WHOLE).sum(axis=1).max(initial=0)),
        "nodes": int(allowed.sum()),
    }
    asked = {"pods": missing, "gpu_milli": ask.gpu.total * count, "gpus_on_one_node": ask.gpu.number}
    sentence = sentence_about(gang, ask, count, code, missing, figures)
    standings = _standings(fleet, ask, rooms)
    return Refusal(gang.uid, code, sentence, tuple(asked.items()), tuple(figures.items()), binding, standings)


def _told_briefly(
    fleet: Fleet, gang: Gang, wanted: Counter[PodAsk], missing: int, seated: int, policy: Policy
) -> Refusal:
    """Counts nothing but whether there would be room if no seats were kept: then nobody should make any."""
    needed, free = (("pods", missing),), (("pods", seated),)
    if policy.keeping is not None and policy.statistics.shares and not gang.within:
        ask, count = _scarcest(fleet, wanted, missing)
        if room(fleet, ask).sum() >= count and _is_kept(fleet, policy, ask):
            about = {"pods": seated, "nodes": 0, "gpu_milli": 0, "idle_gpus_on_one_node": 0}
            return Refusal(gang.uid, KEPT, sentence_about(gang, ask, count, KEPT, missing, about), needed, free, "kept")
    said = f"{pods_of(missing)} must start together and {fit_of(seated)}."
    return Refusal(gang.uid, "does-not-fit", said, needed, free)


def _is_kept(fleet: Fleet, policy: Policy, ask: PodAsk) -> bool:
    """Whether seats are kept for larger pods of which an ask may not take every one."""
    return any(unkept is not None for unkept in without_kept(fleet, policy, ask))


def _scarcest(fleet: Fleet, wanted: Counter[PodAsk], missing: int) -> tuple[PodAsk, int]:
    """The class that lacks most, and how many of it must fit."""
    spare = {ask: int(room(fleet, ask).sum()) - count for ask, count in wanted.items()}
    ask = min(wanted, key=lambda one: (spare[one] >= 0, -one.gpu.total, spare[one]))
    others = wanted.total() - wanted[ask]
    return ask, max(1, min(wanted[ask], missing - min(others, missing - 1)))


def _may_go(fleet: Fleet, ask: PodAsk) -> Bools:
    """The rows where a class could ever go, whatever is held there."""
    amounts = ("gpu", *_AMOUNTS, *(name for name, _ in ask.others))
    return np.asarray(room(fleet, ask, (*amounts, "neighbours")) > 0)


def _reason(fleet: Fleet, gang: Gang, ask: PodAsk, count: int, rooms: Ints) -> tuple[str, str]:
    if not len(fleet):
        return "no-nodes", ""
    for lifted, code in ((("model", "device"), "no-node-allowed"), ((), "no-such-model")):
        if not room(fleet, PodAsk(gpu=ask.gpu, rules=ask.rules), ("gpu", "pods", "closed", *lifted)).any():
            return code, "rules" if lifted else "model"
    if room(fleet, ask, ("closed",), is_empty=True).sum() < count:
        return "too-large", _binding(fleet, ask, count, is_empty=True)
    if rooms.sum() >= count:
        if ask.neighbours:
            return "wrong-neighbours", "neighbours"
        return ("no-common-domain", "within") if gang.within else ("does-not-fit", "")
    binding = _binding(fleet, ask, count)
    if binding != "gpu":
        return {
            "closed": "closed-nodes",
            "device": "device-taken",
            "neighbours": "wrong-neighbours",
            "": "does-not-fit",
        }.get(binding, f"short-of-{binding}"), binding
    left = fleet.columns.gpu[: len(rooms)][_may_go(fleet, ask)]
    return ("scattered-gpus" if np.maximum(left, 0).sum() >= ask.gpu.total * count else "short-of-gpus"), binding


def _binding(fleet: Fleet, ask: PodAsk, count: int, *, is_empty: bool = False) -> str:
    others = [name for name, _ in ask.others]
    for constraint in (*_AMOUNTS, *others, *_WISHES):
        if room(fleet, ask, (constraint,), is_empty=is_empty).sum() >= count:
            return constraint
    return ""


def _standings(fleet: Fleet, ask: PodAsk, rooms: Ints) -> tuple[Standing, ...]:
    columns, length = fleet.columns, len(rooms)
    there = np.array([bool(name) for name in fleet.names], np.bool_)
    make = columns.make[:length]
    left = np.maximum(columns.gpu[:length], 0)
    idle = (left >= WHOLE).sum(axis=1)
    lacking = _lacking(fleet, ask)
    found = []
    for number, (gpus, model) in enumerate(columns.makes):
        rows = there & (make == number)
        if not rows.any():
            continue
        free = (
            ("gpu_milli", int(left[rows].sum())),
            ("idle_gpus", int(idle[rows].sum())),
            ("idle_gpus_on_one_node", int(idle[rows].max())),
        )
        counts = tuple((reason, int((rows & lacks).sum())) for reason, lacks in lacking.items())
        lacks_something = tuple(pair for pair in counts if pair[1])
        found.append(Standing(make_of(gpus, model), int(rows.sum()), int(rooms[rows].sum()), free, lacks_something))
    return tuple(sorted(found, key=lambda one: (-one.fits, len(one.lacking), one.make)))


def _lacking(fleet: Fleet, ask: PodAsk) -> dict[str, Bools]:
    """Which rows lack what, each thing for itself; a row may lack several."""
    others = [name for name, _ in ask.others]
    wishes = ("rules", "closed", *(("neighbours",) if ask.neighbours or ask.crowds else ()))
    reasons = (*wishes, *(("model", "gpu") if ask.gpu.number else ()), *_AMOUNTS, *others)
    everything = {*reasons, "device", "neighbours"}
    lifted = {reason: everything - {reason} - ({"device"} if reason == "gpu" else set()) for reason in reasons}
    return {reason: np.asarray(room(fleet, ask, lifted[reason]) < 1) for reason in reasons}
