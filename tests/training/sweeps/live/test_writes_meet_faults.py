"""Writes that are refused, lost or put off: the end is the same as without (T1 to T6), for F06, F07 and F09."""

import pytest

from corral.testing.fault_proxy import CutAfterForwarding, Fault, Seen, on_every, reply
from tests.training.sweeps.comparison import differences
from tests.training.sweeps.live.live_run import Faults, LiveRun
from tests.training.sweeps.scenarios import GANG, RESTART, SUBMIT, Scenario

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]
pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


def is_write(seen: Seen) -> bool:
    """Whether it is a write that matters: every failure is told by an event, which would take the good turn each time."""
    return seen.is_write and "/events" not in seen.path


def is_create(seen: Seen) -> bool:
    return seen.method == "POST"


def is_call(seen: Seen) -> bool:
    return not seen.is_watch


def busy() -> Faults:
    """Returns a server that is now too busy and now not there, and says when to come back."""
    too_many = on_every(9, is_call, reply(429, "TooManyRequests", retry_after=1))
    away = on_every(7, is_call, reply(503, "ServiceUnavailable", retry_after=1))

    def rule(seen: Seen) -> Fault:
        return too_many(seen) or away(seen)

    return rule


FAULTS: dict[str, tuple[Scenario, Faults]] = {
    "f06 every second write conflicts": (RESTART, on_every(2, is_write, reply(409, "Conflict"))),
    "f07 every second answer to a create is lost": (GANG, on_every(2, is_create, CutAfterForwarding())),
    "f07 every second answer to a write is lost": (RESTART, on_every(2, is_write, CutAfterForwarding())),
    "f09 the server is busy and says so": (SUBMIT, busy()),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_the_end_is_the_same(live: LiveRun, name: str) -> None:
    scenario, faults = FAULTS[name]
    clean = await live.clean(scenario)
    assert not differences(clean, await live.play(scenario, faults))
