"""Elastic jobs with metrics get an autoscaler of their name, kept as they want it and taken when they no longer do."""

from typing import Any

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Action, Create, Delete, Update
from corral.reconcile.training.autoscaling import autoscaler_actions
from corral.reconcile.training.world import World
from tests.domain.reconcile.training_builders import UID, manifest

METRICS = [
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
]
ELASTIC = {"minReplicas": 1, "maxReplicas": 4, "metrics": METRICS}


def actions(held: Object | None = None, kind: str = "PyTorchJob", **given: Any) -> list[Action]:
    obj = manifest(kind, Worker=2, **given)
    return autoscaler_actions(World(obj, autoscaler=held), read_job(obj))


def held() -> Object:
    """Returns the autoscaler as the server holds it: with what it fills in."""
    (made,) = actions(elasticPolicy=ELASTIC)
    assert isinstance(made, Create)
    metadata = {**made.object["metadata"], "uid": "some", "resourceVersion": "5"}
    spec = {**made.object["spec"], "behavior": {"scaleUp": {}}, "metrics": [{"filled": "in"}]}
    return {**made.object, "metadata": metadata, "spec": spec}


def test_metrics_give_a_job_an_autoscaler() -> None:
    (made,) = actions(elasticPolicy=ELASTIC)
    assert isinstance(made, Create)
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "job", "uid": UID}
    metadata = made.object["metadata"]
    assert (metadata["name"], metadata["namespace"]) == ("job", "ml")
    assert metadata["ownerReferences"] == [{**owner, "controller": True, "blockOwnerDeletion": True}]
    assert made.object["spec"] == {
        "scaleTargetRef": {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "job"},
        "minReplicas": 1,
        "maxReplicas": 4,
        "metrics": METRICS,
    }


def test_without_metrics_or_policy_or_for_other_kinds_there_is_none() -> None:
    assert actions() == []
    assert actions(elasticPolicy={"minReplicas": 1}) == []
    assert actions(kind="PaddleJob", elasticPolicy=ELASTIC) == []
    assert actions(kind="TFJob") == []


def test_what_the_server_filled_in_is_no_drift() -> None:
    assert actions(held(), elasticPolicy=ELASTIC) == []


def test_what_others_changed_is_put_right_and_what_is_theirs_stays() -> None:
    drifted = held()
    drifted["spec"] = {**drifted["spec"], "maxReplicas": 9}
    (update,) = actions(drifted, elasticPolicy=ELASTIC)
    assert isinstance(update, Update)
    assert update.object["spec"]["maxReplicas"] == 4
    assert update.object["spec"]["behavior"] == {"scaleUp": {}}
    assert update.object["metadata"]["resourceVersion"] == "5"


def test_a_changed_wish_is_told() -> None:
    metrics = [{**METRICS[0], "type": "Pods"}]
    (update,) = actions(held(), elasticPolicy={**ELASTIC, "metrics": metrics})
    assert isinstance(update, Update)
    assert update.object["spec"]["metrics"] == metrics
    assert actions(update.object, elasticPolicy={**ELASTIC, "metrics": metrics}) == []


def test_one_that_somebody_else_wrote_is_taken_over() -> None:
    for annotations in (None, {"corral.dev/wanted": 3}):
        foreign = held()
        foreign["metadata"] = {**foreign["metadata"], "annotations": annotations}
        (update,) = actions(foreign, elasticPolicy=ELASTIC)
        assert isinstance(update, Update)
        assert actions(update.object, elasticPolicy=ELASTIC) == []


def test_a_job_that_no_longer_asks_loses_it_once() -> None:
    (removal,) = actions(held())
    assert isinstance(removal, Delete)
    assert (removal.key.name, removal.uid) == ("job", "some")
    going = held()
    going["metadata"] = {**going["metadata"], "deletionTimestamp": stamp_of(0)}
    assert actions(going) == []
