"""When to start a child again: a pure decision from how it ended and how often.

The first end of a child that had been up for a while is answered at once, so a `kill -9` costs only the start-up time.
A child that keeps ending waits longer each time, with jitter, and is shown as a crash loop; it is never given up,
except when it says itself (exit status 70) that somebody must change something first.
"""

from typing import NamedTuple

PERMANENT_EXIT = 70
STEADY_SECONDS = 30.0
LONGEST_WAIT = 15.0
SHORTEST_WAIT = 0.2
LOOP_AFTER = 4


class Verdict(NamedTuple):
    """What follows from an end: the wait before the next start, or None to wait for a person; and the new streak."""

    wait: float | None
    streak: int

    @property
    def is_crash_loop(self) -> bool:
        """Tells whether the child has ended so often in a row that people should look."""
        return self.streak >= LOOP_AFTER


def after_exit(status: int, uptime: float, streak: int, jitter: float) -> Verdict:
    """Decides on one end of a child.

    `status` is the exit status, negative for a signal; `streak` counts the quick ends before this one; `jitter` is a
    random number in [0, 1). Waits run 0, 0.2, 0.4, 0.8 ... 15 s, each stretched or shrunk by up to a quarter.
    """
    if status == PERMANENT_EXIT:
        return Verdict(None, streak + 1)
    quick_ends = 1 if uptime >= STEADY_SECONDS else streak + 1
    if quick_ends == 1:
        return Verdict(0.0, 1)
    wait = min(LONGEST_WAIT, SHORTEST_WAIT * 2.0 ** min(quick_ends - 2, 16))
    return Verdict(wait * (0.75 + jitter / 2), quick_ends)


def spoken(status: int) -> str:
    """Returns how a child ended, for people: `exit status 1` or `signal 9`."""
    return f"signal {-status}" if status < 0 else f"exit status {status}"
