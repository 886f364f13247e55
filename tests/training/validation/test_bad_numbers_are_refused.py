"""Numbers that no cluster could serve are refused in one clear answer, the same from both servers.

Each case: what is done to a JAXJob, and what the schema of its definition or its rules say then.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from corral.kinds.objects import Object
from tests.training.validation.conftest import Judge
from tests.training.validation.rows import first, good, pod, ports, run_policy, training_container

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


def replicas(number: Any) -> Callable[[Object, Object], Any]:
    return lambda job, roles: first(roles).update(replicas=number)


def limits(**amounts: Any) -> Callable[[Object, Object], Any]:
    given = {name.replace("_", "."): amount for name, amount in amounts.items()}
    return lambda job, roles: training_container(roles).update(resources={"limits": given})


CASES: dict[str, tuple[Callable[[Object, Object], Any], str]] = {
    "workers -1": (
        replicas(-1),
        "[spec.jaxReplicaSpecs.Worker.replicas: Invalid value: -1: spec.jaxReplicaSpecs.Worker.replicas in body should be greater than or equal to 0, .spec.jaxReplicaSpecs.Worker.replicas: Invalid value: -1: should be a non-negative integer]",
    ),
    "workers 10^9": (
        replicas(10**9),
        "spec.jaxReplicaSpecs.Worker.replicas: Invalid value: 1000000000: spec.jaxReplicaSpecs.Worker.replicas in body should be less than or equal to 100000",
    ),
    "workers half": (
        replicas(0.5),
        '[spec.jaxReplicaSpecs.Worker.replicas: Invalid value: "number": spec.jaxReplicaSpecs.Worker.replicas in body must be of type integer: "number", .spec.jaxReplicaSpecs.Worker.replicas: Invalid value: 0: .spec.jaxReplicaSpecs.Worker.replicas accessor error: 0.5 is of the type float64, expected int64, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ),
    "gpus as half a number": (
        limits(**{"nvidia_com/gpu": 0.5}),
        '[spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.nvidia.com/gpu: Invalid value: "number": spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.nvidia.com/gpu in body must be of type integer,string: "number", <nil>: Invalid value: "": "spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.nvidia.com/gpu" must validate at least one schema (anyOf), spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.nvidia.com/gpu: Invalid value: "number": spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.nvidia.com/gpu in body must be of type integer: "number", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ),
    "gpus nan": (
        limits(**{"nvidia_com/gpu": "NaN"}),
        "spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.nvidia.com/gpu: Invalid value: \"NaN\": spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.nvidia.com/gpu in body should match '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'",
    ),
    "memory 1e309Gi": (
        limits(memory="1e309Gi"),
        "spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.memory: Invalid value: \"1e309Gi\": spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.memory in body should match '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'",
    ),
    "cpu 0x10": (
        limits(cpu="0x10"),
        "spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.cpu: Invalid value: \"0x10\": spec.jaxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.cpu in body should match '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'",
    ),
    "priority 2^63": (
        lambda job, roles: pod(roles).update(priority=2**63),
        "spec.jaxReplicaSpecs[Worker].template.spec.priority: Forbidden: must be a whole number of 32 bits; use priorityClassName",
    ),
    "deadline -5": (
        run_policy(activeDeadlineSeconds=-5),
        "spec.runPolicy.activeDeadlineSeconds: Invalid value: -5: spec.runPolicy.activeDeadlineSeconds in body should be greater than or equal to 0",
    ),
    "ttl -1": (
        run_policy(ttlSecondsAfterFinished=-1),
        "spec.runPolicy.ttlSecondsAfterFinished: Invalid value: -1: spec.runPolicy.ttlSecondsAfterFinished in body should be greater than or equal to 0",
    ),
    "backoff -1": (
        run_policy(backoffLimit=-1),
        "spec.runPolicy.backoffLimit: Invalid value: -1: spec.runPolicy.backoffLimit in body should be greater than or equal to 0",
    ),
    "port 0": (
        ports({"containerPort": 0}),
        "spec.jaxReplicaSpecs[Worker].template.spec.containers[0].ports[0].containerPort: Invalid value: 0: must be between 1 and 65535, inclusive",
    ),
    "port 22 twice": (
        ports({"containerPort": 22}, {"containerPort": 22}),
        'spec.jaxReplicaSpecs[Worker].template.spec.containers[0].ports[1]: Duplicate value: {"containerPort":22,"protocol":"TCP"}',
    ),
    "time 99:99": (
        run_policy(activeDeadlineSeconds="99:99"),
        '[spec.runPolicy.activeDeadlineSeconds: Invalid value: "string": spec.runPolicy.activeDeadlineSeconds in body must be of type integer: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ),
    "restart sometimes": (
        lambda job, roles: first(roles).update(restartPolicy="Sometimes"),
        '[spec.jaxReplicaSpecs.Worker.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never", "ExitCode", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ),
    "clean pods sometimes": (
        run_policy(cleanPodPolicy="Sometimes"),
        '[spec.runPolicy.cleanPodPolicy: Unsupported value: "Sometimes": supported values: "None", "Running", "All", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_number_is_refused(judge: Judge, case: str) -> None:
    spoil, message = CASES[case]
    job = good("JAXJob")
    spoil(job, job["spec"]["jaxReplicaSpecs"])
    verdict = judge.create(job)
    assert verdict.code == 422
    assert re.split(" is invalid: | denied request: ", verdict.message, maxsplit=1)[1] == message
