"""Why pods find no room, as the scheduler's own engine sees it, and what would let them start. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from corral.control.desk.why.situation import Situation
from corral.control.desk.why.surroundings import Surroundings, Turn
from corral.control.desk.why.words import some
from corral.control.scheduling.crowd import Known
from corral.control.scheduling.orders import OUR_NAMES
from corral.kinds.reasons import Evidence, Reason
from corral.kinds.scheduling.pod_view import SchedulingNode
from corral.placement.asks import Gang, Member
from corral.placement.potentials import policy
from corral.placement.remedies.explanation import Explanation, Terms, explain
from corral.placement.remedies.standings import MakeStanding

_MOST_MAKES: Final = 4
_ANYHOW: Final = ("too-large", "no-node-allowed", "no-such-model")
"""Reasons that hold whoever else is there: they are told also where nobody may see the pods of others."""


def reason_of_placement(situation: Situation, nodes: Sequence[SchedulingNode]) -> Reason | None:
    """Returns why the pods of a job find no room; None when there seems to be room, or too little can be seen."""
    unbound = situation.unbound
    names = frozenset(pod.spec.scheduler_name for pod in unbound)
    around = Surroundings(nodes, situation.others, situation.groups, names, situation.now)
    pod = around.waiting([one.uid for one in unbound])
    if pod is None:
        return None
    who = some(len(unbound), situation.line.total)
    if complaint := pod.request.complaint or pod.membership.complaint:
        steps = ("correct what is named, and submit it again",)
        return Reason(
            "not-understood", f"{who} cannot be placed: {complaint}", {"pods": len(unbound)}, next_steps=steps
        )
    if group := around.missing_group(pod):
        sentence = (
            f"{who} wait for {group.resource.kind} {group.key.name}, which is not there:"
            " it says how many pods must start together"
        )
        return Reason("members-missing", sentence, {"pods": len(unbound)}, next_steps=("make it, or correct its name",))
    gang = around.gang(pod) or Gang(pod.gang, (Member(pod.uid, pod.request.ask),), 1)
    terms = Terms(
        situation.with_remedies and situation.sees_everybody,
        subject="it" if pod.membership.gang or len(unbound) == 1 else "each",
    )
    namespace, name = situation.job.key
    found = explain(around.fleet, gang, policy(), around.jobs(namespace, name), terms=terms)
    if found is None or (not situation.sees_everybody and found.code not in _ANYHOW):
        return None
    turn = around.turn(pod) if _is_ours(situation, names) else None
    return _reason(situation, pod, found, turn)


def _is_ours(situation: Situation, names: frozenset[str]) -> bool:
    return situation.is_here or names <= OUR_NAMES


def _reason(situation: Situation, pod: Known, found: Explanation, turn: Turn | None) -> Reason:
    unbound, total = len(situation.unbound), situation.line.total
    who = some(unbound, total)
    lead = f"{who} can never run here" if found.is_hopeless else f"{who} wait{'s' if total == 1 else ''} for room"
    numbers: dict[str, Any] = {"pods": unbound, **_numbers(found)}
    details: dict[str, Any] = {"placement": found.document()}
    if turn is not None:
        details["placement"]["turn"] = turn._asdict()
        numbers |= {"place": turn.place, "waiting": turn.waiting}
    evidence = (*_makes(found.makes), *_line(pod, turn))
    return Reason(found.code, f"{lead}: {found.sentence}", numbers, evidence, tuple(_steps(found)), details)


def _numbers(found: Explanation) -> dict[str, Any]:
    """What one pod needs and what the best node has, in GPUs; or how many pods must start together and how many find room."""
    needed, free = dict(found.needed), dict(found.free)
    nearest = next((one.nearest for one in found.makes if one.nearest is not None and one.obstacle is None), None)
    node = {"node": nearest.node} if nearest is not None else {}
    if "gpus_on_one_node" not in needed:
        return {"needed": needed["pods"], "free": free["pods"], **node}
    return {"needed": needed["gpus_on_one_node"], "free": free["gpus_on_one_node"], "together": needed["pods"], **node}


def _makes(makes: Sequence[MakeStanding]) -> Iterator[Evidence]:
    """Yields what is free where, those that come nearest first; of one kind that will never do the sentence says all."""
    if len(makes) == 1 and makes[0].obstacle is not None:
        return
    for one in makes[:_MOST_MAKES]:
        nodes = f"{one.nodes} node{'' if one.nodes == 1 else 's'}"
        closed = f", {one.closed} of them closed" if one.closed else ""
        if one.obstacle is not None:
            yield Evidence(one.make, f"{nodes}{closed}, {one.obstacle.words}")
            continue
        free = f", {one.idle or 'no'} whole GPU{'' if one.idle == 1 else 's'} free" if one.gpus else ""
        fits = f", {one.fits} of the pods fit" if one.fits else ""
        yield Evidence(one.make, f"{nodes}{closed}{free}{fits}{_nearest(one)}")
    if len(makes) > _MOST_MAKES:
        yield Evidence(
            "others", f"{sum(one.nodes for one in makes[_MOST_MAKES:])} nodes of {len(makes) - _MOST_MAKES} more kinds"
        )


def _nearest(one: MakeStanding) -> str:
    if one.nearest is None or one.nodes == one.closed:
        return ""
    holders = [f"{holder.milli / 1000:g} held by {holder.name}" for holder in one.nearest.holders if holder.milli]
    held = f": {', '.join(holders[:3])}" if holders else ""
    return f"; nearest is {one.nearest.node}, {one.nearest.free_milli / 1000:g} free{held}"


def _line(pod: Known, turn: Turn | None) -> Iterator[Evidence]:
    if turn is not None and turn.waiting > 1:
        before = turn.place - 1
        said = f"{before} before it" if before else "first in line"
        queue = f" (queue {pod.membership.queue})" if pod.membership.queue else ""
        yield Evidence("line", f"{turn.waiting} wait for this scheduler, {said}{queue}")


def _steps(found: Explanation) -> Iterator[str]:
    for one in found.remedies:
        yield f"it would start {one.sentence}"
    if not found.remedies and found.is_hopeless:
        yield "ask for less on one node, or for more workers with less each"
    elif not found.remedies:
        yield "wait until others end"
    yield "corral top node"
