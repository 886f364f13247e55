"""What a command says reaches a client that takes its time, also when the command has ended long before."""

import asyncio
import os
from typing import Any

from corral.adapters.kubelet_api.channels import STDOUT, Message, Wanted
from corral.adapters.kubelet_api.doors import Streams
from corral.adapters.kubelet_api.session import QUIET_SECONDS, run_command

SAID = os.urandom(100_000)


class SlowClient:
    """Takes each piece only after a while."""

    def __init__(self) -> None:
        self.taken = b""
        self.told: dict[str, Any] = {}

    async def receive(self) -> Message | None:
        await asyncio.Event().wait()
        return None

    async def send(self, channel: int, data: bytes) -> None:
        await asyncio.sleep(QUIET_SECONDS * 1.5)
        if channel == STDOUT:
            self.taken += data

    async def finish(self, status: dict[str, Any]) -> None:
        self.told = status


class Ended:
    """A command that has said everything and ended."""

    async def wait(self) -> int:
        return 0

    def hang_up(self) -> None:
        """Nothing is left to tell."""


def test_a_slow_client_gets_everything() -> None:
    client = SlowClient()

    async def start(streams: Streams) -> Ended:
        # The pipe does not hold everything at once, so somebody must write on while the client reads.
        handle = os.dup(streams.stdout)
        asyncio.get_running_loop().run_in_executor(None, _write, handle)
        return Ended()

    async def run() -> None:
        wanted = Wanted(argv=("true",), stdin=False, stdout=True, stderr=False, tty=False)
        await run_command(client, wanted, start)

    asyncio.run(run())
    assert client.taken == SAID
    assert client.told["status"] == "Success"


def _write(handle: int) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(SAID)
