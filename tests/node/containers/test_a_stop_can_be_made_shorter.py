"""A stop under way gets shorter when somebody asks for less grace, also while its hook still works."""

import asyncio
import signal

from corral.adapters.system.clock import SystemClock
from corral.engine.node.containers.record import Run
from corral.engine.node.pods.stopping import Stopping
from tests.node.containers.launching import PATIENCE, Launcher, until


def _stopped(run: Run, grace: float, shortened: float) -> bool:
    """Stops a run whose hook never ends, asks for less grace on the way, and returns whether the hook was given up."""
    hook_was_cut = False

    async def hook(_: float) -> None:
        nonlocal hook_was_cut
        try:
            await asyncio.Event().wait()
        finally:
            hook_was_cut = True

    async def stop() -> None:
        stopping = Stopping(run, SystemClock(), grace, hook, int(signal.SIGTERM))
        await asyncio.sleep(0)
        stopping.shorten(shortened)
        assert await asyncio.to_thread(run.holder.wait_gone, PATIENCE)
        stopping.cancel()

    asyncio.run(stop())
    return hook_was_cut


def test_a_hook_under_way_is_given_up_when_the_grace_is_shortened(launcher: Launcher) -> None:
    run = launcher.shell("trap '' TERM; echo ready; sleep 600 & wait; sleep 600")
    until(lambda: "ready" in launcher.log(run))
    assert _stopped(run, grace=300.0, shortened=0.0)
