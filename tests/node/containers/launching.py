"""How the tests of containers start one, and wait for what becomes of it."""

import os
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import TypeVar

from corral.engine.node.containers.ending import ending_of, settle
from corral.engine.node.containers.launch import Launch, Limits, Mount
from corral.engine.node.containers.record import Ending, Run, settled_path
from corral.engine.node.containers.starting import start
from corral.engine.node.folder import NodeFolder

T = TypeVar("T")
PATIENCE = 20.0
NO_LIMITS = Limits()
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


class Launcher:
    """Starts containers, each in a pod of its own."""

    def __init__(self, folder: NodeFolder) -> None:
        self.folder = folder
        self._numbers = count()

    def launch(
        self,
        *argv: str,
        env: Mapping[str, str] | None = None,
        workdir: str = "/",
        mounts: tuple[Mount, ...] = (),
        limits: Limits = NO_LIMITS,
    ) -> Launch:
        """Returns what starts a command."""
        uid = f"pod-{next(self._numbers)}"
        return Launch(
            folder=self.folder.run(uid, "main", 0),
            argv=argv,
            env={**ENVIRONMENT, **(env or {})},
            workdir=workdir,
            log=os.path.join(self.folder.pod_logs("default", uid, uid), "main", "0.log"),
            owner=f"{uid}/main/0",
            mounts=mounts,
            limits=limits,
        )

    def shell(self, script: str, **options: object) -> Run:
        """Starts a script of the shell."""
        return start(self.launch("sh", "-c", script, **options))  # type: ignore[arg-type]

    def log(self, run: Run) -> str:
        """Returns what a run has said."""
        uid = run.owner.partition("/")[0]
        return Path(self.folder.pod_logs("default", uid, uid), "main", "0.log").read_text()


def until(look: Callable[[], T]) -> T:
    """Waits until something is there, and returns it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)
    return found


def ended(run: Run) -> Ending:
    """Waits for the end of a run and returns it."""
    assert run.holder.wait_gone(PATIENCE), "it did not end in time"
    ending = ending_of(run)
    assert ending is not None
    if not os.path.exists(settled_path(run.folder)):
        assert settle(run, PATIENCE), "something of it is left"
    return ending
