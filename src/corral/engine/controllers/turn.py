"""Whose turn it is: of several copies on one API only one acts, the others wait.

Against an API on this machine a file lock decides. The kernel gives it free the moment its holder dies, so a successor
takes over at once, and an idle cluster is not written to. Against an API elsewhere a Lease decides, as for every other
controller. Either is for efficiency; safety comes from fixed names, uids and versions in every write.
"""

import asyncio
import fcntl
import logging
import os
import socket
import threading
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from corral.control.leadership import Leadership, LeaseTimes
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.errors import PermanentError
from corral.kinds.references import ObjectKey

_log = logging.getLogger("corral.engine.controllers.turn")

Work = Callable[[Fence], Awaitable[None]]

LEASE_KEY = ObjectKey("kube-system", "corral-controllers")
_LEASE_TIMES = LeaseTimes(duration=8.0, renew_deadline=6.0, renew_every=2.0)


def is_on_this_machine(server: str) -> bool:
    """Whether an API address can only be reached from here."""
    host = urlsplit(server).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def lock_path(kubeconfig: str) -> str:
    """Returns the file that copies with the same kubeconfig lock: beside it, where nobody else can put one first."""
    return f"{os.path.abspath(kubeconfig)}.controllers.lock"


async def with_lock(path: str, work: Work) -> None:
    """Waits for the file lock, then works; the end of the process gives the lock back."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise PermanentError("no-lock", f"the lock file {path} cannot be opened: {error.strerror}") from error
    try:
        await _locked(descriptor)
        await work(_no_fence)
    finally:
        os.close(descriptor)


async def with_lease(runtime: Runtime, work: Work) -> None:
    """Waits for the Lease and works while it is held; begins again when it was lost."""
    identity = f"{socket.gethostname()}_{os.getpid()}_{runtime.randomness.token()}"
    leadership = Leadership(
        runtime.store, LEASE_KEY, identity, clock=runtime.clock, randomness=runtime.randomness, times=_LEASE_TIMES
    )
    await leadership.lead(lambda term: work(term.check))


def _no_fence() -> None:
    """Lets every write pass: the lock cannot be lost while the process lives."""


async def _locked(descriptor: int) -> None:
    """Returns when the lock is ours; waiting happens in a thread of its own, which ends with the process."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    except BlockingIOError:
        _log.info("waiting for the end of another copy")
    loop = asyncio.get_running_loop()
    ours = asyncio.Event()

    def wait() -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        loop.call_soon_threadsafe(ours.set)

    threading.Thread(target=wait, name="controllers-lock", daemon=True).start()
    await ours.wait()
