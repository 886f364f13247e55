"""The verifier believes every log that a scheduler wrote, and none that was changed: by one byte, by its order, or by a forger.

A forger seals what is changed anew, and everything after it, so that only what the log says can give it away. The logs are of random
clusters with gangs, shares, models, devices and pods that come and go.
"""

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random

import msgspec
import pytest

from corral.kinds.scheduling.names import GANG, GANG_SIZE, GANG_TOPOLOGY, GPU_DEVICES, GPU_MODELS, GPU_SHARE
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.asks import WHOLE, GpuAsk, PodAsk, Seat
from corral.placement.certificates import verifier
from corral.placement.certificates.certificate import (
    BEGINNING,
    Certificate,
    NodeThen,
    Taken,
    certificate_in,
    line_of,
    sealed,
)
from corral.placement.certificates.verifier import faults_in_log
from corral.placement.offers import GpuOffer
from tests.control.scheduling.scene import NOW, board, bound, carried_out, node, pod

LOGS = 12
MUTATIONS = 1_000
LINES = 50
PRODUCTS = ("NVIDIA-A100-SXM4-80GB", "Tesla-T4")
Log = Sequence[Certificate]


def test_it_is_short_enough_to_be_read() -> None:
    text = Path(verifier.__file__).read_text()
    tree = ast.parse(text)
    heads: list[ast.Module | ast.FunctionDef] = [tree, *(one for one in tree.body if isinstance(one, ast.FunctionDef))]
    words = {line for one in heads if ast.get_docstring(one) for line in _lines(one.body[0])}
    imports = {line for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom) for line in _lines(one)}
    code = [line for number, line in enumerate(text.splitlines(), 1) if line and number not in words | imports]
    assert len(code) <= LINES


