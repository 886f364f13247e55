"""How long a container waits before it is started again: the numbers of kubelet."""

from corral.engine.node.pods.sight import RunSight

FIRST_WAIT = 10.0
LONGEST_WAIT = 300.0
STEADY_SECONDS = 600.0
"""A run of this length wipes out what was before."""
_FIRST_TRY = 0.5
_LONGEST_TRY = 15.0


def restart_wait(latest: RunSight) -> float:
    """Returns the seconds between the end of a run and the next start: none, then 10, 20, 40 ... 300.

    A run that lasted is started again at once, and what follows is counted anew.
    """
    if latest.streak == 0 or _lasted(latest):
        return 0.0
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(latest.streak - 1, 16))


def next_streak(latest: RunSight) -> int:
    """Returns the streak of the run that follows one."""
    return 1 if _lasted(latest) else latest.streak + 1


def next_try(tries: int) -> float:
    """Returns the seconds until a refused start is tried again: half a second, doubling to fifteen."""
    return min(_LONGEST_TRY, _FIRST_TRY * 2.0 ** min(tries - 1, 16))


def _lasted(run: RunSight) -> bool:
    return run.ended is not None and run.ended - run.started >= STEADY_SECONDS
