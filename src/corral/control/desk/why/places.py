"""Rules about pods that have no node: what they wait for, and what is missing where. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.why.situation import Situation
from corral.control.desk.why.words import listed, some
from corral.control.scheduling.orders import names_of_one_machine
from corral.kinds.gpus import is_gpu
from corral.kinds.reasons import Evidence, Reason
from corral.kinds.spans import span
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
    who = _who(situation, count)
    if name not in situation.claims:
        steps = ("make the claim, or correct its name", "corral data list")
        return Reason(
            "claim-missing",
            f'{who} for the claim "{name}", which does not exist',
            {"claim": name},
            next_steps=steps,
        )
    sentence = f'{who} for the claim "{name}", which has no volume yet ({situation.claims[name]})'
    steps = (f"corral get pvc {name} -o yaml", "ask who looks after storage: no volume has been found or made for it")
    return Reason("claim-unbound", sentence, {"claim": name, "phase": situation.claims[name]}, _said(situation), steps)


def held_by_gates(situation: Situation) -> Reason | None:
    """Pods that somebody else has to let go before a scheduler may look at them."""
    gated = [pod for pod in situation.unbound if pod.spec.scheduling_gates]
    if not gated:
        return None
    names = sorted({one.get("name", "") for pod in gated for one in pod.spec.scheduling_gates})
    sentence = f"{_who(situation, len(gated))} until {listed(names)} lets them go"
    return Reason("gated", sentence, {"gates": names, "pods": len(gated)}, _said(situation))


def without_a_node(situation: Situation) -> Reason | None:
    """Pods for which no node has room, or none may take them."""
    unbound = situation.unbound
    if not unbound:
        return None
    if situation.is_here and (strangers := sorted(_schedulers(unbound) - names_of_one_machine())):
        return _nobody_here(situation, strangers)
    if not any(_refusals(pod) for pod in unbound) and _age(situation, unbound) > _LOOKED_AFTER:
        return _nobody_looks(situation, unbound)
    if situation.nodes is not None and not situation.nodes:
        sentence = f"{_who(situation)} for a node, and there is none"
        steps = ("on one machine: corral status", "on a cluster: ask who looks after it")
        return Reason("no-nodes", sentence, {"nodes": 0, "pods": len(unbound)}, next_steps=steps)
    if situation.nodes is None:
        return _by_hearsay(situation, unbound)
    # It comes with numpy, which nobody shall wait for who asks about something else.
    from corral.control.desk.why.placing import reason_of_placement

    return reason_of_placement(situation, situation.nodes) or _by_hearsay(situation, unbound)


def _who(situation: Situation, count: int | None = None) -> str:
    total = situation.line.total
    return f"{some(len(situation.unbound) if count is None else count, total)} wait{'s' if total == 1 else ''}"


def _schedulers(unbound: Sequence[JobPod]) -> set[str]:
    return {pod.spec.scheduler_name or "default-scheduler" for pod in unbound}


def _nobody_here(situation: Situation, names: list[str]) -> Reason:
    """Returns the reason of pods for a scheduler that no machine of one's own has: nobody will ever look at them."""
    sentence = f"{_who(situation)} for {listed(names)}, and on one machine there is no scheduler of that name"
    steps = (f"corral delete {situation.name}", "submit the job again without naming a scheduler")
    return Reason("no-scheduler", sentence, {"schedulers": names, "pods": len(situation.unbound)}, next_steps=steps)


def _nobody_looks(situation: Situation, unbound: Sequence[JobPod]) -> Reason:
    names = sorted(_schedulers(unbound))
    age = _age(situation, unbound)
    sentence = (
        f"{_who(situation)} since {span(age)}, and no scheduler has said anything: {listed(names)} may not be running"
    )
    steps = ("see that this scheduler runs, or submit the job without naming one", "on one machine: corral status")
    return Reason("no-scheduler", sentence, {"schedulers": names, "seconds": int(age)}, _said(situation), steps)


def _by_hearsay(situation: Situation, unbound: Sequence[JobPod]) -> Reason:
    """Returns what the scheduler says, in plain words: who may not see nodes can still be told."""
    said = [text for pod in unbound for text in _refusals(pod)]
    if not said:
        names = sorted(_schedulers(unbound))
        sentence = f"{_who(situation)} for a node, and {listed(names)} has not said yet why"
        return Reason(
            "waiting-for-node",
            sentence,
            {"pods": len(unbound), "schedulers": names},
            _said(situation),
            (f"ask again in some seconds: corral why {situation.name}",),
        )
    told = _in_words(said[0])
    steps = ("corral top node", f"corral get {situation.name} -e")
    return Reason("no-room", f"{_who(situation)} for a node: {told}", {"pods": len(unbound)}, _said(situation), steps)


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
