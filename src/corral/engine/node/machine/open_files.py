"""How many files a process may have open.

The node takes all that it is allowed, since every container costs it some. Its containers get back what the user's own
programs have: some programs do not work with the higher numbers that would be possible then.
"""

import resource

from corral.engine.supervisor.host import IS_LINUX

_ENOUGH = 1 << 20
"""More than this is never needed, and the largest numbers are slow to walk through on some systems."""


def raise_limit() -> int:
    """Lets this process have as many files open as it may; returns how many it could have before."""
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if most == resource.RLIM_INFINITY else min(most, _ENOUGH)
    if before != resource.RLIM_INFINITY and before < wanted:
        # A system may allow less than it says; then everything stays as it was.
        _set(wanted, most)
    return before


def limit_of(pid: int) -> int | None:
    """Returns how many files another process may have open, None when that is not known."""
    if not IS_LINUX:
        return None
    try:
        return resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]
    except (OSError, ValueError):
        return None


def take_limit(count: int | None) -> None:
    """Lets the calling process, and all that it starts, have so many files open, or what is allowed; None changes nothing."""
    if count is not None:
        _set(count, resource.getrlimit(resource.RLIMIT_NOFILE)[1])


def _set(count: int, most: int) -> None:
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, most))
    except (OSError, ValueError):
        return


def as_word(count: int | None) -> str:
    """Returns a limit as the shell takes it; empty for none of ours."""
    if count is None:
        return ""
    return "unlimited" if count == resource.RLIM_INFINITY else str(count)
