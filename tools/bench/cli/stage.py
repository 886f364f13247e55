"""An API with many jobs, as a team has after a while: most have ended, some run."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any, NamedTuple

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import Patch
from corral.reconcile.moments import stamp_of
from corral.testing.control_plane.cluster import ControlPlane
from tools.bench.node.corral_up import clean_environment
from tools.bench.wire import Refused

PYTORCH_JOB = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")
RUNNING_OF = 10
"""One job of so many runs and has its pods; of the others the pods are gone."""

_ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
"""Without it admission refuses pods; no controller is there to make it."""


class Stage(NamedTuple):
    """A running API, how to reach it, and what is in it."""

    environment: dict[str, str]
    kubeconfig: Path
    jobs: int
    pods: int


@contextmanager
def full_stage(parent: Path, corral: Path, jobs: int) -> Iterator[Stage]:
    """Starts an API in a home of its own, fills it, and removes everything at the end."""
    parent.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="home-", dir=parent))
    environment = clean_environment(
        CORRAL_HOME=str(home), KUBECONFIG=str(home / "kubeconfig"), CORRAL_CONTEXT="embedded"
    )
    try:
        _said(corral, environment, "up", "--api-only")
        yield _filled(environment, home / "kubeconfig", jobs)
    finally:
        subprocess.run([corral, "down"], env=environment, capture_output=True, timeout=120)
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def real_stage(parent: Path, corral: Path, jobs: int) -> Iterator[Stage]:
    """Starts etcd and a kube-apiserver with our definitions, fills it with the same, and stops it at the end."""
    parent.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="home-", dir=parent))
    try:
        with ControlPlane() as plane:
            environment = clean_environment(CORRAL_HOME=str(home), HOME=str(home), KUBECONFIG=str(plane.kubeconfig))
            _said(corral, environment, "install")
            plane.create("/api/v1/namespaces/default/serviceaccounts", _ACCOUNT)
            yield _filled(environment, plane.kubeconfig, jobs)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _filled(environment: dict[str, str], kubeconfig: Path, jobs: int) -> Stage:
    config = read_kubeconfig([str(kubeconfig)], must_exist=True)
    with SyncClient(access_of(config, config.current, environment)) as client:
        pods = sum(_write_job(client, number) for number in range(jobs))
    return Stage(environment, kubeconfig, jobs, pods)


def _said(corral: Path, environment: dict[str, str], *words: str) -> str:
    done = subprocess.run([corral, *words], env=environment, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Refused(f"corral {words[0]}: {done.stderr.strip()}")
    return done.stdout


def _write_job(client: SyncClient, number: int) -> int:
    """Writes one job with its status, and its pods when it runs; returns how many."""
    name, runs = f"train-{number:04d}", number % RUNNING_OF == 0
    container = {"name": "pytorch", "image": "repo/train:1", "resources": {"limits": {"nvidia.com/gpu": "2"}}}
    roles = {role: {"replicas": 1, "template": {"spec": {"containers": [container]}}} for role in ("Master", "Worker")}
    body = {"metadata": {"name": name, "namespace": "default"}, "spec": {"pytorchReplicaSpecs": roles}}
    made = client.create(PYTORCH_JOB, {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", **body})
    status = Patch("merge", {"status": _status(runs)})
    client.patch(PYTORCH_JOB, ObjectKey("default", name), status, subresource="status")
    if not runs:
        return 0
    for role in roles:
        _write_pod(client, name, made["metadata"]["uid"], role.lower(), container)
    return len(roles)


def _status(runs: bool) -> dict[str, Any]:
    now = time()
    said = ("Created", "Running") if runs else ("Created", "Succeeded")
    conditions = [
        {"type": word, "status": "True", "reason": f"Job{word}", "message": f"The job is {word.lower()}."}
        | {"lastTransitionTime": stamp_of(now), "lastUpdateTime": stamp_of(now)}
        for word in said
    ]
    times = {"startTime": stamp_of(now - 600)} | ({} if runs else {"completionTime": stamp_of(now)})
    counts = {"active": 1} if runs else {"succeeded": 1}
    return {"conditions": conditions, **times, "replicaStatuses": {"Master": counts, "Worker": counts}}


def _write_pod(client: SyncClient, job: str, uid: str, role: str, container: dict[str, Any]) -> None:
    marks = {"job-name": job, "replica-type": role, "replica-index": "0", "operator-name": "pytorchjob-controller"}
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": job, "uid": uid, "controller": True}
    name = f"{job}-{role}-0"
    metadata = {
        "name": name,
        "namespace": "default",
        "labels": {f"training.kubeflow.org/{mark}": value for mark, value in marks.items()},
        "ownerReferences": [owner],
    }
    spec = {"containers": [container], "restartPolicy": "Never", "nodeName": "node-1"}
    client.create(POD, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    running = {"phase": "Running", "hostIP": "10.0.0.1", "conditions": [{"type": "Ready", "status": "True"}]}
    client.patch(POD, ObjectKey("default", name), Patch("merge", {"status": running}), subresource="status")
