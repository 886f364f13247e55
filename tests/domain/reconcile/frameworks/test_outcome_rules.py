"""When a job runs and when it is done: every row of section 4.3, and the rules for who is the master of section 3.1.

Whether a job has failed is not here: that is the same for all frameworks but for whose failures they forgive.
"""

from typing import Any

import pytest

from corral.kinds.training.job import TrainingJob
from corral.reconcile.frameworks.catalogue import framework_of
from corral.reconcile.frameworks.framework import Tally
from tests.domain.reconcile.training_builders import job, pod, tally

Counts = dict[str, dict[str, int]]

RULES: dict[str, tuple[str, dict[str, Any], Counts, str]] = {
    # TensorFlow with a chief, by either name
    "a chief alone makes a job run": ("TFJob", {"Chief": 1, "Worker": 2}, {"Chief": {"active": 1}}, "running"),
    "workers do not while there is a chief": ("TFJob", {"Chief": 1, "Worker": 2}, {"Worker": {"active": 2}}, ""),
    "a chief ends the job": (
        "TFJob",
        {"Chief": 1, "Worker": 2},
        {"Chief": {"succeeded": 1}, "Worker": {"active": 1, "failed": 1}},
        "succeeded",
    ),
    "workers do not end a job with a chief": (
        "TFJob",
        {"Chief": 1, "Worker": 2},
        {"Chief": {"active": 1}, "Worker": {"succeeded": 2}},
        "running",
    ),
    "a policy of all workers changes nothing for a chief": (
        "TFJob",
        {"Chief": 1, "Worker": 2, "successPolicy": "AllWorkers"},
        {"Chief": {"succeeded": 1}, "Worker": {"active": 2}},
        "succeeded",
    ),
    "a master is a chief": ("TFJob", {"Master": 1, "PS": 1}, {"Master": {"succeeded": 1}}, "succeeded"),
    "a chief of no replicas leads nothing": ("TFJob", {"Chief": 0, "Worker": 1}, {"Worker": {"active": 1}}, "running"),
    # TensorFlow without a chief
    "one running worker makes a job run": ("TFJob", {"PS": 1, "Worker": 4}, {"Worker": {"active": 1}}, "running"),
    "a parameter server does not": ("TFJob", {"PS": 1, "Worker": 4}, {"PS": {"active": 1}}, ""),
    "all workers end a job": ("TFJob", {"PS": 1, "Worker": 2}, {"Worker": {"succeeded": 2}}, "succeeded"),
    "all workers end a job whose policy says so": (
        "TFJob",
        {"Worker": 2, "successPolicy": "AllWorkers"},
        {"Worker": {"succeeded": 2}},
        "succeeded",
    ),
    "some worker does not": ("TFJob", {"Worker": 2}, {"Worker": {"active": 1, "succeeded": 1}}, "running"),
    # PyTorch
    "a master makes pytorch run": ("PyTorchJob", {"Master": 1, "Worker": 2}, {"Master": {"active": 1}}, "running"),
    "its workers do not": ("PyTorchJob", {"Master": 1, "Worker": 2}, {"Worker": {"active": 2}}, ""),
    "a master ends pytorch": (
        "PyTorchJob",
        {"Master": 1, "Worker": 2},
        {"Master": {"succeeded": 1}, "Worker": {"active": 2}},
        "succeeded",
    ),
    "one worker makes pytorch without a master run": (
        "PyTorchJob",
        {"Worker": 3},
        {"Worker": {"active": 1}},
        "running",
    ),
    "all workers end pytorch without a master": (
        "PyTorchJob",
        {"Worker": 2},
        {"Worker": {"succeeded": 2}},
        "succeeded",
    ),
    "one worker does not": ("PyTorchJob", {"Worker": 2}, {"Worker": {"active": 1, "succeeded": 1}}, "running"),
    "one worker ends elastic pytorch": (
        "PyTorchJob",
        {"Worker": 3, "elasticPolicy": {}},
        {"Worker": {"failed": 2, "succeeded": 1}},
        "succeeded",
    ),
    "elastic pytorch with a master waits for the master": (
        "PyTorchJob",
        {"Master": 1, "Worker": 2, "elasticPolicy": {}},
        {"Master": {"active": 1}, "Worker": {"succeeded": 2}},
        "running",
    ),
    "a job scaled to none is not done": ("PyTorchJob", {"Worker": 0}, {}, ""),
    # Paddle, JAX
    "a master ends paddle": (
        "PaddleJob",
        {"Master": 1, "Worker": 2},
        {"Master": {"succeeded": 1}, "Worker": {"active": 2}},
        "succeeded",
    ),
    "a master makes paddle run": ("PaddleJob", {"Master": 1, "Worker": 2}, {"Master": {"active": 1}}, "running"),
    "a worker makes collective paddle run": ("PaddleJob", {"Worker": 2}, {"Worker": {"active": 1}}, "running"),
    "all workers end collective paddle": ("PaddleJob", {"Worker": 2}, {"Worker": {"succeeded": 2}}, "succeeded"),
    "an elastic policy does not end paddle early": (
        "PaddleJob",
        {"Worker": 2, "elasticPolicy": {}},
        {"Worker": {"active": 1, "succeeded": 1}},
        "running",
    ),
    "a worker makes jax run": ("JAXJob", {"Worker": 2}, {"Worker": {"active": 1}}, "running"),
    "all workers end jax": ("JAXJob", {"Worker": 2}, {"Worker": {"succeeded": 2}}, "succeeded"),
    "one worker does not end jax": ("JAXJob", {"Worker": 2}, {"Worker": {"succeeded": 1}}, ""),
    # XGBoost
    "a master makes xgboost run": ("XGBoostJob", {"Master": 1, "Worker": 2}, {"Master": {"active": 1}}, "running"),
    "its workers alone do not make it run": ("XGBoostJob", {"Master": 1, "Worker": 2}, {"Worker": {"active": 2}}, ""),
    "a master ends xgboost": (
        "XGBoostJob",
        {"Master": 1, "Worker": 2},
        {"Master": {"succeeded": 1}, "Worker": {"active": 2}},
        "succeeded",
    ),
    # MXNet
    "a scheduler makes mxnet run": (
        "MXJob",
        {"Scheduler": 1, "Server": 1, "Worker": 1},
        {"Scheduler": {"active": 1}},
        "running",
    ),
    "workers of mxnet do not": ("MXJob", {"Scheduler": 1, "Server": 1, "Worker": 1}, {"Worker": {"active": 1}}, ""),
    "a scheduler ends mxnet": (
        "MXJob",
        {"Scheduler": 1, "Server": 1, "Worker": 1},
        {"Scheduler": {"succeeded": 1}, "Server": {"active": 1}},
        "succeeded",
    ),
    "a single worker of mxnet decides": ("MXJob", {"Worker": 1}, {"Worker": {"succeeded": 1}}, "succeeded"),
    "so does a single server": ("MXJob", {"Server": 1}, {"Server": {"active": 1}}, "running"),
}


