"""`python -m tools.bench.scheduling`: single pods and gangs on a real API server; some five minutes.

For each scheduler a control plane of its own: etcd that waits for the disk, kube-apiserver, no kubelet. Pods are made first, then
the scheduler starts, so that what is measured is the scheduler and not the making. Time counts from the first bind to the last,
processor time from the start of the process until it rests, since events are still written after the last bind.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.kinds.objects import Object
from corral.kinds.well_known import EVENT
from corral.ports.object_store import Scope
from corral.testing.control_plane.cluster import Choices, ControlPlane
from tools.bench.placement.traces import ROOT
from tools.bench.processes import cpu_seconds, memory_mib
from tools.bench.scheduling.load import NAME, Sight, make_namespace, make_nodes, make_pods, member, remove_pods, single
from tools.bench.scheduling.report import lines, written

RAISED = ("--kube-api-qps=1000", "--kube-api-burst=2000")
_AT_REST = 0.05
"""Seconds of processor time in two seconds: whoever uses less has nothing left to do."""
_REST_WITHIN = 90.0
_GANG = 10


def main() -> int:
    """Measures and writes the figures."""
    given = _arguments()
    results: dict[str, Any] = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "nodes": given.nodes,
        "pods": given.pods,
        "gangs": given.gangs,
        "load_before": round(os.getloadavg()[0], 1),
    }
    for name in given.schedulers.split(","):
        results[name] = asyncio.run(_measured(name, given))
        print(name, json.dumps(results[name]), flush=True)
    results["load_after"] = round(os.getloadavg()[0], 1)
    written(given.output, results)
    print("\n".join(["", *lines(results), ""]), flush=True)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.scheduling", description=__doc__)
    parser.add_argument("--nodes", default="1000x8")
    parser.add_argument("--pods", type=int, default=5000)
    parser.add_argument("--gangs", type=int, default=500)
    parser.add_argument("--schedulers", default="corral,kube-scheduler,kube-scheduler-defaults")
    parser.add_argument("--fast", action="store_true", help="etcd does not wait for the disk")
    parser.add_argument("--profile", default="", help="write a profile of our scheduler to this file")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "bench" / "results" / "scheduling.json", help="the figures"
    )
    return parser.parse_args()


async def _measured(name: str, given: argparse.Namespace) -> dict[str, Any]:
    with ControlPlane(choices=Choices(durable=not given.fast)) as plane:
        config = read_kubeconfig([str(plane.kubeconfig)], must_exist=True)
        async with AsyncClient(access_of(config, config.current, os.environ)) as client:
            await make_nodes(client, [given.nodes])
            await make_namespace(client)
            wanted = "corral" if name == "corral" else "default-scheduler"
            found = {"single": await _one(name, given, plane, client, [single(n, wanted) for n in range(given.pods)])}
            if name == "corral" and given.gangs:
                await remove_pods(client)
                pods = [member(gang, index, _GANG, wanted) for gang in range(given.gangs) for index in range(_GANG)]
                found["gangs"] = await _one(name, given, plane, client, pods)
            return found


async def _one(
    name: str, given: argparse.Namespace, plane: ControlPlane, client: AsyncClient, pods: list[Object]
) -> dict[str, Any]:
    await make_pods(client, pods)
    sight = Sight()
    watching = asyncio.create_task(sight.watch(client, len(pods)))
    await asyncio.sleep(2.0)
    api = [component.pid for component in plane.components.values() if component.pid is not None]
    api_before = cpu_seconds(api)
    began = monotonic()
    with _running(name, given, plane) as pid:
        async with asyncio.timeout(900):
            await watching
        ended = monotonic()
        await _rested(pid)
        spent, memory = cpu_seconds([pid]), memory_mib([pid])
    api_spent = cpu_seconds(api) - api_before
    events = sum(one.get("reason") == "Scheduled" for one in await client.list(EVENT, Scope(NAME)))
    per_node = Counter(sight.nodes.values())
    assert max(per_node.values()) <= 8, "a node was given more than it has"
    return {
        "pods": len(pods),
        "seconds_from_start": round(ended - began, 2),
        "seconds_first_to_last": round(sight.last - sight.first, 2),
        "pods_per_second": round((len(pods) - 1) / (sight.last - sight.first), 1),
        "cpu_ms_per_pod": round(1000 * spent / len(pods), 2),
        "api_cpu_ms_per_pod": round(1000 * api_spent / len(pods), 2),
        "memory_mib": round(memory, 1),
        "scheduled_events": events,
        "gang_spread_seconds": _spread(sight),
    }


async def _rested(pid: int) -> None:
    """Returns when a process has nothing left to do."""
    deadline = monotonic() + _REST_WITHIN
    before = cpu_seconds([pid])
    while monotonic() < deadline:
        await asyncio.sleep(2.0)
        now = cpu_seconds([pid])
        if now - before < _AT_REST:
            return
        before = now


def _spread(sight: Sight) -> dict[str, float] | None:
    """Returns how long gangs took from the first bind of a member to the last, the median and the worst."""
    gangs: dict[str, list[float]] = {}
    for name, moment in sight.moments.items():
        if name.startswith("gang-"):
            gangs.setdefault(name.rpartition("-")[0], []).append(moment)
    spans = sorted(max(one) - min(one) for one in gangs.values())
    return {"median": round(spans[len(spans) // 2], 3), "worst": round(spans[-1], 3)} if spans else None


@contextmanager
def _running(name: str, given: argparse.Namespace, plane: ControlPlane) -> Iterator[int]:
    """Runs a scheduler; yields its process."""
    words = [sys.executable]
    if given.profile:
        words += ["-m", "cProfile", "-o", given.profile]
    words += ["-m", "corral", "scheduler", "--kubeconfig", str(plane.kubeconfig), "--no-leader-elect"]
    words += ["--metrics-bind-address", "0", "--health-probe-bind-address", "0"]
    if name != "corral":
        words = _kube_scheduler(plane, () if name.endswith("defaults") else RAISED)
    with (plane.logs / f"{name}.bench.log").open("ab") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        yield process.pid
    finally:
        process.terminate()
        deadline = monotonic() + 20
        while process.poll() is None and monotonic() < deadline:
            sleep(0.05)
        process.kill()
        process.wait()


def _kube_scheduler(plane: ControlPlane, limits: tuple[str, ...]) -> list[str]:
    binary = str(plane.binaries / "kube-scheduler")
    roles = ("", "authentication-", "authorization-")
    where = [f"--{role}kubeconfig={plane.kubeconfig}" for role in roles]
    return [binary, *where, "--leader-elect=false", "--secure-port=0", *limits]


if __name__ == "__main__":
    sys.exit(main())
