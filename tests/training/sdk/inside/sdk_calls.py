"""What users do with the SDK, call by call. Run by `test_kubeflow_sdk_e2e_passes.py` in the SDK's environment."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from kubeflow.training import TrainingClient, constants  # type: ignore[import-not-found]
from kubernetes import client as kubernetes

GROUP, VERSION = "kubeflow.org", "v1"
LONG = {"hollow.corral.dev/part": '{"seconds": null}'}


@pytest.fixture
def client(namespace: str) -> Any:
    return TrainingClient(namespace=namespace)


@pytest.fixture
def tensorflow_client(namespace: str) -> Any:
    """Some calls ask for the job's kind and then forget it, so the client is made for the kind."""
    return TrainingClient(namespace=namespace, job_kind=constants.TFJOB_KIND)


def yaml_job(name: str, annotations: dict[str, str] | None = None) -> dict[str, Any]:
    """A TFJob as people write it, without a run policy."""
    template = {
        "metadata": {"annotations": annotations or {}},
        "spec": {"containers": [{"name": "tensorflow", "image": "example.com/train:1"}]},
    }
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "TFJob",
        "metadata": {"name": name},
        "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 2, "restartPolicy": "Never", "template": template}}},
    }


def create_yaml_job(namespace: str, job: dict[str, Any]) -> None:
    kubernetes.CustomObjectsApi().create_namespaced_custom_object(GROUP, VERSION, namespace, "tfjobs", job)


def until(look: Callable[[], Any], within: float = 30.0) -> Any:
    deadline = time.monotonic() + within
    while not (seen := look()):
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)
    return seen


def test_a_job_from_yaml_without_run_policy_is_listed_and_read(client: Any, namespace: str) -> None:
    create_yaml_job(namespace, yaml_job("from-yaml"))
    kind = constants.TFJOB_KIND
    assert "from-yaml" in [job.metadata.name for job in client.list_jobs(job_kind=kind)]
    assert client.get_job("from-yaml", job_kind=kind).spec.run_policy is not None
    job = client.wait_for_job_conditions("from-yaml", job_kind=kind, wait_timeout=60)
    assert client.is_job_succeeded(job=job, job_kind=kind)
    client.delete_job("from-yaml", job_kind=kind)


def test_pods_and_logs_of_a_job(client: Any, namespace: str) -> None:
    create_yaml_job(namespace, yaml_job("talks"))
    kind = constants.TFJOB_KIND
    client.wait_for_job_conditions("talks", job_kind=kind, wait_timeout=60)
    # The default clean-up removes only pods that still run.
    pods = client.get_job_pods("talks")
    assert sorted(pod.metadata.name for pod in pods) == ["talks-worker-0", "talks-worker-1"]
    assert client.get_job_pod_names("talks", replica_type="worker", replica_index=1) == ["talks-worker-1"]
    logs, _ = client.get_job_logs("talks", job_kind=kind, is_master=False)
    assert logs["talks-worker-1"] == "hello from talks-worker-1\ntensorflow is done\n"
    client.delete_job("talks", job_kind=kind)


def test_logs_are_followed_and_events_are_told(tensorflow_client: Any, namespace: str) -> None:
    create_yaml_job(namespace, yaml_job("told"))
    wanted = {constants.JOB_CONDITION_RUNNING, constants.JOB_CONDITION_SUCCEEDED}
    tensorflow_client.wait_for_job_conditions("told", expected_conditions=wanted, wait_timeout=60)
    logs, events = tensorflow_client.get_job_logs("told", is_master=False, follow=True, verbose=True)
    assert "hello from told-worker-0" in logs["told-worker-0"]
    assert any("told-worker-0" in line for line in events["tfjob/told"])
    tensorflow_client.delete_job("told")


def test_a_job_that_runs_is_changed_and_deleted(client: Any, namespace: str) -> None:
    create_yaml_job(namespace, yaml_job("changes", LONG))
    kind = constants.TFJOB_KIND
    running = {constants.JOB_CONDITION_RUNNING}
    client.wait_for_job_conditions("changes", job_kind=kind, expected_conditions=running, wait_timeout=60)
    job = client.get_job("changes", job_kind=kind)
    job.spec.run_policy.suspend = True
    client.update_job(job, "changes", job_kind=kind)
    until(lambda: not client.get_job_pods("changes"))
    assert client.get_job("changes", job_kind=kind).spec.run_policy.suspend is True
    client.delete_job("changes", job_kind=kind)
    until(lambda: "changes" not in [each.metadata.name for each in client.list_jobs(job_kind=kind)])


@pytest.mark.parametrize("kind", ["PyTorchJob", "TFJob"])
def test_a_job_is_made_from_a_function(client: Any, kind: str) -> None:
    def train() -> None:
        print("training")

    name = f"function-{kind.lower()}"
    client.create_job(name=name, job_kind=kind, train_func=train, num_workers=2)
    job = client.wait_for_job_conditions(name, job_kind=kind, wait_timeout=60)
    assert client.is_job_succeeded(job=job, job_kind=kind)
    first = "master-0" if kind == "PyTorchJob" else "worker-1"
    assert sorted(client.get_job_pod_names(name)) == sorted([f"{name}-{first}", f"{name}-worker-0"])
    client.delete_job(name, job_kind=kind)


@pytest.mark.parametrize("kind", ["PyTorchJob", "TFJob"])
def test_a_job_is_made_from_an_image(client: Any, kind: str) -> None:
    name = f"image-{kind.lower()}"
    client.create_job(name=name, job_kind=kind, base_image="example.com/train:1", num_workers=1)
    job = client.wait_for_job_conditions(name, job_kind=kind, wait_timeout=60)
    assert client.is_job_succeeded(job=job, job_kind=kind)
    client.delete_job(name, job_kind=kind)
