"""`corral top`: GPUs by what pods ask for, processors and memory by what the nodes of this machine measure."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.conftest import Cli, cli_of
from tests.surfaces.hollow_stage import Running, until
from tests.surfaces.narrow_rights import narrow_door

BUSY = "import time\nheld = bytearray(30_000_000)\nwhile True: sum(range(20_000)); time.sleep(0.001)"


def _job(name: str, container: dict[str, object], **spec: object) -> dict[str, object]:
    pod = {"containers": [{"name": "pytorch", "image": "none", **container}], **spec}
    long = {"annotations": {"corral.dev/fake-run-seconds": "600"}}
    role = {"replicas": 1, "template": {"metadata": long, "spec": pod}}
    head = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}}
    return {**head, "spec": {"pytorchReplicaSpecs": {"Master": role}}}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cli, Path]]:
    """This machine and two fake nodes, a job that works here, and one that is played there."""
    home = tmp_path_factory.mktemp("machine") / "a home"
    cli = cli_of(home)
    here = {"corral.dev/process-node": "true"}
    busy = _job("busy", {"command": ["python3", "-c", BUSY]}, nodeSelector=here)
    played = _job("played", {"resources": {"limits": {"nvidia.com/gpu": 4}}})
    try:
        assert cli("up", "--fake-nodes", "2x8").returncode == 0
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [busy, played]})
        done = cli("apply", "-f", "-", text=text)
        assert done.returncode == 0, done.stderr
        for name in ("busy", "played"):
            assert cli("wait", name, "--for", "running", "--timeout", "60s").returncode == 0
        yield cli, home
    finally:
        cli("down")


def test_nodes_are_shown_with_gpus_and_with_what_is_in_use_here(machine: tuple[Cli, Path]) -> None:
    cli, _ = machine
    lines = cli("top", "node").stdout.splitlines()
    head = [
        "NAME",
        "IPADDRESS",
        "ROLE",
        "STATUS",
        "GPU(Total)",
        "GPU(Allocated)",
        "CPU(Used/Total)",
        "MEMORY(Used/Total)",
    ]
    assert lines[0].split() == head
    rows = {line.split()[0]: line.split() for line in lines[1:4]}
    fake = sorted(name for name in rows if name.startswith("fake"))
    assert sorted(rows[name][5] for name in fake) == ["0", "4"]
    assert lines[4].startswith("-----")
    assert lines[5:] == ["Allocated/Total GPUs In Cluster:", "4/16 (25.0%)"]
    (here,) = rows.keys() - set(fake)
    told = json.loads(cli("top", "node", here, "-o", "json").stdout)["nodes"][0]
    assert told["cpu"]["used"] > 0
    assert 0 < told["memory"]["usedBytes"] < told["memory"]["totalBytes"]
    assert cli("top", "node", "-m", "n", "-o", "name").stdout == f"node/{here}\n"
    assert "played-master-0  Running  4" in cli("top", "node", "-d", "-m", "exclusive").stdout
    assert cli("top", "node", "nobody").returncode == 3


def test_ranks_are_shown_with_what_they_use(machine: tuple[Cli, Path]) -> None:
    cli, home = machine

    def used() -> dict[str, float] | None:
        told = json.loads(cli("top", "job", "busy", "-i", "busy-master-0", "-o", "json").stdout)["instances"][0]
        return told if (told["cpu"] or 0) > 0 and (told["memoryBytes"] or 0) > 30_000_000 else None

    until(used, "a process at work")
    shown = cli("top", "job", "busy").stdout
    assert "GPU(DeviceIndex)  GPU(DutyCycle)  GPU_MEMORY(Used/Total)  RANK  CPU" in shown
    assert shown.endswith("GPUs:\n  Allocated/Requested GPUs of Job: 0/0\n")
    table = cli("top", "job").stdout.splitlines()
    assert table[0].split()[:7] == ["NAME", "STATUS", "TRAINER", "AGE", "GPU(Requested)", "GPU(Allocated)", "NODE"]
    assert [line.split()[0] for line in table[1:3]] == ["played", "busy"]
    assert table[1].split()[-2:] == ["N/A", "N/A"]
    assert table[-1] == "Total Allocated/Requested GPUs of Training Jobs: 4/4"
    waiting = _job("waiting", {"resources": {"limits": {"nvidia.com/gpu": 16}}})
    assert cli("apply", "-f", "-", text=json.dumps(waiting)).returncode == 0
    total = "Total Allocated/Requested GPUs of Training Jobs: 4/20"
    until(lambda: cli("top", "job").stdout.splitlines()[-1] == total, "a job that waits for GPUs")
    assert cli("delete", "pytorchjob/waiting").returncode == 0
    with Running(home, "top", "job", "busy", "-r") as refreshing:
        refreshing.wait_line("------- 20")
        until(lambda: sum(line.startswith("Name:") for line in refreshing.lines) == 2, "a second answer")
        refreshing.process.send_signal(signal.SIGINT)
        assert refreshing.end()[0] == 130


def test_what_the_rights_forbid_is_left_out(machine: tuple[Cli, Path]) -> None:
    cli, home = machine
    with narrow_door(home, home.parent / "narrow") as kubeconfig:
        shown = cli("top", "job", "busy", KUBECONFIG=str(kubeconfig))
        assert (shown.returncode, shown.stdout.splitlines()[-4].split()[-2:]) == (0, ["N/A", "N/A"])
        assert "note: left out, since there is no metrics server and you may not ask nodes" in shown.stderr
        assert cli("top", "node", KUBECONFIG=str(kubeconfig)).returncode == 4


def test_of_the_proxy_only_the_summary_is_passed_on(machine: tuple[Cli, Path]) -> None:
    from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
    from corral.adapters.kubernetes.sync_client import SyncClient
    from corral.kinds.references import ObjectKey
    from corral.kinds.well_known import NODE
    from corral.ports.refusals import InvalidError, NotFoundError

    _, home = machine
    with SyncClient(access_of(read_kubeconfig([str(home / "kubeconfig")]), "corral", {})) as client:
        names = {one["metadata"]["name"]: ObjectKey("", one["metadata"]["name"]) for one in client.list(NODE)}
        (here,) = (key for name, key in names.items() if not name.startswith("fake"))
        assert client.get(NODE, here, subresource="proxy/stats/summary")["node"]["nodeName"] == here.name
        for below in ("proxy", "proxy/pods", "proxy/stats"):
            with pytest.raises(NotFoundError):
                client.get(NODE, here, subresource=below)
        with pytest.raises(NotFoundError):
            client.get(NODE, ObjectKey("", "nobody"), subresource="proxy/stats/summary")
        with pytest.raises(InvalidError, match="is fake"):
            client.get(
                NODE,
                next(key for name, key in names.items() if name.startswith("fake")),
                subresource="proxy/stats/summary",
            )
