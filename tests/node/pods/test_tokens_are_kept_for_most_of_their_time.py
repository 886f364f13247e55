"""Tokens of service accounts are asked for once, and again when most of their time is over, on a real API server."""

import time

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.retrying import NEVER
from corral.engine.node.pods.tokens import AccountTokens, Token
from corral.engine.node.volumes.references import TokenRequest
from corral.kinds.well_known import POD
from corral.ports.refusals import UnreachableError
from corral.testing.fault_proxy import FaultProxy
from corral.testing.manual_clock import ManualClock
from tests.node.ground import MachineGround
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

HOUR = Token("secret", 1000.0, 4600.0)
WEEK = Token("secret", 1000.0, 1000.0 + 7 * 86400)

MOMENTS = {
    "at once": (HOUR, 1000.0, False),
    "shortly before four fifths": (HOUR, 3879.0, False),
    "at four fifths": (HOUR, 3880.0, True),
    "after its end": (HOUR, 9999.0, True),
    "after a day, of a week": (WEEK, 1000.0 + 86400, True),
    "before a day, of a week": (WEEK, 1000.0 + 86399, False),
    "on a clock that was set back": (HOUR, 999.0, True),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_token_is_renewed_when_most_of_its_time_is_over(moment: str) -> None:
    token, now, want_due = MOMENTS[moment]
    assert token.is_due(now) is want_due


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def asked(proxy: FaultProxy) -> int:
    """Returns how often a token was asked for."""
    return sum("/token" in seen.path for seen in proxy.seen)


@pytest.mark.anyio
@pytest.mark.parametrize("machine", ["real"], indirect=True)
async def test_a_pod_keeps_its_token_until_then(stage: Stage, machine: MachineGround) -> None:
    stage.make(POD, "holder", spec=pod_spec(shell("sleep 60")))
    pod, clock, requests = stage.get(POD, "holder"), ManualClock(time.time()), [TokenRequest(seconds=600)]
    async with FaultProxy(machine.access) as proxy, AsyncClient(proxy.access(), policy=NEVER) as client:
        tokens = AccountTokens(client, clock)
        first = await tokens.of(pod, requests)
        await clock.advance(400)
        assert (await tokens.of(pod, requests), asked(proxy)) == (first, 1)
        await clock.advance(100)
        second = await tokens.of(pod, requests)
        assert (await tokens.of(pod, requests), asked(proxy)) == (second, 2)
        tokens.forget(pod["metadata"]["uid"])
        await tokens.of(pod, requests)
        assert asked(proxy) == 3


@pytest.mark.anyio
@pytest.mark.parametrize("machine", ["real"], indirect=True)
async def test_a_token_serves_on_while_the_api_is_away(stage: Stage, machine: MachineGround) -> None:
    stage.make(POD, "patient", spec=pod_spec(shell("sleep 60")))
    pod, clock, requests = stage.get(POD, "patient"), ManualClock(time.time()), [TokenRequest(seconds=600)]
    async with FaultProxy(machine.access) as proxy, AsyncClient(proxy.access(), policy=NEVER) as client:
        tokens = AccountTokens(client, clock)
        first = await tokens.of(pod, requests)
        await proxy.refuse()
        await clock.advance(500)
        assert await tokens.of(pod, requests) == first
        await clock.advance(500)
        with pytest.raises(UnreachableError):
            await tokens.of(pod, requests)
