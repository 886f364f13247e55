"""Why pods find no room, as the scheduler's own engine sees it, and what would let them start. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.why.situation import Situation
from corral.control.desk.why.words import some
from corral.control.scheduling.crowd import Known
from corral.control.scheduling.scenes.expecting import Expected, counted_for, expected_start, learn, past_of
from corral.control.scheduling.scenes.scene import NO_QUEUE, Scene, Turn
from corral.control.scheduling.scenes.snapshot import Snapshot
from corral.kinds.reasons import Evidence, Reason
from corral.kinds.scheduling.pod_view import SchedulingNode
from corral.placement.admission.amounts import CPU, GPU
from corral.placement.asks import Gang, Member, Refusal
from corral.placement.remedies.explanation import Explanation, Terms, explain
from corral.placement.remedies.standings import MakeStanding

_MOST_MAKES: Final = 4
_ANYHOW: Final = ("too-large", "no-node-allowed", "no-such-model")
"""Reasons that hold whoever else is there: they are told also where nobody may see the pods of others."""


def reason_of_placement(situation: Situation, nodes: Sequence[SchedulingNode]) -> Reason | None:
    """Returns why the pods of a job find no room; None when there seems to be room, or too little can be seen."""
    scene = _scene(situation, nodes)
    pod = scene.waiting([one.uid for one in situation.unbound])
    if pod is None:
        return None
    wrong = _not_understood(situation, scene, pod)
    if wrong is not None:
        return wrong
    gang = scene.gang(pod.gang) or Gang(pod.gang, (Member(pod.uid, pod.request.ask),), 1)
    is_decided = situation.is_ours and situation.sees_everybody
    if is_decided:
        scene.decide()
    refusal = scene.board.refusal_of(pod.gang) if is_decided else None
    if refusal is not None and refusal.code in NO_QUEUE:
        return _refused(situation, scene, pod, refusal)
    found = _explained(situation, scene, pod, gang)
    if found is None:
        return _refused(situation, scene, pod, refusal) if refusal is not None else None
    if not situation.sees_everybody and found.code not in _ANYHOW:
        return None
    prospect = _prospect(situation, scene, pod.gang) if is_decided else NO_PROSPECT
    if found.is_hopeless or found.code in _ANYHOW:
        prospect = prospect._replace(expected=None)
    return _reason(situation, found, prospect)


class Prospect(NamedTuple):
    """What lies ahead of a gang that waits."""

    turn: Turn | None = None
    expected: Expected | None = None


NO_PROSPECT: Final = Prospect()


def _scene(situation: Situation, nodes: Sequence[SchedulingNode]) -> Scene:
    snapshot = Snapshot(
        taken=situation.now,
        schedulers=tuple(sorted(situation.schedulers)),
        nodes=tuple(nodes),
        pods=tuple(situation.others),
        groups=tuple(situation.groups),
        queues=tuple(situation.queues),
    )
    return Scene(snapshot)


def _not_understood(situation: Situation, scene: Scene, pod: Known) -> Reason | None:
    """Returns what keeps a pod from standing in line at all."""
    who, numbers = some(len(situation.unbound), situation.line.total), {"pods": len(situation.unbound)}
    if complaint := pod.request.complaint or pod.membership.complaint:
        steps = ("correct what is named, and submit it again",)
        return Reason("not-understood", f"{who} cannot be placed: {complaint}", numbers, next_steps=steps)
    if group := scene.missing_group(pod):
        sentence = (
            f"{who} wait for {group.resource.kind} {group.key.name}, which is not there:"
            " it says how many pods must start together"
        )
        return Reason("members-missing", sentence, numbers, next_steps=("make it, or correct its name",))
    return None


def _explained(situation: Situation, scene: Scene, pod: Known, gang: Gang) -> Explanation | None:
    namespace, name = situation.job.key
    terms = Terms(
        situation.with_remedies and situation.sees_everybody,
        books=scene.books(namespace) if situation.queues else None,
        subject="it" if pod.membership.gang or len(situation.unbound) == 1 else "each",
    )
    return explain(scene.fleet, gang, scene.room.policy, scene.jobs(namespace, name, gang.queue), terms=terms)


def _prospect(situation: Situation, scene: Scene, gang: str) -> Prospect:
    learnt = learn(past_of(scene.desk, situation.runs), counted_for(scene.desk, gang), situation.now)
    return Prospect(scene.turn(gang), expected_start(scene.desk, gang, learnt, situation.now))


def _refused(situation: Situation, scene: Scene, pod: Known, refusal: Refusal) -> Reason:
    """Returns why a gang waits for which there would be room: its queue is not there, or others are before it."""
    unbound, total = len(situation.unbound), situation.line.total
    sentence = refusal.sentence
    if refusal.code == "reserved":
        sentence = (
            f"what is free is kept for {scene.shown(refusal.binding, situation.job.key.namespace)}, which is before it"
        )
    prospect = NO_PROSPECT if refusal.code in NO_QUEUE else _prospect(situation, scene, pod.gang)
    told = f"{some(unbound, total)} wait{'s' if total == 1 else ''}: {sentence[:1].lower()}{sentence[1:].rstrip('.')}"
    steps = {
        "queue-missing": ("name a queue that is there by the label corral.dev/queue", "corral get queues"),
        "queue-unreadable": ("ask whoever made the queue to correct it", "corral get queues"),
        "members-missing": ("see why its other pods are not made", f"corral get {situation.name} -e"),
    }.get(refusal.code, ("wait until it is its turn",))
    numbers, details = _ahead(prospect)
    details = {"placement": {"code": refusal.code, "sentence": refusal.sentence, "remedies": [], **details}}
    return Reason(refusal.code, told, {"pods": unbound, **numbers}, tuple(_line(prospect)), steps, details)


def _reason(situation: Situation, found: Explanation, prospect: Prospect) -> Reason:
    unbound, total = len(situation.unbound), situation.line.total
    who, wait = some(unbound, total), f"wait{'s' if total == 1 else ''}"
    is_quota = found.code.startswith("quota-")
    lead = f"{who} can never run here" if found.is_hopeless else f"{who} {wait}{'' if is_quota else ' for room'}"
    numbers, details = _ahead(prospect)
    evidence = (*_makes(found.makes), *_line(prospect))
    return Reason(
        found.code,
        f"{lead}: {found.sentence}",
        {"pods": unbound, **_numbers(found), **numbers},
        evidence,
        tuple(_steps(found)),
        {"placement": {**found.document(), **details}},
    )


def _ahead(prospect: Prospect) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the numbers of what lies ahead, and the same as data."""
    turn, expected = prospect
    numbers = {"place": turn.place, "waiting": turn.waiting} if turn is not None else {}
    details: dict[str, Any] = {"turn": turn._asdict()} if turn is not None else {}
    if expected is not None:
        details["start"] = expected.document()
        numbers |= {"startsIn": round(expected.start.expected)} if expected.start is not None else {}
    return numbers, details


def _numbers(found: Explanation) -> dict[str, Any]:
    """What one pod needs and what the best node has, in GPUs; or how many pods must start together and how many find room."""
    needed, free = dict(found.needed), dict(found.free)
    if found.code.startswith("quota-"):
        (resource, amount), *_ = found.needed
        scale = 1000 if resource in (GPU, CPU) else 1
        return {"resource": resource, "needed": amount / scale, "free": free[resource] / scale}
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


def _line(prospect: Prospect) -> Iterator[Evidence]:
    turn, expected = prospect
    if turn is not None and (turn.waiting > 1 or turn.queue):
        where = f"in queue {turn.queue}" if turn.queue else "for this scheduler"
        first = "first in line" if turn.place == 1 else f"{turn.place - 1} before it"
        yield Evidence("line", f"{turn.waiting} wait{'s' if turn.waiting == 1 else ''} {where}, {first}")
    if expected is not None:
        yield Evidence("start", expected.words)


def _steps(found: Explanation) -> Iterator[str]:
    for one in found.remedies:
        yield f"it would start {one.sentence}"
    if not found.remedies and found.is_hopeless:
        yield "ask for less on one node, or for more workers with less each"
    elif not found.remedies:
        yield "wait until others end"
    yield "corral top node"
