"""The best place for one pod: a row of the fleet, and which of its GPUs."""

import hashlib

import numpy as np

from corral.placement.asks import PodAsk, Seat
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.fleet.wiring import best_set
from corral.placement.gangs.keeping import is_open, without_kept
from corral.placement.potentials.evaluation import cheapest_gpus
from corral.placement.potentials.policies import Policy
from corral.placement.potentials.table import NOWHERE, look, look_first


def best_seat(fleet: Fleet, policy: Policy, uid: str, ask: PodAsk, among: Bools | None = None) -> Seat | None:
    """Returns where a pod costs least, among some rows or all; None when it fits nowhere but where seats are kept for others."""
    row = _best(fleet, policy, uid, ask, among)
    if row is None:
        return None
    if is_open(fleet, policy, ask, row):
        return seat_on(fleet, policy, uid, ask, row)
    for unkept in without_kept(fleet, policy, ask):
        rows = unkept if among is None or unkept is None else among & unkept
        row = _best(fleet, policy, uid, ask, among if rows is None else rows)
        if row is not None:
            return seat_on(fleet, policy, uid, ask, row)
    return None


def _best(fleet: Fleet, policy: Policy, uid: str, ask: PodAsk, among: Bools | None) -> int | None:
    if among is None and not policy.is_drawn:
        return _least(look_first(fleet, policy, ask).keys)
    keys = look(fleet, policy, ask).keys
    keys = keys if among is None else np.where(among, keys, NOWHERE)
    return _drawn(keys, uid) if policy.is_drawn else _least(keys)


def seat_on(fleet: Fleet, policy: Policy, uid: str, ask: PodAsk, row: int) -> Seat:
    """Returns the seat of a pod on a row where it fits."""
    return Seat(uid, fleet.names[row], _devices(fleet, policy, row, ask) if ask.gpu.number else ())


def _devices(fleet: Fleet, policy: Policy, row: int, ask: PodAsk) -> tuple[int, ...]:
    number = ask.gpu.number
    if ask.gpu.is_share:
        if number == 1:
            return (int(look(fleet, policy, ask).devices[row]),)
        return tuple(sorted(cheapest_gpus(fleet, policy, ask, row)[:number]))
    usable = cheapest_gpus(fleet, policy, ask, row)
    matrix = fleet.wiring(row) if len(usable) > number else ()
    if matrix:
        return best_set(matrix, sum(1 << index for index in usable), number)
    return tuple(usable[:number])


def _least(keys: Ints) -> int | None:
    row = int(keys.argmin()) if len(keys) else -1
    return row if row >= 0 and keys[row] != NOWHERE else None


def _drawn(keys: Ints, uid: str) -> int | None:
    rows = np.flatnonzero(keys != NOWHERE)
    if not len(rows):
        return None
    return int(rows[int.from_bytes(hashlib.blake2b(uid.encode(), digest_size=8).digest(), "big") % len(rows)])