def verdict(of: TrainingJob, counted: Tally) -> str:
    """Returns what the reconciler would say first: success wins over running."""
    framework = framework_of(of.facts)
    if framework.has_succeeded(of, counted):
        return "succeeded"
    return "running" if framework.is_running(of, counted) else ""


@pytest.mark.parametrize("case", RULES)
def test_a_job_is(case: str) -> None:
    kind, given, counts, want = RULES[case]
    of = job(kind, **given)
    assert verdict(of, tally(of, **counts)) == want


FIRST_WORKER: dict[str, tuple[str, str, int | None, str]] = {
    "ended well, so the job is done": ("", "Succeeded", 0, "succeeded"),
    "ended well, and an unknown policy is the default": ("Whatever", "Succeeded", 0, "succeeded"),
    "ended well, but all must": ("AllWorkers", "Succeeded", 0, "running"),
    "ended, but its training container did not say how": ("", "Succeeded", None, "running"),
    "ended, but its training container badly": ("", "Succeeded", 1, "running"),
    "runs, though its training container has ended": ("", "Running", 0, "running"),
}


@pytest.mark.parametrize("case", FIRST_WORKER)
def test_the_first_worker_of_tensorflow(case: str) -> None:
    policy, phase, code, want = FIRST_WORKER[case]
    of = job("TFJob", PS=1, Worker=3, successPolicy=policy)
    counts = {"active": 2, "succeeded": 1, "first": pod(of, "Worker", 0, phase, exit_code=code)}
    assert verdict(of, tally(of, Worker=counts)) == want


