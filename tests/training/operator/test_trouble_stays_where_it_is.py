"""A missing kind and a poisonous object are told, and hold up nobody else."""

import asyncio
from pathlib import Path

import pytest

from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.training.definitions import definitions
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION, POD
from corral.ports.object_store import Patch
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.fault_proxy import FaultProxy, Seen, reply
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.training.manifests import IMAGE
from tests.training.operator.conftest import Start
from tests.training.stage import Stage


def definition_of(kind: str) -> Object:
    return next(one for one in definitions() if one["spec"]["names"]["kind"] == kind)


def test_a_kind_that_is_not_installed_is_waited_for(start: Start, stage: Stage) -> None:
    missing = definition_of("MXJob")
    key = ObjectKey("", missing["metadata"]["name"])
    stage.client.delete(CUSTOM_RESOURCE_DEFINITION, key)
    stage.wait_gone(CUSTOM_RESOURCE_DEFINITION, key.name)
    operator = start()
    stage.submit("TFJob").wait_pods("worker-0", "worker-1")
    assert "[+] cache of mxjobs.kubeflow.org: not installed" in operator.answer("/readyz")[1]
    stage.client.create(CUSTOM_RESOURCE_DEFINITION, missing)
    stage.wait(lambda: stage.find(CUSTOM_RESOURCE_DEFINITION, key.name), lambda found: found and is_served(found))
    stage.submit("MXJob", "late").wait_pods("scheduler-0", "worker-0")


def is_served(definition: Object) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or []
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def test_a_poisonous_status_leaves_other_jobs_untouched(start: Start, stage: Stage) -> None:
    poisoned = definition_of("TFJob")
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    for version in poisoned["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"]["properties"]["status"] = anything
    key = ObjectKey("", poisoned["metadata"]["name"])
    stage.client.patch(CUSTOM_RESOURCE_DEFINITION, key, Patch("merge", {"spec": poisoned["spec"]}))
    bad = stage.submit("TFJob", "bad", {"Worker": 1})
    stage.change(bad.resource, "bad", {"status": {"conditions": "none of your business"}}, subresource="status")
    operator = start()
    stage.submit("TFJob", "good", {"Worker": 1}).wait_pods("worker-0")
    stage.submit("JAXJob", "other").wait_pods("worker-0", "worker-1")
    assert operator.answer("/healthz")[0] == 200


def test_a_job_that_cannot_be_helped_is_told_and_others_go_on(start: Start, stage: Stage) -> None:
    foreign = {"containers": [{"name": "theirs", "image": IMAGE}]}
    stage.make(POD, "blocked-worker-0", spec=foreign)
    operator = start()
    blocked = stage.submit("TFJob", "blocked", {"Worker": 1})
    stage.wait(lambda: operator.answer("/readyz")[1], lambda text: "controller TFJob: 0 waiting, 1 failing" in text)
    stage.submit("TFJob", "good", {"Worker": 1}).wait_pods("worker-0")
    assert operator.answer("/healthz")[0] == 200
    stage.wait(lambda: blocked.messages("FailedCreatePod"))
    assert 'corral_operator_reconcile_failures_total{kind="TFJob"} 0' not in operator.measurements()


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_job_that_always_fails_says_so_itself(
    api: EmbeddedApi, start: Start, stage: Stage, tmp_path: Path, anyio_backend: str
) -> None:
    """Without the right to write a status nothing but the operator's log would tell why the job stands still."""

    def withhold(seen: Seen) -> object:
        is_status = seen.method in ("PUT", "PATCH") and seen.path.partition("?")[0].endswith("/stuck/status")
        return reply(403, "Forbidden", message="tfjobs/status is forbidden") if is_status else None

    async with FaultProxy(api.access) as proxy:
        proxy.fault_for = withhold  # type: ignore[assignment]
        way = written_kubeconfig(proxy.access(token="any"), tmp_path / "through-the-proxy")
        operator = await asyncio.to_thread(start, at=way)
        stuck = await asyncio.to_thread(stage.submit, "TFJob", "stuck", {"Worker": 1})
        await asyncio.to_thread(stage.wait, lambda: stuck.messages("FailedReconcile"))
        (message,) = stuck.messages("FailedReconcile")
        assert "ForbiddenError: tfjobs/status is forbidden" in message
        assert "the operator's log" in message
        await asyncio.to_thread(operator.stop)
