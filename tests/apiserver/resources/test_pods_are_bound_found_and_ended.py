"""The life of a pod beyond its manifest: priority, binding, grace, selection, and what a status keeps."""

from typing import Any

import pytest

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.resources.equality import difference, is_same
from corral.engine.apiserver.resources.images import default_pull_policy
from corral.engine.apiserver.resources.pod_admission import Priority
from corral.engine.apiserver.resources.pods import PodStrategy, bind

NOW = "2024-01-01T00:00:00Z"
STRATEGY = PodStrategy()


def pod(**spec: Any) -> dict[str, Any]:
    body = {"containers": [{"name": "a", "image": "x:1"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "d"}, "spec": body}


def made(strategy: PodStrategy = STRATEGY, **spec: Any) -> dict[str, Any]:
    obj = pod(**spec)
    strategy.default(obj)
    strategy.prepare_create(obj)
    return obj


def binding(node: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "x", **metadata}, "target": {"kind": "Node", "name": node}}


def test_priority_comes_from_the_class() -> None:
    classes = {"": Priority("usual", 7, "Never"), "high": Priority("high", 1000)}
    strategy = PodStrategy(classes.get)
    spec = made(strategy)["spec"]
    assert (spec["priorityClassName"], spec["priority"], spec["preemptionPolicy"]) == ("usual", 7, "Never")
    assert made(strategy, priorityClassName="high")["spec"]["priority"] == 1000


def test_an_unknown_class_is_forbidden() -> None:
    with pytest.raises(ApiFailure) as refused:
        made(priorityClassName="nope")
    assert refused.value.code == 403
    assert refused.value.message == 'pods "x" is forbidden: no PriorityClass with name nope was found'


def test_a_bound_pod_is_scheduled_and_takes_what_the_binding_brings() -> None:
    before = made()
    bound = bind(before, binding("n1", annotations={"a": "b"}, labels={"zone": "z"}), NOW)
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["metadata"]["annotations"] == {"a": "b"}
    assert bound["metadata"]["labels"] == {"zone": "z"}
    condition = {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": NOW}
    assert bound["status"]["conditions"] == [condition]
    assert "nodeName" not in before["spec"]


def test_a_pod_is_bound_only_once() -> None:
    bound = bind(made(), binding("n1"), NOW)
    with pytest.raises(ApiFailure) as refused:
        bind(bound, binding("n2"), NOW)
    assert refused.value.code == 409
    assert refused.value.message == (
        'Operation cannot be fulfilled on pods/binding "x": pod x is already assigned to node "n1"'
    )
    assert refused.value.details == {"name": "x", "kind": "pods/binding"}


def test_gated_and_ending_pods_are_not_bound() -> None:
    with pytest.raises(ApiFailure, match=r"pod x has non-empty \.spec\.schedulingGates"):
        bind(made(schedulingGates=[{"name": "g"}]), binding("n1"), NOW)
    ending = made()
    ending["metadata"]["deletionTimestamp"] = NOW
    with pytest.raises(ApiFailure, match="pod x is being deleted, cannot be assigned to a host"):
        bind(ending, binding("n1"), NOW)


def test_a_binding_needs_a_node() -> None:
    with pytest.raises(ApiFailure) as refused:
        bind(made(), {"target": {"kind": "Foo"}}, NOW)
    assert refused.value.code == 500
    assert refused.value.message == (
        '[target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>", target.name: Required value]'
    )


def test_binding_replaces_the_condition_of_a_gate_that_was_opened() -> None:
    gated = made(schedulingGates=[{"name": "g"}])
    assert gated["status"]["conditions"][0]["reason"] == "SchedulingGated"
    gated["spec"]["schedulingGates"] = []
    conditions = bind(gated, binding("n1"), NOW)["status"]["conditions"]
    assert [(c["type"], c["status"], c.get("reason")) for c in conditions] == [("PodScheduled", "True", None)]


@pytest.mark.parametrize(
    ("spec", "phase", "requested", "want"),
    [
        ({"nodeName": "n"}, "Running", None, 30),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 5}, "Running", None, 5),
        ({"nodeName": "n"}, "Running", 2, 2),
        ({"nodeName": "n"}, "Running", 0, 0),
        ({"nodeName": "n"}, "Running", -1, 1),
        ({}, "Pending", 10, 0),
        ({"nodeName": "n"}, "Succeeded", None, 0),
        ({"nodeName": "n"}, "Failed", 10, 0),
    ],
)
def test_only_a_running_pod_gets_time_to_end(spec: Any, phase: str, requested: int | None, want: int) -> None:
    obj = made(**spec)
    obj["status"]["phase"] = phase
    assert STRATEGY.grace_period(obj, requested) == want


