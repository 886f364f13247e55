"""How many connections this process can hold: one file descriptor each, and some for itself."""

import resource

RESERVED = 128
"""Descriptors for the state file, logs, the listening socket and whatever a library opens."""
WANTED = 16_384


def connection_limit() -> int:
    """Raises the limit on open files as far as allowed; returns how many connections fit under it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return max((WANTED if soft == resource.RLIM_INFINITY else min(soft, WANTED)) - RESERVED, 64)
