"""Rules about pods that have no node: what they wait for, and what is missing where. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.why.rooms import Amounts, Room, needs_of, obstacle, rooms_in
from corral.control.desk.why.situation import Situation
from corral.control.desk.why.words import amount, listed, plain, some, span
from corral.kinds.gpus import is_gpu
from corral.kinds.reasons import Evidence, Reason
from corral.reconcile.moments import seconds_of

_LOOKED_AFTER: Final = 15.0
"""A scheduler that is there says within so many seconds why it has no node for a pod."""
_PARTS: Final = re.compile(r", (?=\d+ )")
_COUNTED: Final = re.compile(r"(\d+) (?:node\(s\) )?(.+)")
_INSUFFICIENT: Final = "Insufficient "


def waiting_for_claims(situation: Situation) -> Reason | None:
    """Claims that are not there, or have no volume behind them."""
    if situation.claims is None:
        return None
    wanted: dict[str, int] = {}
    for pod in situation.unbound:
        for volume in pod.spec.volumes:
            if volume.persistent_volume_claim is not None:
                name = volume.persistent_volume_claim.claim_name
                wanted[name] = wanted.get(name, 0) + 1
    lacking = {name: count for name, count in wanted.items() if situation.claims.get(name) != "Bound"}
    if not lacking:
        return None
    name, count = next(iter(lacking.items()))
    who = some(count, situation.line.total)
    if name not in situation.claims:
        steps = ("make the claim, or correct its name", "corral data list")
        return Reason(
            "claim-missing",
            f'{who} wait for the claim "{name}", which does not exist',
            {"claim": name},
            next_steps=steps,
        )
    sentence = f'{who} wait for the claim "{name}", which has no volume yet ({situation.claims[name]})'
    steps = (f"corral get pvc {name} -o yaml", "ask who looks after storage: no volume has been found or made for it")
    return Reason("claim-unbound", sentence, {"claim": name, "phase": situation.claims[name]}, _said(situation), steps)


def held_by_gates(situation: Situation) -> Reason | None:
    """Pods that somebody else has to let go before a scheduler may look at them."""
    gated = [pod for pod in situation.unbound if pod.spec.scheduling_gates]
    if not gated:
        return None
    names = sorted({one.get("name", "") for pod in gated for one in pod.spec.scheduling_gates})
    sentence = f"{some(len(gated), situation.line.total)} wait until {listed(names)} lets them go"
    return Reason("gated", sentence, {"gates": names, "pods": len(gated)}, _said(situation))


def without_a_node(situation: Situation) -> Reason | None:
    """Pods for which no node has room, or none may take them."""
    unbound = situation.unbound
    if not unbound:
        return None
    if not any(_refusals(pod) for pod in unbound) and _age(situation, unbound) > _LOOKED_AFTER:
        return _nobody_looks(situation, unbound)
    # Pods of one role ask for the same, so the one that asks for most speaks for all.
    pod = max(unbound, key=lambda one: sorted((is_gpu(name), size) for name, size in needs_of(one).items())[::-1])
    if situation.nodes is not None and not situation.nodes:
        sentence = f"{some(len(unbound), situation.line.total)} wait for a node, and there is none"
        steps = ("on one machine: corral status", "on a cluster: ask who looks after it")
        return Reason("no-nodes", sentence, {"nodes": 0, "pods": len(unbound)}, next_steps=steps)
    if situation.nodes is None:
        return _by_hearsay(situation, unbound)
    rooms = rooms_in(situation.nodes, situation.others)
    open_to_it = [room for room in rooms if not obstacle(pod, room.node)]
    if not open_to_it:
        return _closed(situation, pod, rooms)
    shortage = _shortage(pod, open_to_it)
    return _by_hearsay(situation, unbound) if shortage is None else _too_small(situation, shortage, len(open_to_it))


class _Shortage(NamedTuple):
    """The resource that is missing everywhere: how much is needed, and the most that a node has left, and has in all."""

    resource: str
    needed: int
    best_free: int | None
    best_node: str
    largest: int


def _shortage(pod: JobPod, rooms: Sequence[Room]) -> _Shortage | None:
    """Returns what no node has enough of, GPUs before everything else; None when one seems to have room."""
    needs = needs_of(pod)
    if any(_fits(needs, room.total if room.free is None else room.free) for room in rooms):
        return None
    for resource in sorted(needs, key=lambda name: (not is_gpu(name), name != "memory", name)):
        best = max(rooms, key=lambda room: (room.total if room.free is None else room.free).get(resource, 0))
        free = None if best.free is None else best.free.get(resource, 0)
        largest = max(room.total.get(resource, 0) for room in rooms)
        if needs[resource] > (largest if free is None else free):
            return _Shortage(resource, needs[resource], free, best.node.name, largest)
    return None


def _fits(needs: Amounts, there: Amounts) -> bool:
    return all(there.get(resource, 0) >= wanted for resource, wanted in needs.items())


def _too_small(situation: Situation, short: _Shortage, nodes: int) -> Reason:
    who = some(len(situation.unbound), situation.line.total)
    needed = amount(short.resource, short.needed)
    numbers: dict[str, Any] = {
        "resource": short.resource,
        "needed": plain(short.needed),
        "largest": plain(short.largest),
        "nodes": nodes,
        "pods": len(situation.unbound),
    }
    if short.needed > short.largest:
        most = (
            "no node has any" if not short.largest else f"the largest node has {amount(short.resource, short.largest)}"
        )
        sentence = f"{who} can never run here: each needs {needed} on one node, {most}"
        steps = ("ask for less on one node, or for more workers with less each", "corral top node")
        # What no node has needs no scheduler's word: that comes later, and says less.
        return Reason("never-fits", sentence, numbers, next_steps=steps)
    free = (
        ""
        if short.best_free is None
        else f", best node has {amount(short.resource, max(short.best_free, 0))} free ({short.best_node})"
    )
    if short.best_free is not None:
        numbers |= {"free": plain(max(short.best_free, 0)), "node": short.best_node}
    sentence = f"{who} wait for room: each needs {needed} on one node{free}"
    busy = ("wait until others end", "corral top node", "corral list -A --status running")
    return Reason("no-room", sentence, numbers, _said(situation), busy)


def _closed(situation: Situation, pod: JobPod, rooms: Sequence[Room]) -> Reason:
    """Returns that no node may take a pod, whatever is left there."""
    counted = Counter(obstacle(pod, room.node) for room in rooms)
    told = [f"{count} {'is' if count == 1 else 'are'} {what}" for what, count in counted.most_common()]
    sentence = f"{some(len(situation.unbound), situation.line.total)} wait: none of {len(rooms)} nodes may take them; {listed(told)}"
    steps = ("correct the selector or the tolerations of the job, or the labels of a node", "corral get nodes -o wide")
    return Reason("no-node-may", sentence, {"nodes": len(rooms), **dict(counted)}, _said(situation), steps)


def _nobody_looks(situation: Situation, unbound: Sequence[JobPod]) -> Reason:
    names = sorted({pod.spec.scheduler_name or "default-scheduler" for pod in unbound})
    age = _age(situation, unbound)
    sentence = (
        f"{some(len(unbound), situation.line.total)} wait since {span(age)}, and no scheduler has said anything:"
        f" {listed(names)} may not be running"
    )
    steps = ("see that this scheduler runs, or submit the job without naming one", "on one machine: corral status")
    return Reason("no-scheduler", sentence, {"schedulers": names, "seconds": int(age)}, _said(situation), steps)


def _by_hearsay(situation: Situation, unbound: Sequence[JobPod]) -> Reason:
    """Returns what the scheduler says, in plain words: who may not see nodes can still be told."""
    said = [text for pod in unbound for text in _refusals(pod)]
    who = some(len(unbound), situation.line.total)
    if not said:
        return Reason("waiting-for-node", f"{who} wait for a node", {"pods": len(unbound)}, _said(situation))
    told = _in_words(said[0])
    steps = ("corral top node", f"corral get {situation.name} -e")
    return Reason("no-room", f"{who} wait for a node: {told}", {"pods": len(unbound)}, _said(situation), steps)


def _in_words(message: str) -> str:
    """Returns a scheduler's message without its arithmetic: `5 Insufficient cpu` becomes `5 nodes have too little cpu`."""
    body = (message.partition(":")[2] or message).partition(". ")[0].strip().rstrip(".")
    counted = [_COUNTED.fullmatch(part) for part in _PARTS.split(body)]
    return "; ".join(_lacking(int(one[1]), one[2]) for one in counted if one) or " ".join(message.split())


