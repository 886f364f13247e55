"""What is different for pods of Paddle jobs here: each is told the address that is its own."""

from corral.engine.node.addressing.loopback import address_of
from corral.engine.node.addressing.paddle_pods import paddle_variables
from corral.kinds.objects import Object
from corral.kinds.training.job import Place
from corral.kinds.training.reading import read_job
from corral.kinds.training.status import JobStatus
from corral.reconcile.frameworks.framework import Framework
from corral.reconcile.frameworks.jax import JAX
from corral.reconcile.frameworks.paddle import PADDLE
from corral.reconcile.training.pods import pod_of
from corral.reconcile.training.world import Settings
from tests.domain.reconcile.training_builders import manifest, template


def pod(framework: Framework, container: str) -> Object:
    """Returns the second worker of a job as the operator makes it."""
    job = read_job(
        manifest(framework.facts.kind, name="digits", Worker={"replicas": 2, "template": template(container)})
    )
    return pod_of(framework, job, Place("Worker", 1), JobStatus(), Settings())


def test_a_pod_is_told_its_address() -> None:
    made = pod(PADDLE, "paddle")
    assert paddle_variables(made, {}) == {"POD_IP": address_of(made["metadata"]["namespace"], "digits-worker-1")}


def test_an_address_that_the_pod_has_is_kept() -> None:
    assert paddle_variables(pod(PADDLE, "paddle"), {"POD_IP": "127.0.0.1"}) == {}


def test_a_pod_on_the_network_of_the_host_has_no_other_address() -> None:
    made = pod(PADDLE, "paddle")
    assert paddle_variables({**made, "spec": {**made["spec"], "hostNetwork": True}}, {}) == {}


def test_pods_of_other_kinds_are_told_nothing() -> None:
    assert paddle_variables(pod(JAX, "jax"), {}) == {}