def test_pods_are_found_by_their_fields() -> None:
    obj = made(nodeName="n", hostNetwork=True)
    obj["status"] |= {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}
    assert STRATEGY.selectable(obj) == {
        "spec.nodeName": "n",
        "spec.restartPolicy": "Always",
        "spec.schedulerName": "default-scheduler",
        "spec.serviceAccountName": "default",
        "spec.hostNetwork": "true",
        "status.phase": "Pending",
        "status.podIP": "10.0.0.1",
        "status.nominatedNodeName": "",
    }


def test_a_status_keeps_owners_class_and_observed_generations() -> None:
    old = made()
    old["metadata"]["ownerReferences"] = [{"uid": "u"}]
    old["status"] |= {
        "observedGeneration": 3,
        "conditions": [{"type": "Ready", "status": "False", "observedGeneration": 3}],
    }
    new = pod(nodeName="elsewhere")
    new["metadata"]["labels"] = {"a": "b"}
    new["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    STRATEGY.prepare_status(new, old)
    assert new["spec"] == old["spec"]
    assert new["metadata"]["ownerReferences"] == [{"uid": "u"}]
    assert new["metadata"]["labels"] == {"a": "b"}
    assert new["status"] == {
        "phase": "Running",
        "qosClass": "BestEffort",
        "observedGeneration": 3,
        "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 3}],
    }


def test_a_forbidden_change_shows_the_lines_that_differ() -> None:
    old, new = made(), made()
    new["spec"]["containers"][0]["command"] = ["b"]
    (error,) = STRATEGY.validate_update(new, old)
    assert str(error).startswith("spec: Forbidden: pod updates may not change fields other than `spec.containers[*]")
    assert '+   "command": [' in str(error)


@pytest.mark.parametrize(
    ("one", "other", "want"),
    [
        ({"a": 1}, {"a": 1, "b": {}, "c": [], "d": None, "e": ""}, True),
        ({"a": {"b": {}}}, {}, True),
        ({"a": 0}, {}, False),
        ({"a": False}, {}, False),
        ([{"a": 1}], [{"a": 1, "b": None}], True),
        ([1], [1, 2], False),
        ("a", "b", False),
    ],
)
def test_empty_fields_make_no_difference(one: Any, other: Any, want: bool) -> None:
    assert is_same(one, other) is want
    assert is_same(other, one) is want


def test_a_difference_is_a_diff() -> None:
    assert difference({"a": 1}, {"a": 2}) == '@@ -1,3 +1,3 @@\n {\n- "a": 1\n+ "a": 2\n }\n'


def test_only_images_that_move_are_always_pulled() -> None:
    digest = "sha256:" + "0" * 64
    moving = ["x", "x:latest", "r.io:5000/a/b", "Host.example/x", f"x:latest@{digest}"]
    fixed = ["x:1", f"x@{digest}", "r.io:5000/a/b:v1", "Upper/x:", "", "a b", "0" * 64]
    assert {image: default_pull_policy(image) for image in moving} == dict.fromkeys(moving, "Always")
    assert {image: default_pull_policy(image) for image in fixed} == dict.fromkeys(fixed, "IfNotPresent")
