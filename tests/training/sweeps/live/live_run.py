"""A scenario in real time, on a real connection: the operator is a process that reaches the server through a proxy."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE, SERVICE_ACCOUNT
from corral.ports.refusals import AlreadyExistsError, NotFoundError
from corral.testing.fault_proxy import CutAfterForwarding, Fault, FaultProxy, Seen, no_fault, reply
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.training.ground import Ground
from tests.training.operator_process import OperatorProcess
from tests.training.stage import job_resource
from tests.training.sweeps.end_state import End, end_of, state_of
from tests.training.sweeps.player import Player
from tests.training.sweeps.record import Record
from tests.training.sweeps.scenarios import Scenario

LIVE_NAMESPACE = "sweep-live"
"""The same for all runs, one after the other, since messages name it."""
_WITHIN = 120.0

Faults = Callable[[Seen], Fault]


class Killer:
    """Kills a process at its n-th request: before the server hears it, or after it has done it."""

    def __init__(self, number: int, *, after: bool) -> None:
        self._number = number
        self._after = after
        self._seen = 0
        self.pid = 0

    def __call__(self, seen: Seen) -> Fault:
        """Decides about one request."""
        self._seen += 1
        if self._seen != self._number or not self.pid:
            return None
        os.kill(self.pid, signal.SIGKILL)
        return CutAfterForwarding() if self._after else reply(503, "ServiceUnavailable")


class LiveRun:
    """Plays scenarios on one server, each time with a new operator."""

    def __init__(self, ground: Ground, folder: Path, cleans: dict[tuple[bool, str], End]) -> None:
        self._ground = ground
        self._folder = folder
        self._cleans = cleans

    async def clean(self, scenario: Scenario) -> End:
        """Returns the end of a run without faults, played once for each server."""
        name = (self._ground.is_real, scenario.name)
        if name not in self._cleans:
            self._cleans[name] = await self.play(scenario)
        return self._cleans[name]

    async def play(self, scenario: Scenario, faults: Faults = no_fault) -> End:
        """Plays a scenario to its end; an operator that was killed is started again."""
        async with AsyncClient(self._ground.access) as client, FaultProxy(self._ground.access) as proxy:
            await _prepare(client)
            player = Player(client, LIVE_NAMESPACE, scenario)
            record = Record(client, LIVE_NAMESPACE, job_resource(scenario.kind))
            await player.clear()
            await record.begin()
            async with self._operator(scenario, proxy) as operator:
                proxy.seen.clear()
                if isinstance(faults, Killer):
                    faults.pid = operator.pid
                proxy.fault_for = faults
                await player.begin()
                await _played(player, operator)
                state = await state_of(player, record)
                calls = [f"{seen.method} {seen.path}" for seen in proxy.seen]
            await record.end()
            await player.clear()
            return end_of(state, record, calls, 0)

    @asynccontextmanager
    async def _operator(self, scenario: Scenario, proxy: FaultProxy) -> AsyncIterator[OperatorProcess]:
        way = written_kubeconfig(proxy.access(token="any"), self._folder / "through-the-proxy")
        options = ("--namespace", LIVE_NAMESPACE, "--enable-kind", scenario.kind)
        operator = OperatorProcess(way, self._folder / "operator.log", options)
        await asyncio.to_thread(operator.start)
        try:
            yield operator
        finally:
            await asyncio.to_thread(operator.kill)


async def _prepare(client: AsyncClient) -> None:
    with suppress(AlreadyExistsError):
        await client.create(NAMESPACE, {"metadata": {"name": LIVE_NAMESPACE}})
    async with asyncio.timeout(_WITHIN):
        while True:
            with suppress(NotFoundError):
                await client.get(SERVICE_ACCOUNT, ObjectKey(LIVE_NAMESPACE, "default"))
                return
            await asyncio.sleep(0.02)


async def _played(player: Player, operator: OperatorProcess) -> None:
    async with asyncio.timeout(_WITHIN):
        while True:
            if not operator.is_running:
                await asyncio.to_thread(operator.start)
            elif await player.act():
                continue
            elif await player.is_over():
                return
            await asyncio.sleep(0.02)
