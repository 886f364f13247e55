"""Every object in recorded.json came from a real kube-apiserver; from the same object and step we must get the same.

Plain writes are compared by their managers, applies by the whole object or the refusal. Not compared is what the
server sets after managers were noted: generations and versions, and what admission adds to a pod.
"""

import json
from copy import deepcopy
from typing import Any

import pytest

from corral.engine.apiserver.apply.applying import Request, apply
from corral.engine.apiserver.apply.tracking import FieldTracking, manager_of, track_update
from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.resources.plain import plain_resources
from corral.engine.apiserver.resources.workloads import workload_resources
from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.schema.completion import complete
from corral.engine.apiserver.schema.defaulting import apply_defaults
from corral.engine.apiserver.schema.structural import compile_schema
from tests.apiserver.apply.stories import THING_SCHEMA, deed_of, recorded, stories

STORIES, RECORDED = stories(), recorded()
STEPS = [(name, index) for name, story in STORIES.items() for index in range(len(story["steps"]))]
THING = compile_schema(THING_SCHEMA)
STRATEGIES = {r.kind: r.strategy for r in (*plain_resources(builtin_schema), *workload_resources(builtin_schema))}
ADDED_LATER = {
    "Pod": ("serviceAccount", "serviceAccountName", "priority", "preemptionPolicy", "tolerations"),
    "Service": ("clusterIPs", "ipFamilies", "ipFamilyPolicy"),
    "Job": ("selector",),
}
STATUS_RESETS: dict[str, Any] = {
    "Pod": {"f:spec": {}, "f:metadata": {"f:deletionTimestamp": {}, "f:ownerReferences": {}}},
    "Deployment": {"f:spec": {}, "f:metadata": {"f:labels": {}}},
}


def tracking_for(obj: dict[str, Any], *, status: bool) -> FieldTracking:
    version, kind = obj["apiVersion"], obj["kind"]
    group, _, name = version.rpartition("/")
    custom = kind == "Thing"
    schema = THING if custom else builtin_schema(group, name, kind)
    resets = STATUS_RESETS.get(kind, {"f:spec": {}}) if status else {}
    if not status and (custom or "status" in schema.properties):
        resets = {"f:status": {}}
    return FieldTracking(schema, version, kind, "status" if status else "", custom, resets)


def sent(after: dict[str, Any], before: dict[str, Any] | None, step: dict[str, Any]) -> dict[str, Any]:
    """Returns the written object as it was when its managers were noted."""
    metadata = {key: value for key, value in after["metadata"].items() if key != "managedFields"}
    if before is not None:
        metadata["managedFields"] = before["metadata"].get("managedFields", [])
    asked = step[deed_of(step)].get("metadata", {}) if isinstance(step[deed_of(step)], dict) else {}
    if "managedFields" in asked:
        metadata["managedFields"] = asked["managedFields"]
    result = {**after, "metadata": metadata}
    if before is None and after["kind"] in ADDED_LATER:
        asked = step["create"]["spec"]
        added = set(ADDED_LATER[after["kind"]]) - asked.keys()
        result["spec"] = {key: value for key, value in after["spec"].items() if key not in added}
        if "tolerations" in asked:
            result["spec"]["tolerations"] = asked["tolerations"]
        if after["kind"] == "Job":
            metadata.pop("labels")
            result["spec"]["template"] = {"metadata": {}, "spec": after["spec"]["template"]["spec"]}
    return result


def printed(entries: list[dict[str, Any]]) -> list[str]:
    """Returns the sets as text, because the order of their keys is part of their form."""
    return [json.dumps(entry["fieldsV1"]) for entry in entries]


def noted_at(after: dict[str, Any], before: dict[str, Any] | None) -> str:
    times = {entry.get("time", "") for entry in after["metadata"].get("managedFields", ())}
    times -= {entry.get("time", "") for entry in (before or {}).get("metadata", {}).get("managedFields", ())}
    return max(times, default="never")


def stripped(obj: dict[str, Any]) -> dict[str, Any]:
    server_set = ("resourceVersion", "generation", "uid", "creationTimestamp", "managedFields", "namespace")
    metadata = {key: value for key, value in obj["metadata"].items() if key not in server_set}
    return {**obj, "metadata": metadata}


@pytest.mark.parametrize(
    ("story", "index"), [pair for pair in STEPS if "apply" not in STORIES[pair[0]]["steps"][pair[1]]]
)
def test_a_plain_write_leaves_the_same_managers(story: str, index: int) -> None:
    step, record = STORIES[story]["steps"][index], RECORDED[story][index]
    before, after = record["before"], record["after"]
    tracking = tracking_for(after, status=bool(step.get("status")))
    manager = manager_of(step.get("by", ""), step.get("agent", "record"))
    managers = track_update(tracking, before, sent(after, before, step), manager, noted_at(after, before))
    assert managers == after["metadata"].get("managedFields", [])
    assert printed(managers) == printed(after["metadata"].get("managedFields", []))


@pytest.mark.parametrize(("story", "index"), [pair for pair in STEPS if "apply" in STORIES[pair[0]]["steps"][pair[1]]])
def test_an_apply_makes_the_same_object_or_the_same_refusal(story: str, index: int) -> None:
    step, record = STORIES[story]["steps"][index], RECORDED[story][index]
    before, after = record["before"], record["after"]
    refused = after["kind"] == "Status"
    tracking = tracking_for(before if refused else after, status=bool(step.get("status")))
    now = "never" if refused else noted_at(after, before)
    request = Request(step["apply"], step["by"], bool(step.get("force")), now)
    if refused and after.get("reason") != "Invalid":
        with pytest.raises(ApiFailure) as failure:
            apply(tracking, before, request)
        assert comparable(failure.value.status()) == comparable(after)
        return
    applied = apply(tracking, before, request)
    if refused:
        # What validation refuses afterwards: an emptied map of a custom resource is null.
        assert "null" in after["message"]
        assert None in applied.object["spec"].values()
        return
    managers = applied.object["metadata"].get("managedFields", [])
    assert managers == after["metadata"].get("managedFields", [])
    assert printed(managers) == printed(after["metadata"].get("managedFields", []))
    assert applied.changed is (
        before is None or before["metadata"]["resourceVersion"] != after["metadata"]["resourceVersion"]
    )
    if before is not None and not step.get("status"):
        assert stripped(defaulted(applied.object, tracking)) == stripped(after)


def comparable(status: dict[str, Any]) -> dict[str, Any]:
    """Returns a refusal with its causes sorted: the real server names managers in any order there."""
    result = {key: value for key, value in status.items() if value != ""}
    if causes := result.get("details", {}).get("causes"):
        result["details"] = {"causes": sorted(causes, key=lambda cause: (cause["message"], cause["field"]))}
    return result


def defaulted(obj: dict[str, Any], tracking: FieldTracking) -> dict[str, Any]:
    """Returns an applied object as it is stored."""
    result = deepcopy(obj)
    if tracking.custom:
        apply_defaults(THING, result)
    else:
        STRATEGIES[tracking.kind].default(result)
        complete(tracking.schema, result)
    return result
