"""The server as a process: `python -m corral.engine.apiserver --data DIR --token-file FILE --listen-fd FD`."""

import argparse
import asyncio
import gc
import os
import socket
import sys
from pathlib import Path

import uvicorn

from corral.engine.apiserver.app import App
from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.http.capacity import connection_limit
from corral.engine.apiserver.http.protocol import LimitedProtocol
from corral.engine.apiserver.upkeep import Upkeep
from corral.engine.apiserver.world import World
from corral.errors import CorralError, PermanentError, RetryError

GRACE_SECONDS = 5
PERMANENT_EXIT = 70
"""Somebody must change something first; the supervisor does not try again."""
RETRY_EXIT = 75
"""A later start may succeed."""


class _Server(uvicorn.Server):
    """uvicorn's server; when it stops, it ends watches and followed logs first, which would otherwise go on for an hour.

    It stops by itself when its state file is no longer at its path: writes to a deleted file must not be acknowledged.
    """

    def __init__(self, config: uvicorn.Config, world: World, state: Path) -> None:
        super().__init__(config)
        self._world = world
        self._state = state
        self._opened = state.stat()
        self.has_lost_state = False

    async def on_tick(self, counter: int) -> bool:
        """Looks for the state file once a second; uvicorn calls this ten times as often."""
        if counter % 10 == 0:
            try:
                self.has_lost_state = not os.path.samestat(self._state.stat(), self._opened)
            except (FileNotFoundError, NotADirectoryError):
                self.has_lost_state = True
        return await super().on_tick(counter) or self.has_lost_state

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._world.watches.close()
        self._world.streams.close()
        await super().shutdown(sockets)


async def serve(data: Path, token: str, listener: socket.socket) -> None:
    """Serves until told to stop."""
    world = await started_world(data)
    world.node_token = token
    host, port = listener.getsockname()[:2]
    upkeep = Upkeep(world)
    app = App(world, token, f"{host}:{port}", upkeep)
    config = uvicorn.Config(
        app,
        http=LimitedProtocol,
        ws="none",
        lifespan="off",
        loop="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        backlog=2048,
        timeout_keep_alive=120,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    gc.freeze()
    # Requests make many short-lived dicts and no cycles; the default threshold would scan them for nothing.
    gc.set_threshold(50_000, 20, 50)
    upkeep.begin()
    try:
        server = _Server(config, world, data / "state.db")
        app.metrics.connections = lambda: len(server.server_state.connections)
        await server.serve(sockets=[listener])
    finally:
        upkeep.end()
        await world.store.close()
    if server.has_lost_state:
        raise PermanentError(
            "state-gone",
            f"{data / 'state.db'} was removed or replaced while it was in use",
            hint="`corral down`; then put it back from a copy, or let `corral doctor --salvage` make what it can of the rest",
        )


def main() -> int:
    """Reads the command line and serves; a problem with the state is one clear line and exit code 70, or 75."""
    parser = argparse.ArgumentParser(prog="corral.engine.apiserver", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="directory of the state file")
    parser.add_argument("--token-file", type=Path, required=True, help="file with the bearer token")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--listen-fd", type=int, help="number of an inherited listening socket")
    where.add_argument("--port", type=int, help="port to listen on, on 127.0.0.1; 0 for any")
    given = parser.parse_args()
    os.umask(0o077)  # the state holds secrets
    LimitedProtocol.most_connections = connection_limit()
    if given.listen_fd is not None:
        listener = socket.socket(fileno=given.listen_fd)
    else:
        listener = socket.create_server(("127.0.0.1", given.port), backlog=2048)
    try:
        asyncio.run(serve(given.data, given.token_file.read_text().strip(), listener))
    except CorralError as error:
        print(f"error: {error.message}\nhint: {error.hint}", file=sys.stderr)
        return RETRY_EXIT if isinstance(error, RetryError) else PERMANENT_EXIT
    return 0


if __name__ == "__main__":
    sys.exit(main())
