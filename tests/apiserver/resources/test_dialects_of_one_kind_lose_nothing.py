"""Events and autoscalers have two dialects over one store: what is written in one and read in the other comes back."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from corral.engine.apiserver.resources.autoscaler_v1 import as_v1, as_v2, default_metric
from corral.engine.apiserver.resources.events import as_core_event, as_new_event

QUANTITIES = st.sampled_from(["1", "500m", "2Gi"])
NAMES = st.sampled_from(["queue", "lag"])
SELECTED = st.sampled_from([{}, {"selector": {"matchLabels": {"a": "b"}}}])
AVERAGE = st.builds(lambda value: {"type": "AverageValue", "averageValue": value}, QUANTITIES)
VALUE = st.builds(lambda value: {"type": "Value", "value": value}, QUANTITIES)
SHARE = st.builds(lambda value: {"type": "Utilization", "averageUtilization": value}, st.integers(1, 99))
IDENTIFIED = st.builds(lambda name, selected: {"name": name, **selected}, NAMES, SELECTED)
TARGETED = {"apiVersion": "v1", "kind": "Service", "name": "s"}
METRICS = st.one_of(
    st.builds(lambda m, t: {"type": "Pods", "pods": {"metric": m, "target": t}}, IDENTIFIED, AVERAGE),
    st.builds(lambda m, t: {"type": "External", "external": {"metric": m, "target": t}}, IDENTIFIED, AVERAGE | VALUE),
    st.builds(
        lambda m, t: {"type": "Object", "object": {"describedObject": TARGETED, "metric": m, "target": t}},
        IDENTIFIED,
        VALUE,
    ),
    st.builds(lambda t: {"type": "Resource", "resource": {"name": "memory", "target": t}}, AVERAGE | SHARE),
    st.builds(
        lambda t: {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "c", "target": t}},
        AVERAGE | SHARE,
    ),
)
RULES = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}],
}


@given(st.lists(METRICS, max_size=3), st.booleans(), st.booleans())
def test_an_autoscaler_survives_version_1(metrics: list[Any], behaves: bool, has_cpu: bool) -> None:
    # Processor time is the last metric, because version 1 keeps it in a field of its own.
    wanted = [*metrics, default_metric(70)] if has_cpu or not metrics else metrics
    spec: dict[str, Any] = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
        "minReplicas": 1,
        "maxReplicas": 9,
        "metrics": wanted,
    }
    if behaves:
        spec["behavior"] = {"scaleUp": RULES, "scaleDown": RULES}
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a", "annotations": {"keep": "me"}},
        "spec": spec,
        "status": {"currentMetrics": None, "currentReplicas": 1, "desiredReplicas": 2},
    }
    assert as_v2(as_v1(scaler)) == scaler


def test_annotations_that_a_user_forged_do_not_survive_version_2() -> None:
    forged = {"autoscaling.alpha.kubernetes.io/metrics": "not json"}
    old = {"apiVersion": "autoscaling/v1", "metadata": {"name": "a", "annotations": forged}, "spec": {"maxReplicas": 2}}
    new = as_v2(old)
    assert "annotations" not in new["metadata"]
    assert new["spec"]["metrics"] == [default_metric()]


@given(st.booleans(), st.integers(0, 5), st.sampled_from(["", "said"]))
def test_an_event_survives_the_other_dialect(is_new: bool, count: int, message: str) -> None:
    event: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "n"},
        "involvedObject": {"kind": "Pod", "name": "p"},
        "source": {} if is_new else {"component": "c"},
        "firstTimestamp": None,
        "lastTimestamp": None if is_new else "2024-01-01T00:00:00Z",
        "eventTime": "2024-01-01T00:00:00.000000Z" if is_new else None,
        "reportingComponent": "c" if is_new else "",
        "reportingInstance": "i" if is_new else "",
        **({"count": count} if count else {}),
        **({"message": message} if message else {}),
    }
    assert as_core_event(as_new_event(event)) == event
