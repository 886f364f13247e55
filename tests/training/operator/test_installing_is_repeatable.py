"""`corral install` puts the definitions where it says, and a second time changes nothing."""

import subprocess
import sys
import time
from pathlib import Path

import yaml

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.installed import definitions as installed
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.testing.embedded_api import EmbeddedApi

KINDS = {one["spec"]["names"]["kind"] for one in installed()}


def corral(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "corral", *words], capture_output=True, text=True, timeout=120, check=False
    )


def test_the_second_time_changes_nothing_and_the_target_is_named(api: EmbeddedApi, kubeconfig: Path) -> None:
    first, second = (corral("install", "--kubeconfig", str(kubeconfig)) for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert f"installing on test ({api.access.server}, chosen by current kube context)" in first.stderr
    definitions = [line for line in second.stdout.splitlines() if " customresourcedefinitions" in line]
    assert len(definitions) == len(KINDS)
    assert all(line.startswith("unchanged ") for line in definitions), second.stdout


def test_rules_that_the_server_has_built_in_are_mentioned_once(kubeconfig: Path) -> None:
    done = corral("install", "--kubeconfig", str(kubeconfig))
    rest = [line for line in done.stdout.splitlines() if " customresourcedefinitions" not in line]
    (line,) = rest
    assert line.startswith("left out ")
    assert "ValidatingAdmissionPolicy and ValidatingAdmissionPolicyBinding" in line
    assert line.endswith(": this server has these rules built in")


def test_a_removed_definition_comes_back(api: EmbeddedApi, kubeconfig: Path) -> None:
    with SyncClient(api.access) as client:
        client.delete_collection(CUSTOM_RESOURCE_DEFINITION)
        deadline = time.monotonic() + 60
        while (
            client.list(CUSTOM_RESOURCE_DEFINITION) and time.monotonic() < deadline
        ):  # they go when their objects have
            time.sleep(0.05)
        done = corral("install", "--kubeconfig", str(kubeconfig))
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("created  ") == len(KINDS)
        for facts in TRAINING_KINDS:
            assert client.list(facts.resource) == []


def test_a_dry_run_prints_what_kubectl_can_apply() -> None:
    done = corral("install", "--dry-run")
    assert done.returncode == 0, done.stderr
    printed = list(yaml.safe_load_all(done.stdout))
    kinds = {one["spec"]["names"]["kind"] for one in printed if one["kind"] == "CustomResourceDefinition"}
    assert kinds == KINDS
    assert {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"} <= {one["kind"] for one in printed}
