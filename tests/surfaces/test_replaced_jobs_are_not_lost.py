"""A job that is replaced is deleted first: whatever happens then, it can be made again, and nothing is deleted in vain."""

import json
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.training.pytorch import PYTORCH_JOB
from corral.ports.object_store import Patch
from corral.testing.hollow_node import Part
from tests.surfaces.hollow_stage import HollowStage, Running, hollow_stage, until


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


def ended(stage: HollowStage, name: str) -> Object:
    stage.submit(name, workers=0, master=Part())
    assert stage.cli("wait", name, "--timeout", "60s").returncode == 0
    return stored(stage, name)


def stored(stage: HollowStage, name: str) -> Object:
    return stage.client.get(PYTORCH_JOB.resource, ObjectKey("default", name))


def held(stage: HollowStage, name: str, *finalizers: str) -> None:
    """Keeps a deleted job where it is, or lets it go."""
    patch = Patch("merge", {"metadata": {"finalizers": list(finalizers)}})
    stage.client.patch(PYTORCH_JOB.resource, ObjectKey("default", name), patch)


def kept(stage: HollowStage) -> list[Path]:
    return list((stage.home / "replaced").glob("*"))


def test_an_interrupted_replacement_leaves_a_file_that_makes_the_job(stage: HollowStage) -> None:
    spec = ended(stage, "broken-off")["spec"]
    held(stage, "broken-off", "example.com/held")
    with Running(stage.home, "resubmit", "broken-off", "--replace") as replacing:
        until(lambda: "deletionTimestamp" in stored(stage, "broken-off")["metadata"], "the deletion")
        replacing.process.send_signal(signal.SIGINT)
        status, said = replacing.end()
    [file] = kept(stage)
    assert (status, file.stat().st_mode & 0o777) == (130, 0o600)
    held(stage, "broken-off")
    again = shlex.split(said.split("`")[1])
    assert again == ["corral", "apply", "-f", str(file)]
    assert stage.cli("wait", "broken-off", "--for", "delete", "--timeout", "30s").returncode == 0
    made = stage.cli(*again[1:])
    assert made.returncode == 0, made.stderr
    assert stored(stage, "broken-off")["spec"] == spec
    file.unlink()


def test_a_replacement_that_is_made_leaves_no_file(stage: HollowStage) -> None:
    before = ended(stage, "replaced")["metadata"]["uid"]
    done = stage.cli("resubmit", "replaced", "--replace")
    assert done.returncode == 0, done.stderr
    assert stored(stage, "replaced")["metadata"]["uid"] != before
    assert kept(stage) == []


def test_what_would_be_refused_is_refused_before_anything_is_deleted(stage: HollowStage) -> None:
    """A job cannot have the name of a pod: of one that was made meanwhile, since the job had it first."""
    before = ended(stage, "one-worker-0")["metadata"]["uid"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "default", "name": "one-worker-0"}}
    file = stage.home / "pod.json"
    file.write_text(json.dumps({**pod, "spec": {"containers": [{"name": "main", "image": "none"}]}}))
    assert stage.cli("apply", "-f", str(file)).returncode == 0
    refused = stage.cli("resubmit", "pytorchjob/one-worker-0", "--replace")
    assert (refused.returncode, "one-worker-0 is the name of a pod" in refused.stderr) == (2, True), refused.stderr
    assert stored(stage, "one-worker-0")["metadata"]["uid"] == before


def test_other_names_do_not_matter(stage: HollowStage) -> None:
    longest = "a" * 54  # its pod is called ...-master-0, and a label takes 63
    stage.submit("neighbour-new", workers=0, master=Part())
    for name in ("neighbour", longest):
        before = ended(stage, name)["metadata"]["uid"]
        done = stage.cli("resubmit", name, "--replace")
        assert done.returncode == 0, done.stderr
        assert stored(stage, name)["metadata"]["uid"] != before


def test_what_the_server_would_not_take_is_refused_before_anything_is_deleted(stage: HollowStage) -> None:
    before = ended(stage, "judged")["metadata"]["uid"]
    for wrong in ("spec.runPolicy.backoffLimit=many", "spec.nonsense=1"):
        refused = stage.cli("resubmit", "judged", "--replace", "--set", wrong)
        assert (refused.returncode, wrong.split("=")[0] in refused.stderr) == (2, True), refused.stderr
    assert stored(stage, "judged")["metadata"]["uid"] == before
