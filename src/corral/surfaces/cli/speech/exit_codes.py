"""Exit statuses: one table from errors to numbers, so that scripts can tell what to do next.

0    done
1    failed: somebody must change something first
2    the command line was not understood, or what it asks for is not valid
3    there is no such thing; not running (`corral status`)
4    the API does not know us or does not let us; running, but not well (`corral status`)
5    its state does not allow it: a conflict, the name is taken, or it has ended
6    it can never run here: no node is large enough
7    what was waited for did not come in time
8    the API cannot be reached, or does not answer
9    the job was lost to the infrastructure (`corral wait`)
10   a quota or a rule of the cluster refuses it
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

INVALID = 2
NOT_FOUND = 3
NOT_ALLOWED = 4
CONFLICT = 5
NEVER_FITS = 6
TIMED_OUT = 7
UNREACHABLE = 8
LOST = 9
REFUSED = 10

BY_CODE = {
    "not-running": NOT_RUNNING,
    "ambiguous-name": INVALID,
    "bad-config": INVALID,
    "bad-kubeconfig": INVALID,
    "bad-argument": INVALID,
    "bad-copy": INVALID,
    "bad-document": INVALID,
    "bad-fake-nodes": INVALID,
    "bad-function": INVALID,
    "bad-goal": INVALID,
    "bad-name": INVALID,
    "bad-object": INVALID,
    "bad-picture": INVALID,
    "bad-script": INVALID,
    "bad-setting": INVALID,
    "bad-submission": INVALID,
    "bad-change": INVALID,
    "bad-snapshot": INVALID,
    "bad-trace": INVALID,
    "bad-word": INVALID,
    "code-too-large": INVALID,
    "invalid": INVALID,
    "no-framework": INVALID,
    "no-image": INVALID,
    "no-kubeconfig": INVALID,
    "no-launcher": INVALID,
    "no-python": INVALID,
    "no-such-container": INVALID,
    "not-elastic": INVALID,
    "not-suspendable": INVALID,
    "no-such-instance": INVALID,
    "no-such-rank": INVALID,
    "other-namespace": INVALID,
    "out-of-bounds": INVALID,
    "unknown-context": INVALID,
    "unknown-framework": INVALID,
    "unknown-kind": INVALID,
    "unknown-policy": INVALID,
    "unreadable-file": INVALID,
    "not-found": NOT_FOUND,
    "bad-plugin-answer": NOT_ALLOWED,
    "forbidden": NOT_ALLOWED,
    "plugin-failed": NOT_ALLOWED,
    "unauthorized": NOT_ALLOWED,
    "already-exists": CONFLICT,
    "conflict": CONFLICT,
    "incomplete-job": CONFLICT,
    "not-ended": CONFLICT,
    "container-not-running": CONFLICT,
    "job-ended": CONFLICT,
    "never-fits": NEVER_FITS,
    "wait-timeout": TIMED_OUT,
    "api-timeout": UNREACHABLE,
    "api-unreachable": UNREACHABLE,
    "quota-exceeded": REFUSED,
    "refused-by-policy": REFUSED,
}
"""Codes whose exit status is not that of their family."""


def exit_status(error: CorralError) -> int:
    """Returns the exit status of an error."""
    if error.code in BY_CODE:
        return BY_CODE[error.code]
    if isinstance(error, RetryError):
        return TRY_AGAIN
    return BUG if isinstance(error, BugError) else FAILED
