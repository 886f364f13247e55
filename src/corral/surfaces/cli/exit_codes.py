"""Exit statuses: one table from errors to numbers, so that scripts can tell what to do next.

0    done
1    failed: somebody must change something first
2    the command line was not understood
3    not running (`corral status`)
4    running, but not well (`corral status`): a process has failed, or the API does not answer as it should
70   a fault of Corral itself
75   failed for now: the same command may succeed later
130  interrupted
"""

from corral.errors import BugError, CorralError, RetryError

DONE = 0
FAILED = 1
NOT_RUNNING = 3
DEGRADED = 4
BUG = 70
TRY_AGAIN = 75
INTERRUPTED = 130

BY_CODE = {"not-running": NOT_RUNNING}
"""Codes whose exit status is not that of their family."""


def exit_status(error: CorralError) -> int:
    """Returns the exit status of an error."""
    if error.code in BY_CODE:
        return BY_CODE[error.code]
    if isinstance(error, RetryError):
        return TRY_AGAIN
    return BUG if isinstance(error, BugError) else FAILED
