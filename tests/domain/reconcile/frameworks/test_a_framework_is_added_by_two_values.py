"""The worked example of docs/guides/add-a-framework.md: a new kind with one KindFacts and one Framework, and shared code.

The kind is entered into both catalogues, which is all that the guide asks for; from there everything is the shared code.
"""

import re
from pathlib import Path

import pytest

from corral.kinds.documents import load_documents
from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training import catalogue
from corral.kinds.training.definitions.definition import definition
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.reading import read_job
from corral.reconcile.frameworks.catalogue import FRAMEWORKS
from corral.reconcile.plan import Create, Plan, SetStatus
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World
from tests.domain.reconcile.frameworks.caffe.framework import CAFFE
from tests.domain.reconcile.frameworks.caffe.kind import CAFFE_JOB
from tests.domain.reconcile.training_builders import UID, pod

GUIDE = Path(__file__).parents[4] / "docs/guides/add-a-framework.md"
NOW = 1_767_225_600.0


@pytest.fixture(autouse=True)
def entered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enters the kind and the framework, as the guide's last step does."""
    monkeypatch.setattr(catalogue, "TRAINING_KINDS", (*catalogue.TRAINING_KINDS, CAFFE_JOB))
    monkeypatch.setitem(FRAMEWORKS, CAFFE_JOB.kind, CAFFE)


def cifar() -> TrainingJob:
    """Returns the job of the guide."""
    [written] = blocks("yaml")
    [document] = load_documents(written.encode(), source="the guide")
    metadata = {**document.value["metadata"], "namespace": "ml", "uid": UID}
    return read_job({**document.value, "metadata": metadata})


def blocks(language: str) -> list[str]:
    """Returns the pieces of code in the guide."""
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


def decided(of: TrainingJob, *pods: PodView) -> Plan:
    return decide(World(of.object, pods), NOW)


def made(plan: Plan) -> dict[tuple[str, str], Object]:
    created = [action.object for action in plan if isinstance(action, Create)]
    return {(one["kind"], one["metadata"]["name"]): one for one in created}


def conditions(plan: Plan) -> list[tuple[str, str, str]]:
    [written] = [action.status for action in plan if isinstance(action, SetStatus)]
    return [(one["type"], one["status"], one["message"]) for one in written["conditions"]]


def test_a_job_gets_its_pods_services_and_host_file() -> None:
    children = made(decided(cifar()))
    names = {"cifar-launcher-0", "cifar-worker-0", "cifar-worker-1"}
    assert {name for kind, name in children if kind == "Pod"} == names
    assert {name for kind, name in children if kind == "Service"} == names
    hosts = children["ConfigMap", "cifar-hosts"]
    assert hosts["data"] == {"hostfile": "cifar-worker-0 slots=4\ncifar-worker-1 slots=4\n"}
    assert hosts["metadata"]["ownerReferences"][0]["kind"] == "CaffeJob"


def test_the_launcher_finds_the_host_file_and_carries_the_log_that_matters() -> None:
    launcher = made(decided(cifar()))["Pod", "cifar-launcher-0"]
    [trainer] = launcher["spec"]["containers"]
    told = {one["name"]: one["value"] for one in trainer["env"]}
    assert told == {"OMPI_MCA_orte_default_hostfile": "/etc/caffe/hostfile", "CAFFE_PROCESSES": "8"}
    assert trainer["volumeMounts"][0]["mountPath"] == "/etc/caffe"
    assert launcher["spec"]["volumes"][0]["configMap"] == {"name": "cifar-hosts"}
    assert launcher["metadata"]["labels"]["training.kubeflow.org/job-role"] == "master"
    assert launcher["metadata"]["labels"]["training.kubeflow.org/operator-name"] == "caffejob-controller"


def test_a_worker_serves_ssh_and_is_told_nothing() -> None:
    worker = made(decided(cifar()))["Pod", "cifar-worker-1"]
    [trainer] = worker["spec"]["containers"]
    assert trainer["command"] == ["/usr/sbin/sshd", "-De"]
    assert trainer["ports"] == [{"name": "ssh", "containerPort": 22, "protocol": "TCP"}]
    assert "env" not in trainer
    assert worker["spec"]["restartPolicy"] == "OnFailure"


def test_the_launcher_decides_about_the_job() -> None:
    of = cifar()
    workers = [pod(of, "Worker", index) for index in range(2)]
    waiting = conditions(decided(of, pod(of, "Launcher", 0, "Pending"), *workers))
    assert waiting == [("Created", "True", "CaffeJob cifar is created.")]
    running = conditions(decided(of, pod(of, "Launcher", 0), *workers))
    assert running[1:] == [("Running", "True", "CaffeJob cifar is running.")]
    done = conditions(decided(of, pod(of, "Launcher", 0, "Succeeded", exit_code=0), *workers))
    assert done[-1] == ("Succeeded", "True", "CaffeJob cifar is successfully completed.")
    failed = conditions(decided(of, pod(of, "Launcher", 0, "Failed", exit_code=1), *workers))
    assert failed[-1] == ("Failed", "True", "CaffeJob cifar is failed because 1 Launcher replica(s) failed.")


def test_its_definition_is_generated() -> None:
    crd = definition(CAFFE_JOB)
    assert crd["metadata"]["name"] == "caffejobs.kubeflow.org"
    [version] = crd["spec"]["versions"]
    fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert {"caffeReplicaSpecs", "runPolicy", "slotsPerWorker"} <= set(fields)


@pytest.mark.parametrize("name", ["kind.py", "framework.py"])
def test_the_guide_shows_this_code(name: str) -> None:
    code = (Path(__file__).parent / "caffe" / name).read_text()
    shown = code.replace("tests.domain.reconcile.frameworks.caffe.kind", "corral.kinds.training.caffe")
    assert ordered(shown) in [ordered(block) for block in blocks("python")]


def ordered(code: str) -> list[str]:
    """Returns code without the order of its imports, which depends on where it stands."""
    lines = code.splitlines()
    return sorted(line for line in lines if line.startswith("from ")) + [x for x in lines if not x.startswith("from ")]
