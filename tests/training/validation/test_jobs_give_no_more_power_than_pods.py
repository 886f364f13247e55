"""A job gives nobody more power than creating its pods would; what could only fail later is refused at once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from tests.training.manifests import EVERY_KIND, FACTS
from tests.training.validation.conftest import Judge
from tests.training.validation.rows import first, good, pod, training_container

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


class Power(NamedTuple):
    """What a template asks for, and the error below its role."""

    ask: Callable[[Object, Object], Any]
    error: str


LEVEL = "the namespace allows no such pods: its label pod-security.kubernetes.io/enforce is baseline or restricted"
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
SYSTEM = "system priority classes may be used in namespace kube-system only"


def in_pod(**fields: Any) -> Callable[[Object, Object], Any]:
    return lambda job, roles: pod(roles).update(fields)


def in_metadata(**fields: Any) -> Callable[[Object, Object], Any]:
    return lambda job, roles: first(roles)["template"].update(metadata=fields)


GUARDED = {
    "privileged": Power(
        lambda job, roles: training_container(roles).update(securityContext={"privileged": True}),
        f"spec.containers[0].securityContext.privileged: Forbidden: {LEVEL}",
    ),
    "a privileged first step": Power(
        in_pod(initContainers=[{"name": "a", "image": "x", "securityContext": {"privileged": True}}]),
        f"spec.initContainers[0].securityContext.privileged: Forbidden: {LEVEL}",
    ),
    "the disk of the node": Power(
        in_pod(volumes=[{"name": "a", "emptyDir": {}}, {"name": "b", "hostPath": {"path": "/"}}]),
        f"spec.volumes[1].hostPath: Forbidden: {LEVEL}",
    ),
    "the network of the node": Power(in_pod(hostNetwork=True), f"spec.hostNetwork: Forbidden: {LEVEL}"),
    "the processes of the node": Power(in_pod(hostPID=True), f"spec.hostPID: Forbidden: {LEVEL}"),
    "the memory of the node": Power(in_pod(hostIPC=True), f"spec.hostIPC: Forbidden: {LEVEL}"),
}
REFUSED = {
    "the account of others": Power(
        in_pod(serviceAccountName="other/admin"),
        f'spec.serviceAccountName: Invalid value: "other/admin": {SUBDOMAIN}',
    ),
    "the account of others by its old name": Power(
        in_pod(serviceAccount="Admin"), f'spec.serviceAccount: Invalid value: "Admin": {SUBDOMAIN}'
    ),
    "a priority of the system": Power(
        in_pod(priorityClassName="system-node-critical"), f"spec.priorityClassName: Forbidden: {SYSTEM}"
    ),
    "a node": Power(
        in_pod(nodeName="n1"),
        "spec.nodeName: Forbidden: must not be set: a scheduler chooses the node; use nodeSelector or affinity",
    ),
    "the operator's label": Power(
        in_metadata(labels={"corral.dev/gang": "other"}),
        "metadata.labels[corral.dev/gang]: Forbidden: is set by the operator",
    ),
    "the operator's annotation": Power(
        in_metadata(annotations={"corral.dev/attempt": "7"}),
        "metadata.annotations[corral.dev/attempt]: Forbidden: is set by the operator",
    ),
    "another owner": Power(
        in_metadata(ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y"}]),
        "metadata.ownerReferences: Forbidden: must not be set: the job owns its pods",
    ),
}
ALLOWED = {
    "a toleration for the control plane": in_pod(tolerations=[{"key": "node-role.kubernetes.io/control-plane"}]),
    "a finalizer": in_metadata(finalizers=["example.com/kept"]),
    "labels that the operator overwrites": in_metadata(labels={"training.kubeflow.org/job-name": "other"}),
    "an account of the namespace": in_pod(serviceAccountName="trainer"),
    "a priority": in_pod(priorityClassName="high"),
    "empty fields": in_pod(nodeName=None, serviceAccountName="", hostNetwork=False),
}


def asking(kind: str, ask: Callable[[Object, Object], Any]) -> tuple[Object, str]:
    job = good(kind)
    field = FACTS[kind].map_field
    ask(job, job["spec"][field])
    return job, f"spec.{field}[{next(iter(job['spec'][field]))}].template."


@pytest.mark.parametrize("power", GUARDED)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_pod_security_of_the_namespace_is_told_at_the_job(judge: Judge, kind: str, power: str) -> None:
    job, below = asking(kind, GUARDED[power].ask)
    refused = judge.create(job, namespace=judge.guarded)
    assert refused.code == 422
    assert refused.message.endswith(f"denied request: {below}{GUARDED[power].error}")
    assert judge.create(job).code == 201


@pytest.mark.parametrize("power", REFUSED)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_what_is_not_the_users_to_give_is_refused(judge: Judge, kind: str, power: str) -> None:
    job, below = asking(kind, REFUSED[power].ask)
    refused = judge.create(job)
    assert refused.code == 422
    assert refused.message.endswith(f"denied request: {below}{REFUSED[power].error}")


@pytest.mark.parametrize("power", ALLOWED)
def test_what_a_pod_may_have_a_job_may_have(judge: Judge, power: str) -> None:
    job, _ = asking("TFJob", ALLOWED[power])
    assert judge.create(job).code == 201


def test_the_priority_of_a_gang_is_not_the_systems_either(judge: Judge) -> None:
    job = good("TFJob")
    job["spec"]["runPolicy"]["schedulingPolicy"] = {"priorityClass": "system-cluster-critical"}
    refused = judge.create(job)
    assert refused.message.endswith(f"spec.runPolicy.schedulingPolicy.priorityClass: Forbidden: {SYSTEM}")
    assert judge.create(job, namespace="kube-system").code == 201
