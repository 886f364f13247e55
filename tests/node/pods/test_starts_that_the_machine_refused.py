"""A run whose holder was not let into its control groups never began: it waits, counts no restart, and is tried again."""

import os
import time
from pathlib import Path

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.control.runtime import runtime_of
from corral.engine.node.addressing.ledger import PortLedger
from corral.engine.node.containers.record import Run, adopt, exit_path, settled_path, write_record
from corral.engine.node.folder import NodeFolder
from corral.engine.node.pods.addresses import AddressBook
from corral.engine.node.pods.containers_of_pod import ContainersOfPod
from corral.engine.node.pods.devices import Devices
from corral.engine.node.pods.life import Start, decide
from corral.engine.node.pods.outfit import Assets, Outfitter
from corral.engine.node.pods.pod_logs import PodLogs
from corral.engine.node.pods.statuses import status_of
from corral.engine.node.pods.whereabouts import whereabouts
from corral.engine.supervisor.host import ProcessIdentity
from corral.kinds.objects import Object
from corral.kinds.well_known import POD as PODS
from corral.kinds.well_known import SERVICE

pytestmark = pytest.mark.anyio
UID = "3f1c0a52-0000-4000-8000-00000000000a"
POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"namespace": "team", "name": "waits", "uid": UID},
    "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x", "command": ["true"]}]},
}
WHY = "cannot join the control group /sys/fs/cgroup/pids/corral/gone/tasks"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def refused_run(folder: NodeFolder) -> Run:
    """Writes what a holder leaves that could not join its groups."""
    run = Run(folder.run(UID, "main", 0), ProcessIdentity(0, ""), f"{UID}/main/0", time.time(), ("true",))
    os.makedirs(run.folder)
    Path(exit_path(run.folder)).write_text(f"128 refused\n{WHY}\n")
    write_record(run)
    return run


async def test_it_waits_with_the_reason_and_begins_anew_with_the_same_number(tmp_path: Path) -> None:
    folder = NodeFolder(str(tmp_path))
    run = refused_run(folder)
    async with AsyncClient(Access("http://127.0.0.1:1")) as nobody:
        runtime = runtime_of(nobody, clock=SystemClock(), randomness=SystemRandomness())
        services, pods = runtime.caches.of(SERVICE), runtime.caches.of(PODS)
        addresses = AddressBook(nobody, services, pods, PortLedger(nobody, services))
        outfitter = Outfitter(runtime, folder, addresses, Assets({}, (), Devices(folder, ()), {}))
        logs = PodLogs(folder, runtime.clock)
        live = ContainersOfPod(runtime, folder, outfitter, logs).found(POD, time.time())
        later = time.time() + 60.0
        status = status_of(live.sight(later), whereabouts(POD))
        orders = decide(live.sight(later))
        await logs.close()

    (told,) = status["containerStatuses"]
    assert told["state"] == {"waiting": {"reason": "CreateContainerError", "message": WHY}}
    assert (status["phase"], told["restartCount"], told["lastState"]) == ("Pending", 0, {})
    assert orders.starts == (Start("main", 0),)
    assert adopt(run.folder) is None
    assert os.path.basename(settled_path(run.folder)) not in os.listdir(run.folder), "the next run would be no concern"
