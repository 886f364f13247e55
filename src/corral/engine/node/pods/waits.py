"""How long a container waits before it is started again: the numbers of kubelet."""

from corral.engine.node.pods.sight import RunSight

FIRST_WAIT = 10.0
LONGEST_WAIT = 300.0
STEADY_SECONDS = 600.0
"""A run of this length wipes out what was before."""
_FIRST_TRY = 0.5
_LONGEST_TRY = 15.0


def restart_wait(latest: RunSight, before: RunSight | None) -> float:
    """Returns the seconds between the end of a run and the next start: none, then 10, 20, 40 ... 300.

    Runs are counted by the restart count. After a run that lasted, the next two ends count as the first ones again; then the
    count goes on where it was, since only the last two runs are known.
    """
    if latest.number == 0 or _lasted(latest):
        return 0.0
    if before is not None and _lasted(before):
        return FIRST_WAIT
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(latest.number - 1, 16))


def next_try(tries: int) -> float:
    """Returns the seconds until a refused start is tried again: half a second, doubling to fifteen."""
    return min(_LONGEST_TRY, _FIRST_TRY * 2.0 ** min(tries - 1, 16))


def _lasted(run: RunSight) -> bool:
    return run.ended is not None and run.ended - run.started >= STEADY_SECONDS
