"""When a gang would find places if those that run end as they are expected to: what counting GPUs alone does not see."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from corral.placement.admission.ground import Ground
from corral.placement.admission.order import Entry
from corral.placement.asks import Plan
from corral.placement.estimates.ahead import left_of_declared
from corral.placement.estimates.kinds import Kind
from corral.placement.estimates.run_times import RunTimes

_MIDDLE = np.array([0.5])


def wait_for_places(ground: Ground, entry: Entry, known: RunTimes, counted: str, now: float) -> float | None:
    """Returns how long it takes until enough gangs have ended, one after the other; None when it never is enough."""
    ends = sorted(
        (
            _left(
                known,
                Kind(one.claim.gang.queue, ground.held(uid).get(counted, 0)),
                one.claim.run_time,
                now - one.started,
            ),
            uid,
        )
        for uid, one in ground.running.items()
    )
    with ground.settled():

        def fits_after(number: int) -> bool:
            with ground.room.draft():
                _release(ground, [uid for _, uid in ends[:number]])
                return isinstance(ground.room.plan(entry.claim.gang), Plan)

        if not fits_after(len(ends)):
            return None
        number = bisect_left(range(len(ends)), True, key=fits_after)
    return ends[number - 1][0] if number else 0.0


def _left(known: RunTimes, kind: Kind, declared: float | None, elapsed: float) -> float:
    if declared is not None:
        return left_of_declared(declared, elapsed)
    return float(known.remaining(kind, elapsed, _MIDDLE)[0])


def _release(ground: Ground, gangs: Sequence[str]) -> None:
    for uid in gangs:
        for seat in ground.running[uid].seats:
            ground.room.release(seat.uid)
