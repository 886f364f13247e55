"""Two jobs of one name and of different kinds: the second is refused at submit, and each has only its own pods."""

import json
from collections.abc import Iterator

import pytest

from corral.testing.hollow_node import Part
from tests.surfaces.hollow_stage import HollowStage, hollow_stage, until


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


def test_a_name_that_a_job_of_another_kind_has_is_refused(stage: HollowStage) -> None:
    stage.submit("taken", workers=0)
    refused = stage.cli("submit", "tfjob", "--name=taken", "--image=x", "true")
    assert refused.returncode != 0
    assert "pytorchjob.kubeflow.org/taken exists already in namespace default" in refused.stderr
    assert "`corral delete pytorchjob/taken`" in refused.stderr
    assert stage.cli("get", "tfjob/taken").returncode != 0


def test_jobs_of_one_name_show_only_their_own_pods(stage: HollowStage) -> None:
    stage.submit("twin", workers=0, master=Part(seconds=None))
    template = {"spec": {"containers": [{"name": "tensorflow", "image": "none"}]}}
    other = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "twin"},
        "spec": {"tfReplicaSpecs": {"Chief": {"replicas": 1, "restartPolicy": "Never", "template": template}}},
    }
    path = stage.home / "twin tf.json"
    path.write_text(json.dumps(other))
    assert stage.cli("apply", "-f", str(path)).returncode == 0
    until(lambda: "twin-chief-0" in stage.cli("get", "pods").stdout, "the pod of the second job")
    until(lambda: "twin-master-0" in stage.cli("get", "pytorchjob/twin").stdout, "the pod of the first job")
    assert "twin-chief-0" not in stage.cli("get", "pytorchjob/twin").stdout
    shown = stage.cli("get", "tfjob/twin").stdout
    assert "twin-chief-0" in shown
    assert "twin-master-0" not in shown
    rows = [line.split() for line in stage.cli("list", "-o", "wide").stdout.splitlines() if line.startswith("twin")]
    assert [row[7].partition("/")[2] for row in rows] == ["1", "1"], rows
