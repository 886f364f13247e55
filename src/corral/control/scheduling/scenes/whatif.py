"""What a scheduler makes of a snapshot: who starts at once and where, who waits and why, and, run times drawn, for how long. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from corral.control.scheduling.admission_desk import TERMS
from corral.control.scheduling.crowd import Known, Standing
from corral.control.scheduling.scenes.expecting import learn, past_of
from corral.control.scheduling.scenes.scene import NO_QUEUE, Scene, Turn
from corral.control.scheduling.scenes.snapshot import Snapshot
from corral.kinds.scheduling.ledger import Decision
from corral.placement.admission.amounts import CPU, GPU, amounts_of_gang
from corral.placement.admission.claims import Waiting
from corral.placement.admission.cycle import Eviction, Migration
from corral.placement.asks import WHOLE, PodAsk
from corral.placement.estimates.ahead import counted_of, left_of_declared
from corral.placement.estimates.kinds import Kind
from corral.placement.estimates.run_times import RunTimes
from corral.placement.fleet import Fleet
from corral.placement.offers import GpuOffer, NodeOffer
from corral.placement.potentials.policies import Policy, policy
from corral.placement.potentials.statistics import Statistics, statistics_of
from corral.placement.remedies.explanation import Terms as ToldTerms
from corral.placement.remedies.explanation import explain
from corral.placement.remedies.supplies import Job
from corral.placement.replay.bounds import most_of
from corral.placement.replay.forward import Forward, play_forward
from corral.placement.replay.fragments import Fragments, fragments_of

_EXPLAINED = 200
"""So many of the line are explained node by node; of the others it is told what admission said."""
_TERMS = TERMS._replace(resizes=False)


class WaitingGang(NamedTuple):
    """A gang that does not start at once."""

    uid: str
    job: str
    gpus: int
    """Thousandths of those that it needs to start."""
    pods: int
    turn: Turn | None
    code: str
    sentence: str
    waited: float


class Moved(NamedTuple):
    """A gang that must give way."""

    job: str
    why: str
    beneficiary: str


class Held(NamedTuple):
    """Thousandths of GPUs."""

    there: int
    given: int


class Outcome(NamedTuple):
    """What became of a snapshot."""

    before: Held
    after: Held
    fragments: Fragments
    started: tuple[tuple[str, Decision], ...]
    """The pods that get their place, each with the job behind it."""
    moved: tuple[Moved, ...]
    waiting: tuple[WaitingGang, ...]
    most: int
    """What no scheduler could pass that may place everything anew."""
    unreadable: tuple[str, ...]


def rule_for(name: str, snapshot: Snapshot) -> Policy:
    """Returns a policy by name: the default begins with nothing known, as the scheduler does, others with the mix of all pods."""
    return policy() if name == "default" else policy(name, mix_of_pods(Scene(snapshot)))


def outcome_of(snapshot: Snapshot, rule: Policy) -> Outcome:
    """Lets a scheduler look at a snapshot once."""
    scene = Scene(snapshot, rule)
    before = held_of(scene.fleet)
    jobs = {one.uid: scene.shown(one.gang, "") for one in scene.board.crowd}
    decided = scene.decide()
    fragments = fragments_of(scene.fleet, mix_of_pods(scene))
    most = most_of([_bare(one) for one in scene.fleet.offers.values()], list(_asks(scene)))
    after = held_of(scene.fleet)
    return Outcome(
        before,
        after,
        fragments,
        tuple((jobs[one.uid], one) for one in sorted(decided.decisions, key=lambda one: one.key)),
        tuple(_moved(scene, one) for some in (decided.evictions, decided.migrations) for one in some),
        tuple(_waiting(scene)),
        max(most, after.given),
        tuple(scene.unreadable),
    )


def played(snapshot: Snapshot, rule: Policy, seed: int) -> Forward | str:
    """Plays the line forward with run times that are drawn; or returns why nobody can."""
    scene = Scene(snapshot, rule, terms=_TERMS)
    past = past_of(scene.desk, snapshot.runs)
    known = {counted: learn(past, counted, scene.now).starts.run_times for counted in (GPU, CPU)}
    line = [one.claim for one in scene.admission.line]
    running = (one.claim for one in scene.admission.ground.running.values())
    everybody = [*(one for one in line if one.gang.queue in scene.desk.queues), *running]
    unsaid = [one for one in everybody if one.run_time is None and not _is_known(one, known)]
    if unsaid:
        return (
            f"too few jobs have ended here to know how long they run, and {len(unsaid)} of {len(everybody)} gangs"
            " do not say it themselves"
        )
    return play_forward(scene.admission, partial(_length, known, seed), scene.now)


def held_of(fleet: Fleet) -> Held:
    """Returns what there is on all nodes, and what of it is given out."""
    there = sum(gpu.milli for offer in fleet.offers.values() for gpu in offer.gpus)
    columns = fleet.columns
    return Held(there, there - int(np.maximum(columns.gpu[: columns.length], 0).sum()))


def mix_of_pods(scene: Scene) -> Statistics:
    """Returns the mix of all pods that are there."""
    return statistics_of(one.request.ask for one in scene.board.crowd)


def _moved(scene: Scene, one: Eviction | Migration) -> Moved:
    why = one.reason if isinstance(one, Eviction) else "moved"
    return Moved(scene.shown(one.gang, ""), why, scene.shown(one.beneficiary, ""))


def _waiting(scene: Scene) -> Iterator[WaitingGang]:
    gangs = dict.fromkeys(one.gang for one in scene.board.waiting())
    found = [(scene.turn(gang), gang) for gang in gangs]
    jobs = scene.jobs("")
    ordered = sorted(found, key=lambda one: (one[0].queue, one[0].place) if one[0] else ("", 0))
    for at, (turn, gang) in enumerate(ordered):
        first = next(
            one for one in scene.board.crowd.members(gang) if one.standing in (Standing.WAITING, Standing.HELD_BACK)
        )
        asked = scene.gang(gang)
        code, sentence = _reason(scene, first, jobs if at < _EXPLAINED else None)
        needs = amounts_of_gang(asked).get(GPU, 0) if asked is not None else first.request.ask.gpu.total
        pods = asked.minimum if asked is not None else 1
        waited = max(scene.now - first.arrived, 0.0)
        yield WaitingGang(gang, scene.shown(gang, ""), needs, pods, turn, code, sentence, waited)


def _reason(scene: Scene, first: Known, jobs: Sequence[Job] | None) -> tuple[str, str]:
    if complaint := first.request.complaint or first.membership.complaint:
        return "not-understood", complaint
    if missing := scene.missing_group(first):
        return "members-missing", f"{missing.resource.kind} {missing.key} is not there"
    asked, refusal = scene.gang(first.gang), scene.board.refusal_of(first.gang)
    namespace = first.view.metadata.namespace
    terms = ToldTerms(with_remedies=False, books=scene.books(namespace))
    is_told = asked is not None and jobs is not None
    found = (
        explain(scene.fleet, asked, scene.room.policy, jobs or (), terms=terms)
        if is_told and asked is not None
        else None
    )
    if found is not None and (refusal is None or refusal.code not in NO_QUEUE):
        return found.code, found.sentence
    return (refusal.code, refusal.sentence.rstrip(".")) if refusal is not None else ("fits", "it has not had its turn")


def _asks(scene: Scene) -> Iterator[PodAsk]:
    """Yields what all pods ask that hold room or wait, shares of memory as parts of the largest GPU: so a bound stays one."""
    largest = max((gpu.memory for offer in scene.fleet.offers.values() for gpu in offer.gpus), default=0)
    for one in scene.board.crowd:
        ask = one.request.ask
        gpu = ask.gpu
        if gpu.memory and gpu.milli >= WHOLE and largest:
            gpu = gpu._replace(milli=max(1, min(WHOLE, gpu.memory * WHOLE // largest)), memory=0)
        yield PodAsk(ask.cpu, ask.memory, gpu._replace(devices=(), refused_models=()))


def _bare(offer: NodeOffer) -> NodeOffer:
    """Returns what a node has, without what tells it from others like it."""
    gpus = tuple(GpuOffer(milli=gpu.milli) for gpu in offer.gpus)
    return NodeOffer(offer.name, offer.cpu, offer.memory, pods=offer.pods, gpus=gpus, model=offer.model)


def _kind(claim: Waiting) -> tuple[str, Kind]:
    needs = amounts_of_gang(claim.gang._replace(members=tuple(one._replace(held="") for one in claim.gang.members)))
    counted = counted_of(needs)
    return counted, Kind(claim.gang.queue, needs.get(counted, 0))


def _is_known(claim: Waiting, known: Mapping[str, RunTimes]) -> bool:
    counted, kind = _kind(claim)
    return known[counted].knows(kind)


def _length(known: Mapping[str, RunTimes], seed: int, claim: Waiting, elapsed: float) -> float:
    if claim.run_time is not None:
        return left_of_declared(claim.run_time, elapsed)
    counted, kind = _kind(claim)
    chance = np.random.default_rng([seed, *claim.uid.encode()]).random(1)
    return float(known[counted].remaining(kind, elapsed, chance)[0])


def waits_by_size(waiting: Sequence[WaitingGang], runs: Sequence[Forward]) -> dict[str, list[float]]:
    """Returns by the GPUs of a gang how long it waits from now on, over all runs; never is infinite."""
    found: dict[str, list[float]] = {}
    for one in sorted(waiting, key=lambda one: one.gpus):
        size = f"{one.gpus / WHOLE:g}"
        found.setdefault(size, []).extend(run.starts.get(one.uid, float("inf")) for run in runs)
    return found
