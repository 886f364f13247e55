"""Programs that wait for pods find them on disk, and read what is kept of each only once."""

import json
import sys
import time
from pathlib import Path

import pytest

from corral.engine.node.folder import NodeFolder
from corral.engine.node.mpi.kubectl_delivery import wait_for
from corral.engine.node.mpi.pod_finding import PodsOnDisk


@pytest.fixture
def folder(tmp_path: Path) -> NodeFolder:
    return NodeFolder(str(tmp_path))


def kept(folder: NodeFolder, name: str) -> Path:
    """Keeps a pod and returns its file."""
    file = Path(folder.pod(name), "pod.json")
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"metadata": {"name": name, "namespace": "ml"}}))
    return file


def names(pods: PodsOnDisk) -> list[str]:
    return [pod.name for pod in pods.look()]


def test_a_pod_is_read_once_and_forgotten_when_it_is_gone(folder: NodeFolder) -> None:
    pods = PodsOnDisk(folder)
    assert names(pods) == []
    file = kept(folder, "first")
    assert names(pods) == ["first"]

    kept(folder, "second")
    file.unlink()
    assert names(pods) == ["first", "second"], "it is not read again"

    file.parent.rmdir()
    assert names(pods) == ["second"]


def test_a_pod_that_is_just_being_made_is_found_later(folder: NodeFolder) -> None:
    pods = PodsOnDisk(folder)
    Path(folder.pod("first")).mkdir(parents=True)
    assert names(pods) == []

    Path(folder.pod("first")).rmdir()
    kept(folder, "first")
    assert names(pods) == ["first"]


class _EnoughError(Exception):
    """Ends a wait that would go on."""


def test_a_wait_for_many_hosts_reads_little_and_looks_ever_more_rarely(
    folder: NodeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        kept(folder, f"worker-{number}")
    pauses: list[float] = []
    reads: list[str] = []
    is_listening = True

    def hear(event: str, args: tuple[object, ...]) -> None:
        if is_listening and event == "open" and str(args[0]).endswith("pod.json"):
            reads.append(str(args[0]))

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 30:
            raise _EnoughError

    # A hook of this kind stays for good; it is deaf afterwards.
    sys.addaudithook(hear)
    monkeypatch.setattr(time, "sleep", pause)
    with pytest.raises(_EnoughError):
        wait_for(folder, "ml", [f"worker-{number}" for number in range(20)])
    is_listening = False

    assert len(reads) == 50
    assert pauses == sorted(pauses)
    assert pauses[0] <= 0.1
    assert pauses[-1] == 2.0
