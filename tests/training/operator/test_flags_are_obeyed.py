"""`corral operator` does what its flags say, also under the names that the training operator gave them."""

import json
import subprocess
import sys
from http.client import HTTPException
from pathlib import Path

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.well_known import NAMESPACE, POD
from corral.testing.embedded_api import EmbeddedApi
from tests.training.operator.conftest import Start
from tests.training.stage import Stage


def refused(kubeconfig: Path, *options: str, status: int = 1) -> str:
    words = [sys.executable, "-m", "corral", "operator", "--kubeconfig", str(kubeconfig), *options]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == status, ended.stderr
    return ended.stderr


def test_only_the_kinds_that_are_enabled_are_looked_after(start: Start, stage: Stage) -> None:
    start("--enable-scheme", "tfjob", "--enable-kind", "JAXJob")
    other = stage.submit("PyTorchJob", "other")
    stage.submit("JAXJob", "second").wait_pods("worker-0", "worker-1")
    stage.submit("TFJob", "first").wait_pods("worker-0", "worker-1")
    assert "status" not in stage.get(other.resource, other.name)


@pytest.mark.parametrize("by_variable", [False, True])
def test_only_its_namespace_is_looked_at(start: Start, api: EmbeddedApi, stage: Stage, by_variable: bool) -> None:
    with SyncClient(api.access) as client:
        client.create(NAMESPACE, {"metadata": {"name": "team"}})
        team = Stage(client, "team", is_real=False, warnings=[])
        if by_variable:
            start(KUBEFLOW_NAMESPACE="team")
        else:
            start("--namespace", "team")
        outside = stage.submit("TFJob")
        team.submit("TFJob").wait_pods("worker-0", "worker-1")
        assert "status" not in stage.get(outside.resource, outside.name)
        assert stage.all(POD) == []


def test_an_unknown_kind_is_refused_with_those_there_are(kubeconfig: Path) -> None:
    told = refused(kubeconfig, "--enable-kind", "RayJob", status=2)
    assert "there is no training kind rayjob" in told
    assert "TFJob, PyTorchJob" in told


def test_gangs_without_their_kind_are_refused_at_the_start(kubeconfig: Path) -> None:
    told = refused(kubeconfig, "--gang-scheduler-name", "volcano", "--metrics-bind-address", "0")
    assert "need PodGroup of scheduling.volcano.sh/v1beta1, which is not installed" in told


def test_an_address_that_is_none_is_refused(kubeconfig: Path) -> None:
    assert '"here" is not an address' in refused(kubeconfig, "--metrics-bind-address", "here")


def test_the_address_0_serves_nothing(start: Start) -> None:
    operator = start("--metrics-bind-address", "0")
    with pytest.raises((OSError, HTTPException)):
        operator.measurements()


def test_log_lines_can_be_json(start: Start, stage: Stage) -> None:
    operator = start("--log-format", "json")
    operator.stop()
    lines = [json.loads(line) for line in operator.log.read_text().splitlines()]
    assert {"time", "level", "logger", "message"} <= lines[-1].keys()


def test_the_embedded_cluster_is_said_to_have_an_operator_of_its_own(start: Start, stage: Stage) -> None:
    log = start().log
    stage.wait(log.read_text, lambda text: "`corral up` runs one of its own" in text)
    (line,) = [line for line in log.read_text().splitlines() if "one of its own" in line]
    assert " warning operator: " in line
    assert "--api-only" in line
