"""A real cluster and users with few rights: what they may not see is left out with a note, what they may not do ends with 4.

Quotas and rules of the cluster end with 10, a token that nobody knows with 4. Everything here is the word of a real API
server.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import LEASE, NAMESPACE
from corral.ports.object_store import Patch
from corral.testing.control_plane.real_control_plane import RealControlPlane
from tests.surfaces.conftest import private_environment
from tests.surfaces.few_rights import FOREIGN, OWN, admin_client, furnish, kubeconfig_of, take_away
from tests.surfaces.hollow_stage import until

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

Typed = Callable[..., "subprocess.CompletedProcess[str]"]
QUOTA = ApiResource("", "v1", "ResourceQuota", "resourcequotas")
POLICY = ApiResource(
    "admissionregistration.k8s.io",
    "v1",
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    namespaced=False,
)
BINDING = POLICY._replace(kind="ValidatingAdmissionPolicyBinding", plural="validatingadmissionpolicybindings")


class Ground:
    """A real API server with a namespace to read, one that is somebody else's, and a job in each."""

    def __init__(self, admin: Path, folder: Path, client: SyncClient) -> None:
        self.admin = admin
        self.folder = folder
        self.client = client

    def typed(self, *words: str, user: str = "jane") -> "subprocess.CompletedProcess[str]":
        """Runs a command line in the name of a user; "" is the administrator."""
        kubeconfig = kubeconfig_of(self.admin, self.folder / f"kubeconfig-{user}", user) if user else self.admin
        around = {**private_environment(self.folder / "home"), "KUBECONFIG": str(kubeconfig)}
        command = [sys.executable, "-m", "corral", *words]
        return subprocess.run(
            command, env=around, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )


@pytest.fixture(scope="module")
def ground(real_control_plane: RealControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    folder = tmp_path_factory.mktemp("few-rights")
    with admin_client(real_control_plane.kubeconfig) as client:
        ground = Ground(real_control_plane.kubeconfig, folder, client)
        done = ground.typed("install", user="")
        assert done.returncode == 0, done.stderr
        until(lambda: ground.typed("list", "-A", user="").returncode == 0, "the training kinds")
        try:
            furnish(client)
            yield ground
        finally:
            take_away(client)


LOOKING: dict[str, tuple[str, str]] = {
    "jobs": ("list", "digits"),
    "a job": ("get digits", "digits-master-0"),
    "its events": ("events digits", "something was said"),
    "why it waits": ("why digits", "no node is free"),
    "what it prints": ("logs digits", ""),
    "what jobs use": ("top job", "digits"),
    "pods": ("get pods", "digits-master-0"),
}


@pytest.mark.parametrize("case", LOOKING)
def test_who_may_read_one_namespace_sees_it(case: str, ground: Ground) -> None:
    line, want = LOOKING[case]
    done = ground.typed(*line.split())
    assert (done.returncode, want in done.stdout) == (0, True), done.stderr
    assert "error:" not in done.stderr


def test_what_only_nodes_can_tell_is_left_out_with_a_note(ground: Ground) -> None:
    assert "note: left out, since you may not list nodes" in ground.typed("why", "digits").stderr


def test_all_namespaces_are_those_that_may_be_read(ground: Ground) -> None:
    done = ground.typed("list", "-A")
    assert done.returncode == 0
    assert OWN in done.stdout
    assert FOREIGN not in done.stdout
    assert done.stderr == f"note: left out, since you may not list all jobs: those outside of namespace {OWN}\n"
    assert FOREIGN in ground.typed("list", "-A", user="").stdout
    assert "list pods" not in ground.typed("top", "job", "-A").stderr


def test_who_may_read_jobs_alone_is_told_what_pods_would_tell(ground: Ground) -> None:
    done = ground.typed("list", user="kim")
    assert (done.returncode, "digits" in done.stdout) == (0, True)
    assert "note: left out, since you may not list pods" in done.stderr
    assert ground.typed("get", "digits", user="kim").returncode == 0
    assert ground.typed("why", "digits", user="kim").returncode == 0


REFUSED = {
    "jobs of others": f"list -n {FOREIGN}",
    "a job of others": f"get digits -n {FOREIGN}",
    "logs of others": f"logs digits -n {FOREIGN}",
    "pods of everybody": "get pods -A",
    "deleting": "delete digits",
    "suspending": "suspend digits",
    "submitting": "submit pytorchjob --name a --image b --namespace few-rights-own true",
    "applying": "apply -f job.json",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_allowed_ends_with_4_and_names_the_right(case: str, ground: Ground) -> None:
    (ground.folder / "job.json").write_text('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}')
    done = ground.typed(*REFUSED[case].split())
    assert (done.returncode, done.stdout) == (4, ""), done.stderr
    error, hint = done.stderr.splitlines()[-2:]
    assert 'User "jane" cannot' in error
    assert hint.startswith("hint: ask an administrator for the right to ")


def test_the_doctor_says_what_rights_are_missing(ground: Ground) -> None:
    findings = _examined(ground, "jane")
    assert findings["api"]["level"] == findings["kinds"]["level"] == "ok"
    assert findings["rights"]["level"] == "warn"
    assert findings["rights"]["text"].endswith("you may not submit jobs, delete jobs, run commands in pods")
    assert _examined(ground, "")["rights"]["level"] == "ok"
    assert _examined(ground, "nobody")["rights"]["level"] == "fail"


def test_the_doctor_hears_whether_an_operator_lives(ground: Ground) -> None:
    assert _examined(ground, "")["operator"]["level"] == "warn"
    key = ObjectKey("kube-system", "corral-operator")
    lease = {
        "apiVersion": LEASE.api_version,
        "kind": "Lease",
        "metadata": {"name": key.name, "namespace": key.namespace},
        "spec": {"holderIdentity": "x", "leaseDurationSeconds": 15, "renewTime": "2020-01-01T00:00:00.000000Z"},
    }
    ground.client.create(LEASE, lease)
    try:
        assert _examined(ground, "")["operator"]["level"] == "fail"
        fresh = {"spec": {"renewTime": "2120-01-01T00:00:00.000000Z"}}
        ground.client.patch(LEASE, key, Patch("merge", fresh))
        found = _examined(ground, "")["operator"]
        assert (found["level"], "corral operator was heard" in found["text"]) == ("ok", True)
    finally:
        ground.client.delete(LEASE, key)


def _examined(ground: Ground, user: str) -> dict[str, dict[str, str]]:
    found: list[dict[str, str]] = json.loads(ground.typed("doctor", "-o", "json", user=user).stdout)
    return {one["subject"]: one for one in found}


def test_a_token_that_nobody_knows_ends_with_4(ground: Ground) -> None:
    config = json.loads(kubeconfig_of(ground.admin, ground.folder / "expired").read_text())
    config["users"] = [{"name": one["name"], "user": {"token": "no-such-token"}} for one in config["users"]]
    (ground.folder / "expired").write_text(json.dumps(config))
    done = ground.typed("list", "--kubeconfig", "expired")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.splitlines()[-1].startswith("hint: the API server does not accept these credentials")
    assert "no-such-token" not in done.stderr


def test_a_quota_that_is_used_up_ends_with_10(ground: Ground) -> None:
    # Custom kinds are counted by the quota controller minutes after they are defined; its own kinds at once.
    hard = {"count/configmaps": "0"}
    manifest = ground.folder / "more.json"
    manifest.write_text('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more"}}')
    quota = {"metadata": {"name": "few", "namespace": OWN}, "spec": {"hard": hard}}
    ground.client.create(QUOTA, {"apiVersion": "v1", "kind": "ResourceQuota", **quota})
    key = ObjectKey(OWN, "few")
    try:
        until(
            lambda: next(iter(hard)) in (ground.client.get(QUOTA, key).get("status") or {}).get("used", {}),
            "the quota to count",
        )
        done = ground.typed("apply", "-f", str(manifest), "-n", OWN, user="")
    finally:
        ground.client.delete(QUOTA, key)
    assert (done.returncode, done.stdout) == (10, "")
    error, hint = done.stderr.splitlines()[-2:]
    assert "exceeded quota: few" in error
    assert hint.startswith("hint: `corral get resourcequotas`")


PRIVILEGED: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "strong"},
    "spec": {"containers": [{"name": "a", "image": "b", "securityContext": {"privileged": True}}]},
}


