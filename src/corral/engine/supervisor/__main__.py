"""Entry point of the background process: `python -m corral.engine.supervisor HOME PORT READY_FD`.

PORT is 0 for the remembered one. One JSON line on READY_FD tells the starter the port, or why there is none; then the
handle is closed. The start is short on purpose: the API server begins to load a few milliseconds after this.
"""

import json
import os
import sys

from corral.engine.supervisor.children import end_left_behind
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.listening import PortTakenError, listen, ports_for
from corral.engine.supervisor.locking import try_take
from corral.engine.supervisor.supervising import Supervisor, say


def main(root: str, wanted_port: int, ready_fd: int) -> int:
    """Becomes the supervisor of one home and returns its exit status."""
    _detach(ready_fd)
    home = Home(root)
    try:
        lock = try_take(home.lock_file)
        if lock is None:
            return _answer(ready_fd, {"problem": "already-running"})
        orphans = end_left_behind(home, grace=5.0)
        if orphans:
            say(f"ended what an earlier supervisor left running: {', '.join(orphans)}")
        known = wanted_port or home.port()
        listener = listen([known] if known else ports_for(home.root))
        port: int = listener.getsockname()[1]
        home.remember_port(port)
    except PortTakenError as error:
        return _answer(ready_fd, {"problem": "port-taken", "text": str(error)})
    except OSError as error:
        return _answer(ready_fd, {"problem": "refused", "error": [error.errno, error.strerror, error.filename]})
    supervisor = Supervisor(home, lock, listener.fileno(), port)
    supervisor.start_children()
    _answer(ready_fd, {"port": port})
    say(f"supervising {home.root} on 127.0.0.1:{port}")
    supervisor.run()
    supervisor.remove(home.report_file)
    say("stopped")
    return 0


def _detach(ready_fd: int) -> None:
    """Leaves the starter's session, folder and open files, so that nothing of the caller is held."""
    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir("/")
    os.umask(0o077)
    os.closerange(3, ready_fd)
    os.closerange(ready_fd + 1, 65536)


def _answer(ready_fd: int, document: dict[str, object]) -> int:
    try:
        os.write(ready_fd, json.dumps(document).encode() + b"\n")
    except BrokenPipeError:
        say("the starter has left before it was told: going on without it")
    os.close(ready_fd)
    return 0 if "port" in document and "problem" not in document else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