MASTERS: dict[str, tuple[str, dict[str, Any], set[tuple[str, int]]]] = {
    "the chief": ("TFJob", {"Chief": 1, "Worker": 2, "PS": 1}, {("Chief", 0)}),
    "the master of tensorflow": ("TFJob", {"Master": 1, "Worker": 2}, {("Master", 0)}),
    "the first worker of tensorflow": ("TFJob", {"PS": 1, "Worker": 2}, {("Worker", 0)}),
    "nobody among servers": ("TFJob", {"PS": 2}, set()),
    "the master of pytorch": ("PyTorchJob", {"Master": 1, "Worker": 2}, {("Master", 0)}),
    "the first worker of pytorch": ("PyTorchJob", {"Worker": 2}, {("Worker", 0)}),
    "the master of xgboost": ("XGBoostJob", {"Master": 1, "Worker": 2}, {("Master", 0)}),
    "every master of paddle": ("PaddleJob", {"Master": 2, "Worker": 2}, {("Master", 0), ("Master", 1)}),
    "the first worker of paddle": ("PaddleJob", {"Worker": 2}, {("Worker", 0)}),
    "the coordinator of jax": ("JAXJob", {"Worker": 2}, {("Worker", 0)}),
    "every server of mxnet": ("MXJob", {"Scheduler": 1, "Server": 2, "Worker": 1}, {("Server", 0), ("Server", 1)}),
}


@pytest.mark.parametrize("case", MASTERS)
def test_the_label_of_the_master_is_on(case: str) -> None:
    kind, roles, want = MASTERS[case]
    of = job(kind, **roles)
    assert {(one.role, one.index) for one in of.places() if framework_of(of.facts).is_master(of, one)} == want


def test_only_dynamic_workers_are_forgiven() -> None:
    dynamic = job("TFJob", Worker=2, PS=1, enableDynamicWorker=True)
    forgives = framework_of(dynamic.facts).forgives
    assert [forgives(dynamic, role) for role in ("Worker", "PS")] == [True, False]
    assert not forgives(job("TFJob", Worker=2, PS=1), "Worker")
    assert not framework_of(job("JAXJob", Worker=1).facts).forgives(job("JAXJob", Worker=1), "Worker")


IN_FULL: dict[str, tuple[str, dict[str, Any], bool]] = {
    "TFJob with a chief": ("TFJob", {"Chief": 1}, True),
    "TFJob": ("TFJob", {"Worker": 1}, True),
    "PyTorchJob with a master": ("PyTorchJob", {"Master": 1, "Worker": 1}, False),
    "PyTorchJob of workers": ("PyTorchJob", {"Worker": 1}, True),
    "PaddleJob with a master": ("PaddleJob", {"Master": 1, "Worker": 1}, False),
    "PaddleJob of workers": ("PaddleJob", {"Worker": 1}, True),
    "JAXJob": ("JAXJob", {"Worker": 1}, True),
    "XGBoostJob": ("XGBoostJob", {"Master": 1}, False),
    "MXJob": ("MXJob", {"Scheduler": 1}, False),
}


@pytest.mark.parametrize("case", IN_FULL)
def test_messages_name_the_namespace_where_clients_expect_it(case: str) -> None:
    kind, roles, want = IN_FULL[case]
    of = job(kind, **roles)
    framework = framework_of(of.facts)
    assert framework.speaks_in_full(of) is want
    assert framework.fails_in_full is (kind == "TFJob")
    assert framework.was_always_running is (kind == "XGBoostJob")