def test_pod_security_ends_with_10(ground: Ground) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    name = "few-rights-guarded"
    ground.client.create(
        NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
    )
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    (ground.folder / "pod.json").write_text(json.dumps(PRIVILEGED))
    (ground.folder / "account.json").write_text(json.dumps(account))
    try:
        assert ground.typed("apply", "-f", "account.json", "-n", name, "--force-conflicts", user="").returncode == 0
        done = ground.typed("apply", "-f", "pod.json", "-n", name, user="")
    finally:
        ground.client.delete(NAMESPACE, ObjectKey("", name))
    assert (done.returncode, done.stdout) == (10, "")
    assert "violates PodSecurity" in done.stderr


def test_a_policy_of_the_cluster_ends_with_10(ground: Ground) -> None:
    rules = [
        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]},
    ]
    spec = {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": rules},
        "validations": [{"expression": "object.metadata.name != 'unwanted'", "message": "nobody wants it"}],
    }
    policy = {"apiVersion": POLICY.api_version, "kind": POLICY.kind, "metadata": {"name": "unwanted"}, "spec": spec}
    binding = {
        "apiVersion": BINDING.api_version,
        "kind": BINDING.kind,
        "metadata": {"name": "unwanted"},
        "spec": {"policyName": "unwanted", "validationActions": ["Deny"]},
    }
    manifest = ground.folder / "unwanted.json"
    manifest.write_text('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "unwanted"}}')
    ground.client.create(POLICY, policy)
    ground.client.create(BINDING, binding)

    def refused() -> "subprocess.CompletedProcess[str] | None":
        done = ground.typed("apply", "-f", str(manifest), "-n", OWN, user="")
        if done.returncode:
            return done
        # It came before the policy; only a create is refused, so it must go first.
        ground.typed("delete", "configmap/unwanted", "-n", OWN, user="")
        return None

    try:
        done = until(refused, "the policy to be heard")
    finally:
        ground.client.delete(BINDING, ObjectKey("", "unwanted"))
        ground.client.delete(POLICY, ObjectKey("", "unwanted"))
    assert done is not None
    assert (done.returncode, done.stdout) == (10, "")
    assert "nobody wants it" in done.stderr


def test_an_api_that_is_down_ends_with_8(ground: Ground) -> None:
    config = json.loads(kubeconfig_of(ground.admin, ground.folder / "down").read_text())
    for one in config["clusters"]:
        one["cluster"]["server"] = "https://127.0.0.1:1"
    (ground.folder / "down").write_text(json.dumps(config))
    done = ground.typed("list", "--kubeconfig", "down")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (8, "", 2)


def test_no_secret_of_the_administrator_is_told(ground: Ground) -> None:
    shown = ground.typed("list", "--debug", user="").stderr
    assert "GET /apis/kubeflow.org/v1/namespaces/" in shown
    assert os.path.exists(ground.admin)
    for line in ground.admin.read_text().splitlines():
        name, _, value = line.strip().partition(": ")
        if name in ("token", "client-key-data"):
            assert value not in shown
