"""A user of a real cluster who may only read one namespace, and the objects that there are to read."""

import json
from pathlib import Path
from typing import Any

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.training.label_names import JOB_NAME, REPLICA_INDEX, REPLICA_TYPE
from corral.kinds.well_known import EVENT, NAMESPACE, POD, ROLE, ROLE_BINDING
from corral.ports.object_store import Patch
from corral.ports.refusals import NotFoundError

OWN, FOREIGN = "few-rights-own", "few-rights-foreign"
USER = "jane"
PYTORCH_JOB = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")


def admin_client(kubeconfig: Path) -> SyncClient:
    """Returns a client that may do everything."""
    config = read_kubeconfig([str(kubeconfig)])
    return SyncClient(access_of(config, config.current, {}))


def kubeconfig_of(admin: Path, target: Path, user: str = USER, namespace: str = OWN) -> Path:
    """Writes a kubeconfig in whose name a user asks; the administrator vouches for the user."""
    import yaml

    document = yaml.safe_load(admin.read_text())
    for one in document["users"]:
        one["user"]["as"] = user
    for one in document["contexts"]:
        one["context"]["namespace"] = namespace
    target.write_text(json.dumps(document))
    return target


def role(name: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns a role of the user's own namespace."""
    metadata = {"name": name, "namespace": OWN}
    return {"apiVersion": ROLE.api_version, "kind": "Role", "metadata": metadata, "rules": rules}


READING = [
    {"apiGroups": ["kubeflow.org", "corral.dev"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": [""], "resources": ["pods", "pods/log", "events"], "verbs": ["get", "list", "watch"]},
]


def furnish(client: SyncClient) -> None:
    """Makes the namespaces, the rights, and in each namespace a job with a pod that runs nowhere."""
    for namespace in (OWN, FOREIGN):
        client.create(NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    client.create(ROLE, role("reads", READING))
    client.create(ROLE, role("reads-jobs", READING[:1]))
    _give(client, USER, "reads")
    _give(client, "kim", "reads-jobs")
    for namespace in (OWN, FOREIGN):
        _job(client, namespace)


def take_away(client: SyncClient) -> None:
    """Removes the namespaces, and all that is in them."""
    for namespace in (OWN, FOREIGN):
        try:
            client.delete(NAMESPACE, ObjectKey("", namespace))
        except NotFoundError:
            continue


def _give(client: SyncClient, user: str, role_name: str) -> None:
    group = "rbac.authorization.k8s.io"
    client.create(
        ROLE_BINDING,
        {
            "apiVersion": ROLE_BINDING.api_version,
            "kind": "RoleBinding",
            "metadata": {"name": role_name, "namespace": OWN},
            "subjects": [{"kind": "User", "name": user, "apiGroup": group}],
            "roleRef": {"kind": "Role", "name": role_name, "apiGroup": group},
        },
    )


def _job(client: SyncClient, namespace: str) -> None:
    container = {"name": "pytorch", "image": "none"}
    spec = {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": {"spec": {"containers": [container]}}}}}
    job = client.create(
        PYTORCH_JOB,
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": "digits", "namespace": namespace},
            "spec": spec,
        },
    )
    labels = {JOB_NAME: "digits", REPLICA_TYPE: "master", REPLICA_INDEX: "0"}
    pod = {"name": "digits-master-0", "namespace": namespace, "labels": labels}
    client.create(
        POD,
        {"apiVersion": "v1", "kind": "Pod", "metadata": pod, "spec": {"containers": [container]}},
    )
    waiting = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node is free"}
    client.patch(
        POD,
        ObjectKey(namespace, "digits-master-0"),
        Patch("merge", {"status": {"phase": "Pending", "conditions": [waiting]}}),
        subresource="status",
    )
    about = {"kind": "PyTorchJob", "name": "digits", "namespace": namespace, "uid": job["metadata"]["uid"]}
    client.create(
        EVENT,
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "digits.1", "namespace": namespace},
            "involvedObject": about,
            "reason": "Told",
            "message": "something was said",
            "type": "Normal",
        },
    )
