"""When and where the first gang that waits for room will start, and what is kept for it until then.

The gangs that run are taken to end one after the other as their run times say, those of unknown length last, the oldest of them
first. The first gang in line is planned on what is left after each; the first plan there is says when and where (EASY backfilling,
Lifka 1995, on places instead of counts). What of these seats is free already is kept by wedges: whoever will not have ended by then
must do without it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import NamedTuple

from corral.placement.admission.cycle import Reservation
from corral.placement.admission.ground import Ground, holds_of, seats_of
from corral.placement.admission.order import Entry
from corral.placement.admission.wedges import Hold, wedges_of
from corral.placement.asks import Gang, Plan, Refusal

_Ends = list[tuple[float, float, str]]
"""When each gang ends, when it started, and its uid."""


class Kept(NamedTuple):
    """A reservation, and the wedges that keep it while others are admitted."""

    reservation: Reservation
    wedges: tuple[Hold, ...]
    trusts_until: float
    """Until when those who say that they will have ended in time may use what is kept. After that what is kept drains, whatever run
    times say; also when nobody knows when the gang can start."""


def reserve(ground: Ground, entry: Entry, now: float, latest: float | None = None) -> Kept | None:
    """Returns what is to be kept for a gang that does not fit now; None when it would not fit if all gangs had ended.

    `latest` is until when run times are trusted; None trusts them until it is to start.
    """
    found = _first_plan(ground, entry, now)
    if found is None:
        return None
    answer, starts, after = found
    seats = seats_of(entry.claim.gang, answer)
    going = [hold for uid in after for hold in holds_of(ground.running[uid])]
    going += ground.leaving.values()
    reservation = Reservation(entry.uid, starts, answer.seats, tuple(after))
    return Kept(
        reservation, wedges_of(entry.uid, seats, going), -inf if starts == inf else starts if latest is None else latest
    )


@contextmanager
def kept(ground: Ground, wedges: tuple[Hold, ...]) -> Iterator[None]:
    """Opens a block in which wedges stand."""
    with ground.room.draft():
        for wedge in wedges:
            ground.room.hold(*wedge)
        yield


def _first_plan(ground: Ground, entry: Entry, now: float) -> tuple[Plan, float, list[str]] | None:
    """Returns the first plan there will be, when, and which gangs have ended by then."""
    running = ((one.expected_end(now), one.started, uid) for uid, one in ground.running.items())
    ends = sorted(one for one in running if one[2] not in ground.evicted)
    room, gang = ground.room, entry.claim.gang
    with ground.settled():
        first = _enough(ground, entry.needs, ends)
        if first is None:
            return None
        _release(ground, ends[:first])
        low, step, answer = first, 1, room.plan(gang)
        while isinstance(answer, Refusal) and low < len(ends):
            high = min(low + step, len(ends))
            with room.draft() as tried:
                _release(ground, ends[low:high])
                answer = room.plan(gang)
                if isinstance(answer, Refusal):
                    tried.keep()
            if isinstance(answer, Plan):
                low, answer = _narrowed(ground, gang, ends, (low, high), answer)
            else:
                low, step = high, 2 * step
    if isinstance(answer, Refusal):
        return None
    return answer, max(ends[low - 1][0], now) if low else now, [uid for _, _, uid in ends[:low]]


def _narrowed(ground: Ground, gang: Gang, ends: _Ends, between: tuple[int, int], answer: Plan) -> tuple[int, Plan]:
    """Returns the first number of ends after which there is a plan; the room is as after the lower of the two."""
    low, high = between
    while high - low > 1:
        middle = (low + high) // 2
        with ground.room.draft() as tried:
            _release(ground, ends[low:middle])
            found = ground.room.plan(gang)
            if isinstance(found, Plan):
                high, answer = middle, found
            else:
                low = middle
                tried.keep()
    return high, answer


def _enough(ground: Ground, needs: Mapping[str, int], ends: _Ends) -> int | None:
    """Returns after how many ends all nodes together have enough, None when they never have."""
    lacking = ground.lacking(dict(needs))
    for count, (_, _, uid) in enumerate(ends):
        if not lacking:
            return count
        held = ground.held(uid)
        lacking = {name: amount - held.get(name, 0) for name, amount in lacking.items() if amount > held.get(name, 0)}
    return None if lacking else len(ends)


def _release(ground: Ground, ends: _Ends) -> None:
    for _, _, uid in ends:
        for seat in ground.running[uid].seats:
            ground.room.release(seat.uid)
