"""A command that joined a container, as the doors need it: it is waited for in the loop, and hung up on."""

import asyncio
import signal

from corral.engine.node.containers.joining import Joined
from corral.engine.node.containers.record import KILLED
from corral.engine.node.containers.watching import EndWatch


class JoinedCommand:
    """Reaps the command and forgets its record at its end, whether somebody waits or not."""

    def __init__(self, joined: Joined) -> None:
        self._joined = joined
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._watch = EndWatch(joined.process, self._finish)

    async def wait(self) -> int:
        """Returns the exit code when the command has ended."""
        return await asyncio.shield(self._ended)

    def hang_up(self) -> None:
        """Sends SIGHUP to the command and its group, as a terminal does; what ignores that goes on in its container."""
        if not self._ended.done():
            self._joined.process.send_group(signal.SIGHUP)

    def kill(self) -> None:
        """Kills it, if it still runs."""
        self._joined.kill()

    def _finish(self) -> None:
        self._joined.forget()
        code = self._watch.exit_code
        self._ended.set_result(KILLED if code is None else code)
