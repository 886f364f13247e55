"""Why a pod goes nowhere, in the words of kube-scheduler: how many nodes refuse it for which reason."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np

from corral.control.scheduling.board import Board
from corral.control.scheduling.crowd import Known, Standing, group_of
from corral.control.scheduling.reading.offers import Place
from corral.control.scheduling.reading.ports import is_port
from corral.kinds.scheduling.names import ALIYUN_MEMORY, HAMI_MEMORY, NVIDIA_GPU
from corral.placement.asks import PodAsk
from corral.placement.fleet import Fleet, RuleSet
from corral.placement.fleet.columns import Bools
from corral.placement.fleet.neighbours import APART, EVEN, TOGETHER
from corral.placement.fleet.shares import fitting

NO_NODES: Final = "no nodes available to schedule pods"
_PORTS: Final = "node(s) didn't have free ports for the requested pod ports"
_ELSEWHERE: Final = "node(s) didn't match Pod's node affinity/selector"
_NEIGHBOURS: Final = {
    EVEN: "node(s) didn't match pod topology spread constraints",
    TOGETHER: "node(s) didn't match pod affinity rules",
    APART: "node(s) didn't match pod anti-affinity rules",
}
"""In the order in which kube-scheduler looks."""
_KEPT_AWAY: Final = "node(s) didn't satisfy existing pods anti-affinity rules"
_TOO_FEW: Final = "node(s) had room for too few pods of the gang"
_SHARES: Final = "node(s) had no GPU with enough of it left"
_ABOUT_ROOM: Final = ("does-not-fit", "no-nodes")
"""Refusals that are about nodes although they count none: these are told in the words of kube-scheduler, node by node."""


class Sentences:
    """The sentences of one round; pods that ask the same share theirs."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._known: dict[tuple[PodAsk, bool], str] = {}

    def of(self, pod: Known) -> str:
        """Returns why a pod waits, "" when nobody has looked at it yet."""
        complaint = complaint_of(pod)
        if complaint:
            return complaint
        if pod.standing is not Standing.WAITING:
            return ""
        group = group_of(pod)
        if group is not None and self._board.crowd.size_of(pod.gang) is None:
            return (
                f"{group.resource.kind} {group.key} is not there, which says how many pods of the gang start together"
            )
        refusal = self._board.refusal_of(pod.gang)
        if refusal is None:
            return ""
        if not refusal.standings and refusal.code not in _ABOUT_ROOM:
            return refusal.sentence
        is_alone = not pod.membership.gang
        reasons = self._reasons(pod.request.ask, is_alone=is_alone)
        if is_alone or not self._board.places:
            return reasons
        needed, fitting_pods = dict(refusal.needed).get("pods", 0), dict(refusal.free).get("pods", 0)
        start, _, told = reasons.partition(": ")
        return f"{start}: gang {pod.membership.gang} needs {needed} pods at once and {fitting_pods} fit, {told}"

    def _reasons(self, ask: PodAsk, *, is_alone: bool) -> str:
        key = (ask, is_alone)
        if key not in self._known:
            self._known[key] = sentence(self._board.room.fleet, self._board.places, ask)
        return self._known[key]


def complaint_of(pod: Known) -> str:
    """Returns what of a pod cannot be read, "" when all can."""
    return pod.request.complaint or pod.membership.complaint


def sentence(fleet: Fleet, places: dict[str, Place], ask: PodAsk) -> str:
    """Returns how many nodes refuse a pod and why; each for the first of the reasons that kube-scheduler would find."""
    if not places:
        return NO_NODES
    reasons = Counter(lacking(fleet, ask))
    allowed = fleet.allowed(ask.rules)
    rules = fleet.rule_set(ask.rules) or RuleSet()
    for name, place in places.items():
        row = fleet.row(name)
        if row is None or not allowed[row] or place.closed_because:
            reasons[_refusal(place, rules)] += 1
    told = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items() if count))
    return f"0/{len(places)} nodes are available: {told}."


def _refusal(place: Place, rules: RuleSet) -> str:
    """Returns why a node takes no such pod however empty it is."""
    if place.closed_because:
        return place.closed_because
    for taint in place.offer.taints:
        if not rules.tolerates(place.offer._replace(taints=(taint,))):
            return f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
    return _ELSEWHERE


def lacking(fleet: Fleet, ask: PodAsk) -> dict[str, int]:
    """Returns how many of the nodes that a pod allows have too little of what; those where it fits are counted too."""
    columns = fleet.columns
    length = columns.length
    rows = fleet.allowed(ask.rules)[:length] & columns.is_open[:length]
    nothing = np.zeros(length, np.int64)
    ports = np.zeros(length, np.bool_)
    short: dict[str, np.typing.NDArray[np.bool_]] = {"Too many pods": columns.pods[:length] < 1}
    for name, amount in ask.others:
        is_short = columns.others.get(name, nothing)[:length] < amount
        if is_port(name):
            ports |= is_short
        else:
            short[f"Insufficient {name}"] = is_short
    for name, left, amount in (("cpu", columns.cpu, ask.cpu), ("memory", columns.memory, ask.memory)):
        if amount:
            short[f"Insufficient {name}"] = left[:length] < amount
    if ask.gpu.number:
        fits = fitting(columns, np.arange(length), ask.gpu, columns.gpu[:length]).sum(axis=1) >= ask.gpu.number
        said = _short_of_gpus(ask)
        short[said] = short.get(said, np.zeros(length, np.bool_)) | ~fits
    found = {_PORTS: int((rows & ports).sum())}
    found |= {reason: int((rows & ~ports & is_short).sum()) for reason, is_short in short.items()}
    left_over = rows & ~ports & ~np.logical_or.reduce(list(short.values()))
    for reason, is_met in _neighbours(fleet, ask):
        found[reason] = int((left_over & ~is_met).sum())
        left_over &= is_met
    found[_other_gpus(ask)] = int(left_over.sum())
    return {reason: count for reason, count in found.items() if count}


def _neighbours(fleet: Fleet, ask: PodAsk) -> Iterator[tuple[str, Bools]]:
    """Yields what keeps a pod away from nodes because of who is there, and which nodes are free of it."""
    kept_away = fleet.neighbourly(ask._replace(neighbours=()))
    nobody_minds = np.ones(fleet.columns.length, np.bool_) if kept_away is None else kept_away
    for kind, reason in _NEIGHBOURS.items():
        wishes = tuple(one for one in ask.neighbours if one.kind == kind)
        is_met = fleet.neighbourly(ask._replace(neighbours=wishes)) if wishes else None
        if is_met is not None:
            # With equal wishes of its own on both sides, it is the pod's own wish that is told.
            own = kind == APART
            yield reason, is_met if own else is_met | ~nobody_minds
    yield _KEPT_AWAY, nobody_minds


def _short_of_gpus(ask: PodAsk) -> str:
    """Returns what is short where GPUs are, by the name in which they were asked for."""
    asked_for = [name for name, _ in ask.others]
    if ALIYUN_MEMORY in asked_for:
        return f"Insufficient {ALIYUN_MEMORY}"
    if not ask.gpu.is_share:
        return f"Insufficient {NVIDIA_GPU}"
    return f"Insufficient {HAMI_MEMORY}" if ask.gpu.memory and NVIDIA_GPU in asked_for else _SHARES


def _other_gpus(ask: PodAsk) -> str:
    """Returns what is wrong with nodes that have enough of everything: their GPUs are others, or they are too few for a gang."""
    wants_some = ask.gpu.models or ask.gpu.refused_models or ask.gpu.devices
    return "node(s) didn't have the GPUs that were asked for" if wants_some else _TOO_FEW
