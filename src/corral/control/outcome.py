"""What a reconcile ends in when it does not fail."""

from typing import NamedTuple


class Done(NamedTuple):
    """Nothing more to do until something changes."""


class RetryAfter(NamedTuple):
    """Look again after so many seconds, even if nothing changes: a deadline, a time to live, a wait."""

    seconds: float


Outcome = Done | RetryAfter | None

DONE = Done()
