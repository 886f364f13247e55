"""While `corral down` still ends containers, no `corral up` begins, and no node takes the folder: it would start them again."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corral.assembly import embedded
from corral.engine.node.folder import NodeFolder
from corral.engine.supervisor import locking
from corral.engine.supervisor.home import Home
from tests.node.containers.launching import Launcher, until

GRACE = 3.0


@pytest.mark.timeout(120)
def test_both_locks_are_held_until_the_last_container_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORRAL_HOME", str(tmp_path))
    monkeypatch.setattr(embedded, "DOWN_GRACE_SECONDS", GRACE)
    home = Home(str(tmp_path))
    home.make_folders()
    launcher = Launcher(NodeFolder(home.node))
    run = launcher.shell("trap '' TERM; echo ready; while :; do sleep 0.05; done")
    until(lambda: "ready" in launcher.log(run))
    locks = (home.start_lock_file, os.path.join(home.node, "lock"))
    were_held = False
    with ThreadPoolExecutor() as pool:
        ending = pool.submit(embedded.stop_embedded)
        while not ending.done():
            are_held = all(locking.is_held(lock) for lock in locks)
            were_held = were_held or (are_held and run.is_running())
        assert ending.result() == ["1 container"]
    assert were_held
    assert not any(locking.is_held(lock) for lock in locks)
