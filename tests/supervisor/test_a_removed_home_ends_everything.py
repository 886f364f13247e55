"""`rm -rf` of a home while it runs: nothing stays that nobody could stop any more."""

import os
import shutil

import pytest

from corral.engine.supervisor import lifecycle
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import identity
from corral.engine.supervisor.locking import try_take
from corral.engine.supervisor.plan import Plan
from tests.supervisor.looking import get


@pytest.mark.parametrize("removed", ["root", "run"])
def test_supervisor_and_children_end_by_themselves(home: Home, plan: Plan, removed: str) -> None:
    child = identity(int(get(lifecycle.start(home, plan).port)))
    report = lifecycle.observe(home).report
    assert report is not None
    shutil.rmtree(getattr(home, removed))
    assert report.supervisor.wait_gone(10)
    assert not child.is_alive()
    assert not os.path.exists(home.run)


def test_a_lock_knows_whether_it_is_the_one_that_others_see(home: Home) -> None:
    home.make_folders()
    lock = try_take(home.lock_file)
    assert lock is not None
    assert lock.is_in_place()
    os.unlink(home.lock_file)
    assert not lock.is_in_place()
    with open(home.lock_file, "w"):
        assert not lock.is_in_place()
    lock.release()
