"""`corral simulate live`, `save` and `snapshot`: what the scheduler makes of a cluster, as it is or if something were otherwise."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import Cli, cli_of
from tests.surfaces.hollow_stage import until

SECRET = "hunter2"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cli, Path]]:
    """Three fake nodes of eight GPUs, two queues, and pods that hold some of it."""
    home = tmp_path_factory.mktemp("cluster") / "a home"
    cli = cli_of(home)
    try:
        assert cli("up", "--no-node", "--fake-nodes", "3x8").returncode == 0
        apply(cli, queue("vision", limit={"nvidia.com/gpu": 12}), queue("speech"))
        apply(cli, pod("holder", 6, queue="vision"), pod("other", 3, queue="speech"))
        until(lambda: len(bound(cli)) == 2, "both pods have nodes")
        yield cli, home.parent
    finally:
        cli("down")


def apply(cli: Cli, *objects: dict[str, Any]) -> None:
    done = cli("apply", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    assert done.returncode == 0, done.stderr


def queue(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "corral.dev/v1alpha1", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def pod(name: str, gpus: int, gang: str = "", size: int = 1, queue: str = "speech") -> dict[str, Any]:
    labels = {"corral.dev/queue": queue, **({"corral.dev/gang": gang} if gang else {})}
    annotations = {
        "corral.dev/fake-run-seconds": "100000",
        "team.example/token": SECRET,
        **({"corral.dev/gang-size": str(size)} if gang else {}),
    }
    container = {
        "name": "main",
        "image": f"shop/{SECRET}:1",
        "args": [SECRET],
        "env": [{"name": "TOKEN", "value": SECRET}],
        "resources": {"limits": {"nvidia.com/gpu": gpus}},
    }
    metadata = {"name": name, "labels": labels, "annotations": annotations}
    spec = {"schedulerName": "corral", "restartPolicy": "Never", "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def bound(cli: Cli) -> dict[str, tuple[str, str]]:
    """Of each pod that has a node: which, and which of its GPUs."""
    found = json.loads(cli("get", "pods", "-o", "json").stdout)["items"]
    return {
        one["metadata"]["name"]: (
            one["spec"]["nodeName"],
            one["metadata"].get("annotations", {}).get("corral.dev/gpus", ""),
        )
        for one in found
        if one["spec"].get("nodeName")
    }


def test_what_is_saved_has_no_secret_and_gives_the_same_report_byte_for_byte(cluster: tuple[Cli, Path]) -> None:
    cli, folder = cluster
    file = folder / "cluster.json"
    done = cli("simulate", "save", str(file))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith("3 nodes, 2 pods, 2 queues\n")
    text = file.read_text()
    assert SECRET not in text
    assert '"name": "holder"' in text
    assert json.loads(cli("simulate", "save").stdout)["queues"] == json.loads(text)["queues"]
    reports = [cli("simulate", "snapshot", "-f", str(file), "-o", "json").stdout for _ in range(2)]
    assert reports[0] == reports[1]
    report = json.loads(reports[0])
    assert report["allocation_percent"] == {"before": 37.5, "now": 37.5}
    assert (report["waiting"], report["starts_now"], report["bound_percent"]) == ([], [], 37.5)


def test_the_placements_of_a_snapshot_are_those_of_the_scheduler(cluster: tuple[Cli, Path]) -> None:
    cli, _ = cluster
    processes = json.loads(cli("status", "-o", "json").stdout)["processes"]
    controllers = int(next(one["pid"] for one in processes if one["name"] == "controllers"))
    os.kill(controllers, signal.SIGSTOP)
    try:
        made = [pod(f"small-{at}", gpus) for at, gpus in enumerate((1, 2, 1, 3))]
        made += [pod(f"gang-{at}", 2, "train", 2) for at in range(2)]
        apply(cli, *made, pod("large", 8))
        report = json.loads(cli("simulate", "live", "-o", "json").stdout)
        told = cli("simulate", "live").stdout
    finally:
        os.kill(controllers, signal.SIGKILL)  # a new one begins with all that is there, as the simulation did
    foretold = {
        seat["pod"]: (seat["node"], ",".join(map(str, seat["gpus"])))
        for one in report["starts_now"]
        for seat in one["pods"]
    }
    assert len(foretold) >= 4
    until(lambda: len(bound(cli)) == 2 + len(foretold), "the scheduler has bound what it can")
    seen = {name: place for name, place in bound(cli).items() if name in foretold}
    assert seen == foretold
    waiting = {one["job"].rpartition("/")[2] for one in report["waiting"]}
    assert {*foretold, *waiting} - {"gang-0", "gang-1"} == {
        "small-0",
        "small-1",
        "small-2",
        "small-3",
        "train",
        "large",
    } - ({"train"} if "gang-0" in foretold else set())
    assert "STARTS NOW" in told


def test_what_would_be_otherwise_is_shown(cluster: tuple[Cli, Path]) -> None:
    cli, folder = cluster
    apply(cli, pod("more", 8, queue="vision"))
    told = cli("simulate", "live").stdout
    assert "default/more" in told
    report = json.loads(cli("simulate", "live", "-o", "json").stdout)
    assert next(one for one in report["waiting"] if one["job"] == "default/more")["code"] == "quota-limit"
    assert "too few jobs have ended here to know how long they run" in report["wait_seconds_by_gpus"]["unknown"]
    picture = folder / "what-if.png"
    words = ("--add-nodes", "2", "--like", "fake-gpu-000", "--queue", "vision.limit.nvidia.com/gpu=20")
    done = cli("simulate", "live", *words, "--plot", str(picture), "-o", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["changes"] == ["2 more nodes like fake-gpu-000", "queue vision.limit.nvidia.com/gpu=20"]
    assert "default/more" in {one["job"] for one in report["starts_now"]}
    assert picture.read_bytes().startswith(b"\x89PNG")


WRONG = {
    ("--like", "fake-gpu-000"): "error: of --add-nodes and --like only one is given\nhint: ",
    ("--without-node", "no-such"): "error: there is no node no-such\nhint: there are fake-gpu-000, ",
    ("--without-job", "no-such"): "error: there is no pod of a job no-such\nhint: ",
    ("--queue", "vision"): "error: 'vision' says nothing about a queue\nhint: write QUEUE.TERM.RESOURCE=AMOUNT",
    ("--policy", "best"): "error: there is no policy best\nhint: one of bestfit, default, fgd, random\n",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_otherwise_is_said_in_a_line_with_a_hint(
    cluster: tuple[Cli, Path], words: tuple[str, str]
) -> None:
    cli, _ = cluster
    done = cli("simulate", "live", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert WRONG[words] in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 7, "taken": 1}',
        '{"nodes": [{}]}',
        "{}",
        '{"taken": 1, "queues": [{"kind": "odd", "name": "q"}]}',
    ],
)
def test_a_file_that_is_no_snapshot_is_refused(cli: Cli, tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    done = cli("simulate", "snapshot", "-f", str(tmp_path / "bad.json"))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {tmp_path}/bad.json: ")
    assert "hint: make one with: corral simulate save FILE" in done.stderr