def _lines(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


@cache
def live_log(seed: int) -> tuple[Certificate, ...]:
    """Returns what a scheduler leaves behind on a random cluster in two reigns."""
    chance, found = Random(seed), list[Certificate]()
    nodes = [
        node(
            f"node-{index}", gpus=4, labels={"rack": f"rack-{index % 2}", "nvidia.com/gpu.product": PRODUCTS[index % 2]}
        )
        for index in range(6)
    ]
    there: dict[str, SchedulingPod] = {}
    for epoch in (3, 5):
        scheduler = board(nodes, list(there.values()))
        for step in range(12):
            for one in _arriving(chance, f"{epoch}-{step}"):
                there[one.metadata.name] = one
                scheduler.take_pod(None, one, NOW)
            decided = scheduler.decide(NOW, 1_000, epoch)
            found += decided.certificates
            carried_out(scheduler, decided.decisions)
            for decision in decided.decisions:
                waited = there[decision.key.name]
                there[decision.key.name] = bound(waited, decision.node)
                scheduler.take_pod(waited, there[decision.key.name], NOW)
            for name in chance.sample(sorted(there), len(there) // 3):
                scheduler.take_pod(there.pop(name), None, NOW)
    return tuple(found)


def _arriving(chance: Random, name: str) -> list[SchedulingPod]:
    match chance.randrange(6):
        case 0:
            shares = {GPU_SHARE: chance.choice(("0.25", "0.5", "0.8"))}
            return [pod(f"{name}-{index}", metadata={"annotations": shares}) for index in range(2)]
        case 1:
            wish = chance.choice(({GPU_DEVICES: "0,3"}, {GPU_MODELS: "A100"}, {GPU_MODELS: "T4"}))
            return [pod(name, gpus=1, metadata={"annotations": wish})]
        case 2:
            return [pod(name, gpus=chance.choice((2, 4)), requests={"cpu": "20", "memory": "40Gi"})]
        case 3:
            return [pod(name, requests={"cpu": "8"})]
        case _:
            marks = {GANG_SIZE: "3", **({GANG_TOPOLOGY: "rack"} if chance.random() < 0.5 else {})}
            metadata = {"labels": {GANG: name}, "annotations": marks}
            return [pod(f"{name}-{index}", gpus=1, metadata=metadata) for index in range(3)]


def test_it_believes_all_that_schedulers_wrote() -> None:
    logs = [live_log(seed) for seed in range(LOGS)]
    assert [fault for log in logs for fault in faults_in_log(log)] == []
    given = [taken.ask.gpu for log in logs for one in log for taken in one.given]
    assert len(given) > 300
    assert any(ask.devices for ask in given)
    assert any(ask.models for ask in given)
    assert any(ask.is_share for ask in given)
    assert any(one.within for log in logs for one in log)


# --- changed by hand, and not sealed again ---


def test_it_believes_no_log_of_which_a_byte_was_changed() -> None:
    chance, believed = Random(1), list[str]()
    for number in range(MUTATIONS):
        lines = [line_of(one) for one in live_log(number % LOGS)]
        at = chance.randrange(len(lines))
        place = chance.randrange(len(lines[at]))
        fresh = chance.choice([one for one in b'0123456789abcxyz-"[], ' if one != lines[at][place]])
        lines[at] = lines[at][:place] + bytes([fresh]) + lines[at][place + 1 :]
        try:
            log = [certificate_in(line) for line in lines]
        except msgspec.MsgspecError:
            continue
        if not list(faults_in_log(log)):
            believed.append(f"byte {place} of {lines[at]!r}")
    assert believed == []


@pytest.mark.parametrize("how", ["left out", "twice", "swapped", "from the middle on", "a reign again"])
def test_it_believes_no_log_in_another_order(how: str) -> None:
    for seed in range(LOGS):
        log = list(live_log(seed))
        at = Random(seed).randrange(1, len(log) - 2)
        second = next(index for index, one in enumerate(log) if one.epoch == 5)
        changed = {
            "left out": log[:at] + log[at + 1 :] if log[at + 1].number != 1 else log[1:],
            "twice": [*log[: at + 1], *log[at:]],
            "swapped": [*log[:at], log[at + 1], log[at], *log[at + 2 :]],
            "from the middle on": log[1:],
            "a reign again": [*log, *log[second:]],
        }[how]
        assert list(faults_in_log(log)) == []
        assert list(faults_in_log(changed)) != []


# --- changed by a forger ---


def _given(one: Certificate, chance: Random, change: Callable[[Taken], Taken]) -> Certificate:
    """Changes one of the places that were given."""
    at = chance.randrange(len(one.given))
    return one._replace(given=(*one.given[:at], change(one.given[at]), *one.given[at + 1 :]))


def _asked(one: Certificate, chance: Random, change: Callable[[PodAsk], PodAsk]) -> Certificate:
    return _given(one, chance, lambda taken: taken._replace(ask=change(taken.ask)))


def _seated(one: Certificate, chance: Random, change: Callable[[Seat], Seat]) -> Certificate:
    return _given(one, chance, lambda taken: taken._replace(seat=change(taken.seat)))


def _node(one: Certificate, chance: Random, change: Callable[[NodeThen], NodeThen]) -> Certificate:
    at = chance.randrange(len(one.nodes))
    return one._replace(nodes=(*one.nodes[:at], change(one.nodes[at]), *one.nodes[at + 1 :]))


def _offer(one: Certificate, chance: Random, **said: object) -> Certificate:
    return _node(one, chance, lambda then: then._replace(offer=then.offer._replace(**said)))  # type: ignore[arg-type]


def _gpu(one: Certificate, chance: Random, **said: object) -> Certificate | None:
    """Changes what is asked of GPUs, when any are."""
    if not all(taken.ask.gpu.number for taken in one.given):
        return None
    return _asked(one, chance, lambda ask: ask._replace(gpu=ask.gpu._replace(**said)))  # type: ignore[arg-type]


def _of_another(one: Certificate, chance: Random) -> Certificate | None:
    """Gives a GPU that somebody else has the whole of."""
    for at, taken in enumerate(one.given):
        holds = next(then.holds for then in one.nodes if then.offer.name == taken.seat.node)
        whole = [device for held in holds if held.ask.gpu.milli == WHOLE for device in held.seat.devices]
        if whole and taken.ask.gpu.number == 1:
            fresh = taken._replace(seat=taken.seat._replace(devices=(chance.choice(whole),)))
            return one._replace(given=(*one.given[:at], fresh, *one.given[at + 1 :]))
    return None


def _held_by_all(then: NodeThen) -> NodeThen:
    offer = then.offer
    seat = Seat("somebody", offer.name, tuple(range(len(offer.gpus))))
    return then._replace(holds=(*then.holds, Taken(seat, PodAsk(offer.cpu, offer.memory, GpuAsk(len(offer.gpus))))))


FORGERIES: dict[str, Callable[[Certificate, Random], Certificate | None]] = {
    "a GPU of somebody else": _of_another,
    "a place twice": lambda one, _: one._replace(given=(*one.given, one.given[0])),
    "a place of one that has one": lambda one, chance: _node(
        one, chance, lambda then: then._replace(holds=(*then.holds, one.given[0]))
    ),
    "no places": lambda one, _: one._replace(given=(), nodes=()),
    "a pod left out": lambda one, _: one._replace(given=one.given[1:]) if one.seated == 0 else None,
    "a gang that needs more": lambda one, _: one._replace(minimum=one.seated + len(one.given) + 1),
    "a node that is not told of": lambda one, _: one._replace(nodes=one.nodes[1:]),
    "a node on which nothing is given": lambda one, chance: _offer(one, chance, name="elsewhere"),
    "a node told of twice": lambda one, _: one._replace(nodes=(*one.nodes, one.nodes[0])),
    "a place on another node": lambda one, chance: _seated(one, chance, lambda seat: seat._replace(node="elsewhere")),
    "a GPU that is not there": lambda one, chance: _seated(
        one, chance, lambda seat: seat._replace(devices=(*seat.devices[1:], 4))
    ),
    "a GPU before the first": lambda one, chance: _seated(
        one, chance, lambda seat: seat._replace(devices=(*seat.devices[1:], -1))
    ),
    "a GPU more than asked for": lambda one, chance: _seated(
        one, chance, lambda seat: seat._replace(devices=(*seat.devices, next(iter({0, 1, 2, 3} - {*seat.devices}), 9)))
    ),
    "the same GPU twice": lambda one, chance: (
        _seated(
            one, chance, lambda seat: seat._replace(devices=(*seat.devices, *seat.devices)) if seat.devices else seat
        )
        if all(taken.seat.devices for taken in one.given)
        else None
    ),
    "more GPUs asked for": lambda one, chance: _asked(
        one, chance, lambda ask: ask._replace(gpu=ask.gpu._replace(number=ask.gpu.number + 1))
    ),
    "more processors": lambda one, chance: _asked(one, chance, lambda ask: ask._replace(cpu=64_001)),
    "more memory": lambda one, chance: _asked(one, chance, lambda ask: ask._replace(memory=257 << 30)),
    "something the node has not": lambda one, chance: _asked(
        one, chance, lambda ask: ask._replace(others=(("rdma/hca", 1),))
    ),
    "other devices asked for": lambda one, chance: _gpu(one, chance, devices=("GPU-of-another-node",)),
    "another model asked for": lambda one, chance: _gpu(one, chance, models=("H100", "A100-PCIE")),
    "a model that is refused": lambda one, chance: _gpu(one, chance, refused_models=("a100", "T4")),
    "a node that takes nobody": lambda one, chance: _offer(one, chance, is_closed=True),
    "a node with fewer pods": lambda one, chance: _offer(one, chance, pods=0),
    "a node without GPUs": lambda one, chance: (
        _offer(one, chance, gpus=()) if all(taken.seat.devices for taken in one.given) else None
    ),
    "GPUs that are not well": lambda one, chance: (
        _offer(one, chance, gpus=(GpuOffer(milli=0),) * 4) if all(taken.seat.devices for taken in one.given) else None
    ),
    "a node that is full": lambda one, chance: _node(one, chance, _held_by_all),
    "a pod of another node": lambda one, chance: _node(
        one, chance, lambda then: then._replace(holds=(*then.holds, Taken(Seat("x", "elsewhere"), PodAsk())))
    ),
    "nodes of no domain": lambda one, chance: _offer(one, chance, labels=()) if one.within else None,
    "nodes of two domains": lambda one, chance: (
        _offer(one, chance, labels=(("rack", "another"),)) if one.within and len(one.nodes) > 1 else None
    ),
    "a number left out": lambda one, _: one._replace(number=one.number + 1),
    "an earlier epoch": lambda one, _: one._replace(epoch=one.epoch - 3),
}


def forged(log: Log, at: int, changed: Certificate) -> list[Certificate]:
    """Returns a log with one certificate changed, and everything from there on sealed anew."""
    made, last = list(log[:at]), log[at - 1].digest if at and changed.number != 1 else BEGINNING
    for one in (changed, *log[at + 1 :]):
        made.append(sealed(one, BEGINNING if one.number == 1 else last))
        last = made[-1].digest
    return made


def test_a_forger_who_changes_nothing_is_believed() -> None:
    """So it is not the sealing that gives one away."""
    for seed in range(LOGS):
        log = live_log(seed)
        assert forged(log, len(log) // 2, log[len(log) // 2]) == list(log)


def test_it_believes_none_of_a_thousand_forgeries() -> None:
    chance, tried, believed = Random(2), Counter[str](), list[str]()
    kinds = sorted(FORGERIES)
    while tried.total() < MUTATIONS:
        kind, log = kinds[tried.total() % len(kinds)], live_log(chance.randrange(LOGS))
        at = chance.randrange(len(log))
        changed = FORGERIES[kind](log[at], chance)
        if changed is None:
            continue
        tried[kind] += 1
        if not list(faults_in_log(forged(log, at, changed))):
            believed.append(f"{kind}: {changed}")
    assert believed == []
    assert min(tried[kind] for kind in kinds) >= MUTATIONS // len(kinds)
