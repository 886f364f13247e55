"""A scene of the demo: a distributed training job in the hands of the operator.

This release has no node, so the scene writes the phases of pods as a kubelet would; everything else is the real thing.
"""

import time
from collections.abc import Callable
from pathlib import Path

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.errors import CorralError
from corral.kinds.documents import load_document
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.training.pytorch import PYTORCH_JOB
from corral.kinds.well_known import POD, SERVICE
from corral.ports.object_store import Patch, Scope
from tools.patience import wait_for

Say = Callable[[str], None]

MANIFEST = Path(__file__).parents[1] / "examples/01-training-jobs/pytorch.yaml"
NAMESPACE = "default"
TOLD = ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK")


def play_training(client: SyncClient, say: Say) -> None:
    """Submits a job, lets one worker fail, and lets the master finish."""
    manifest = load_document(MANIFEST.read_text())
    manifest["spec"]["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] = "ExitCode"
    name = manifest["metadata"]["name"]
    _refused(client, manifest, say)
    began = time.perf_counter()
    client.create(PYTORCH_JOB.resource, {**manifest, "metadata": {"name": name, "namespace": NAMESPACE}})
    scope = Scope(NAMESPACE, labels=f"training.kubeflow.org/job-name={name}")
    pods = wait_for(f"3 pods of {name}", lambda: client.list(POD, scope), lambda found: len(found) == 3)
    services = wait_for(f"3 services of {name}", lambda: client.list(SERVICE, scope), lambda found: len(found) == 3)
    took = (time.perf_counter() - began) * 1000
    say(f"{took:.0f} ms after the job: {len(pods)} pods and {len(services)} services, made at once")
    say(f"{name}-worker-1 was told {_told(pods, f'{name}-worker-1')}")
    for pod in pods:
        _phase(client, pod["metadata"]["name"], {"phase": "Running"})
    _wait_state(client, name, "Running")
    _lose_a_worker(client, name, say)
    _phase(client, f"{name}-master-0", {"phase": "Succeeded"})
    states = _wait_state(client, name, "Succeeded")
    say(f"the master finishes; conditions: {', '.join(states)}")


def _refused(client: SyncClient, manifest: Object, say: Say) -> None:
    """Shows what a slip of the finger is told."""
    template = {"spec": {"containers": [{"name": "pytorch"}]}}
    specs = {"Master": {"replicas": 2, "template": template}, "Wroker": {"replicas": 1, "template": template}}
    wrong = {**manifest, "metadata": {"name": "wrong", "namespace": NAMESPACE}, "spec": {"pytorchReplicaSpecs": specs}}
    try:
        client.create(PYTORCH_JOB.resource, wrong)
    except CorralError as error:
        say("a wrong job is refused, with all its faults at once:")
        for fault in error.message.partition("denied request: ")[2].strip("[]").split(", spec."):
            say(f"  {fault if fault.startswith('spec.') else f'spec.{fault}'}")


def _lose_a_worker(client: SyncClient, name: str, say: Say) -> None:
    ended = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "startedAt": None, "finishedAt": None}}
    container = {"name": PYTORCH_JOB.container, "image": "", "imageID": "", "ready": False, "restartCount": 0}
    uid = client.get(POD, ObjectKey(NAMESPACE, f"{name}-worker-0"))["metadata"]["uid"]
    _phase(client, f"{name}-worker-0", {"phase": "Failed", "containerStatuses": [{**container, "state": ended}]})

    def replacement() -> Object | None:
        found = client.list(POD, Scope(NAMESPACE, fields=f"metadata.name={name}-worker-0"))
        return next((pod for pod in found if pod["metadata"]["uid"] != uid), None)

    wait_for(f"another {name}-worker-0", replacement, bool)
    failure = _job(client, name)["status"]["failures"][-1]
    say(f"{failure['pod']} fails and is replaced; class: {failure['class']}, evidence: {failure['reason']}")
    _phase(client, f"{name}-worker-0", {"phase": "Running"})


def _told(pods: list[Object], name: str) -> str:
    pod = next(pod for pod in pods if pod["metadata"]["name"] == name)
    told = {one["name"]: one.get("value", "") for one in pod["spec"]["containers"][0]["env"]}
    return " ".join(f"{variable}={told[variable]}" for variable in TOLD)


def _job(client: SyncClient, name: str) -> Object:
    return client.get(PYTORCH_JOB.resource, ObjectKey(NAMESPACE, name))


def _wait_state(client: SyncClient, name: str, state: str) -> list[str]:
    return wait_for(f"{name} to be {state}", lambda: _states(client, name), lambda states: states[-1] == state)


def _states(client: SyncClient, name: str) -> list[str]:
    conditions = (_job(client, name).get("status") or {}).get("conditions") or [{"type": "", "status": ""}]
    return [one["type"] + ("" if one["status"] == "True" else "=False") for one in conditions]


def _phase(client: SyncClient, name: str, status: Object) -> None:
    client.patch(POD, ObjectKey(NAMESPACE, name), Patch("merge", {"status": status}), subresource="status")
