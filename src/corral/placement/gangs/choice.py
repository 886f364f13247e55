"""The best place for one pod: a row of the fleet and its GPUs."""

import hashlib

import numpy as np

from corral.placement.asks import PodAsk, Seat
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.potentials.evaluation import NOWHERE, usable_gpus
from corral.placement.potentials.outlook import Outlook
from corral.placement.potentials.policies import Policy
from corral.placement.potentials.table import table_of


def best_seat(fleet: Fleet, policy: Policy, uid: str, ask: PodAsk, among: Bools | None = None) -> Seat | None:
    """Returns where a pod costs least, among some rows or all; None when it fits nowhere."""
    keys = table_of(fleet, policy, ask).keys()
    if among is not None:
        keys = np.where(among, keys, NOWHERE)
    row = _drawn(keys, uid) if policy.is_drawn else _least(keys)
    if row is None:
        return None
    return Seat(uid, fleet.names[row], devices_on(fleet, policy, row, ask))


def _least(keys: Ints) -> int | None:
    row = int(keys.argmin()) if len(keys) else -1
    return row if row >= 0 and keys[row] != NOWHERE else None


def _drawn(keys: Ints, uid: str) -> int | None:
    rows = np.flatnonzero(keys != NOWHERE)
    if not len(rows):
        return None
    return int(rows[int.from_bytes(hashlib.blake2b(uid.encode(), digest_size=8).digest(), "big") % len(rows)])


def devices_on(fleet: Fleet, policy: Policy, row: int, ask: PodAsk) -> tuple[int, ...]:
    """Returns which GPUs of a row an ask gets that fits there."""
    if not ask.gpu.number:
        return ()
    device = table_of(fleet, policy, ask).device(row)
    if device >= 0:
        return (device,)
    outlook = Outlook(fleet.columns, np.array([row]), ask)
    usable = np.flatnonzero(usable_gpus(fleet, outlook)[0])
    return tuple(int(index) for index in usable[: ask.gpu.number])
