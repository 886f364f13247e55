"""A command that cannot become a program is a run that ended with 128, on disk as well, so that a restarted node knows it."""

import pytest

from corral.engine.node.containers.ending import ending_of
from corral.engine.node.containers.failed_starts import start_or_fail
from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.containers.record import adopt
from tests.node.containers.launching import Launcher


def test_it_ended_before_it_began_and_says_why(launcher: Launcher) -> None:
    launch = launcher.launch("no-such-program")
    run = start_or_fail(launch)
    assert not run.is_running()
    for known in (run, adopt(launch.folder)):
        assert known is not None
        ending = ending_of(known)
        assert ending is not None
        assert ending.exit_code == 128
        assert ending.message.startswith("executable file not found in PATH")
    assert start_or_fail(launch) == run


def test_what_is_not_the_fault_of_the_command_is_refused(launcher: Launcher) -> None:
    launch = launcher.launch("true", workdir="/no/such/folder")
    with pytest.raises(StartRefusedError) as caught:
        start_or_fail(launch)
    assert caught.value.reason == "CreateContainerError"
    assert adopt(launch.folder) is None
