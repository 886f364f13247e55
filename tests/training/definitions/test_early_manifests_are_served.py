"""Manifests of early talks and tutorials, applied as they were written."""

import pytest

from corral.kinds.training.reading import read_job
from tests.training.definitions.served_kinds import Served

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

EARLY_TF = """
apiVersion: kubeflow.org/{version}
kind: TFJob
metadata:
  name: job
spec:
  cleanPodPolicy: All
  ttlSecondsAfterFinished: 100
  activeDeadlineSeconds: 3600
  backoffLimit: 3
  tfReplicaSpecs:
    ps:
      replicas: 1
      template: &pod
        metadata:
          creationTimestamp: null
        spec:
          restartPolicy: OnFailure
          containers:
          - name: tensorflow
            image: example.com/mnist:1
            command: python /opt/mnist.py --name "two words"
            args: "--steps 100"
    worker:
      replicas: 2
      template: *pod
"""
EARLY_MPI = """
apiVersion: kubeflow.org/v1alpha2
kind: MPIJob
metadata:
  name: job
spec:
  slotsPerWorker: 2
  cleanPodPolicy: Running
  backoffLimit: 1
  mpiReplicaSpecs:
    launcher:
      replicas: 1
      template: &pod
        spec:
          containers:
          - image: example.com/horovod:1
            name: mpi
            command: [mpirun, python, train.py]
    worker:
      replicas: 2
      template: *pod
"""


def apply(served: Served, text: str) -> None:
    served.kubectl("apply", f"--namespace={served.namespace}", "--filename=-", given=text)


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_an_early_tf_job_is_read_as_what_it_means(served: Served, version: str) -> None:
    apply(served, EARLY_TF.format(version=version))
    stored = served.read("TFJob")
    assert stored["spec"]["cleanPodPolicy"] == "All"
    job = read_job(stored)
    assert list(job.roles) == ["PS", "Worker"]
    assert job.count("Worker") == 2
    policy = job.run_policy
    assert (policy.clean_pod_policy, policy.backoff_limit) == ("All", 3)
    assert (policy.ttl_seconds_after_finished, policy.active_deadline_seconds) == (100, 3600)
    container = job.roles["Worker"].template["spec"]["containers"][0]
    assert container["command"] == ["python", "/opt/mnist.py", "--name", "two words"]
    assert container["args"] == ["--steps", "100"]


def test_an_early_mpi_job_is_read_as_what_it_means(served: Served) -> None:
    apply(served, EARLY_MPI)
    job = read_job(served.read("MPIJob"))
    assert list(job.roles) == ["Launcher", "Worker"]
    assert (job.run_policy.clean_pod_policy, job.run_policy.backoff_limit) == ("Running", 1)
    assert job.facts.version == "v1"


def test_early_versions_tell_what_to_write(served: Served) -> None:
    served.client.raw("GET", f"/apis/kubeflow.org/v1beta1/namespaces/{served.namespace}/tfjobs")
    told = "kubeflow.org/v1beta1 TFJob is read as kubeflow.org/v1; write apiVersion: kubeflow.org/v1"
    assert any(told in warning for warning in served.warnings)


def test_applying_an_early_manifest_again_changes_nothing(served: Served) -> None:
    apply(served, EARLY_MPI)
    before = served.read("MPIJob")
    apply(served, EARLY_MPI)
    after = served.read("MPIJob")
    # Not its version: an operator may be at work on this server, and tell of the job meanwhile.
    assert after["metadata"]["generation"] == before["metadata"]["generation"]
    assert after["spec"] == before["spec"]
    assert after["metadata"]["annotations"] == before["metadata"]["annotations"]
