"""A long-running part of a cluster, such as the operator: how it begins, is watched, takes turns with its siblings, and ends."""

import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from corral.assembly.access import access_from_outside, is_embedded
from corral.errors import CorralError, first_cause

if TYPE_CHECKING:
    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.control.event_recorder import Component
    from corral.control.health import Verdict
    from corral.control.leadership import Leadership
    from corral.control.runtime import Runtime
    from corral.kinds.references import ObjectKey

_MOST_QUIET = 40.0
"""A server of which nothing was heard for so many seconds is asked."""


class PartFlags(NamedTuple):
    """What the command line of every such part says."""

    kubeconfig: str = ""
    context: str = ""
    metrics_bind_address: str = ":8080"
    health_probe_bind_address: str = ":8081"
    leader_elect: bool = True
    stale_after: float = 90.0
    log_format: str = "text"


class Part(Protocol):
    """What works, and tells how it is at any time."""

    async def run(self) -> None:
        """Works until cancelled."""

    def liveness(self) -> "Iterable[Verdict]":
        """Returns how its parts are."""

    def readiness(self) -> "Iterable[Verdict]":
        """Returns what keeps it from working, too."""

    def metrics(self) -> str:
        """Returns its numbers."""


def run_until_stopped(flags: PartFlags, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Begins the log, and works until SIGTERM or SIGINT."""
    import asyncio
    import logging

    from corral.adapters.system.log_lines import begin_logging

    begin_logging("json" if flags.log_format == "json" else "text")
    try:
        asyncio.run(work())
    except Exception as error:
        cause = first_cause(error)
        if not isinstance(cause, CorralError):  # nobody foresaw it: its place must be found later
            told = f"{type(cause).__name__}: {cause}"
            logging.getLogger("corral.part").critical("ends by a fault", exc_info=cause, extra={"error": told})
        raise


@asynccontextmanager
async def connected(flags: PartFlags, name: str) -> "AsyncIterator[AsyncClient]":
    """Yields a client of the API, in the name of the part."""
    from corral.adapters.kubernetes.async_client import AsyncClient

    async with AsyncClient(access_from_outside(flags.kubeconfig, flags.context), manager=f"corral-{name}") as client:
        yield client


async def keep(flags: PartFlags, name: str, client: "AsyncClient", part: Part) -> None:
    """Lets a part work, and shows its health and its numbers, until the process is told to stop."""
    import asyncio

    from corral.adapters.probes.server import ProbeServer, health_page, metrics_page
    from corral.adapters.system.signals import until_stopped

    health = {"/healthz": health_page(part.liveness), "/readyz": health_page(part.readiness)}
    places = [
        (flags.health_probe_bind_address, health),
        (flags.metrics_bind_address, {"/metrics": metrics_page(part.metrics)}),
    ]
    async with ProbeServer(places):
        note = asyncio.create_task(_note_embedded(client, name), name="note")
        try:
            await until_stopped(part.run())
        finally:
            note.cancel()


async def _note_embedded(client: "AsyncClient", name: str) -> None:
    """Warns of two parts that do the same work; a server that does not answer is told of elsewhere."""
    import logging

    try:
        is_ours = await is_embedded(client)
    except CorralError:
        return
    if is_ours:
        hint = f"this {name} is needed only beside `corral up --api-only`"
        logging.getLogger(f"corral.{name}").warning(
            "this is the embedded API, where `corral up` runs one of its own: two work against each other",
            extra={"part": name, "hint": hint},
        )


def namespace_of(client: "AsyncClient", given: str) -> str:
    """Returns where a part keeps what is its own: where it is told, in the namespace of its pod, or in that of the system."""
    in_pod = not client.access.context
    return given or (client.access.namespace if in_pod else "kube-system")


def runtime_on(
    client: "AsyncClient", flags: PartFlags, component: "Component", *, most_quiet: float = _MOST_QUIET
) -> "Runtime":
    """Returns what a part works with; a server is asked when nothing was heard of it for a part of what counts as stale."""
    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.randomness import SystemRandomness
    from corral.control.object_cache import CacheSettings
    from corral.control.runtime import runtime_of

    quiet = min(_MOST_QUIET, most_quiet, flags.stale_after * 0.45)
    settings = CacheSettings(quiet_limit=quiet, stale_after=flags.stale_after)
    return runtime_of(
        client, clock=SystemClock(), randomness=SystemRandomness(), component=component, settings=settings
    )


def leadership_by(client: "AsyncClient", flags: PartFlags, lease: "ObjectKey") -> "Leadership | None":
    """Returns how a part takes turns with its siblings; None when it shall not."""
    import socket

    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.randomness import SystemRandomness
    from corral.control.leadership import Leadership

    if not flags.leader_elect:
        return None
    chance = SystemRandomness()
    identity = f"{socket.gethostname()}_{os.getpid()}_{chance.token()}"
    return Leadership(client, lease, identity, clock=SystemClock(), randomness=chance)