def _lacking(count: int, what: str) -> str:
    nodes, have = ("1 node", "has") if count == 1 else (f"{count} nodes", "have")
    if not what.startswith(_INSUFFICIENT):
        return f"{nodes}: {what}"
    resource = what.removeprefix(_INSUFFICIENT)
    return f"{nodes} {have} too few GPUs left" if is_gpu(resource) else f"{nodes} {have} too little {resource} left"


def _refusals(pod: JobPod) -> list[str]:
    return [
        one.message
        for one in pod.status.conditions
        if one.type == "PodScheduled" and one.status == "False" and one.message
    ]


def _age(situation: Situation, pods: Sequence[JobPod]) -> float:
    begun = [since for pod in pods if (since := seconds_of(pod.metadata.creation_timestamp)) is not None]
    return situation.now - min(begun, default=situation.now)


def _said(situation: Situation) -> tuple[Evidence, ...]:
    """Returns what was said about up to three of the pods that wait."""
    seen = [
        Evidence(f"pod/{pod.name}", _in_words(text)) for pod in situation.unbound[:3] for text in _refusals(pod)[:1]
    ]
    names = {pod.name for pod in situation.unbound}
    events = [one for one in situation.events if one.name in names and one.is_warning]
    return tuple(seen) or tuple(Evidence(one.about, one.message) for one in events[-3:])
