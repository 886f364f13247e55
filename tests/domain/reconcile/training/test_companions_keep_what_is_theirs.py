"""Companions with a spec: of it only those fields are ours that we name; the rest the server or others filled in."""

from corral.kinds.objects import Object
from corral.kinds.training.catalogue import facts_of
from corral.reconcile.plan import Action, Create, Update
from corral.reconcile.training.companions import companion_actions
from tests.domain.reconcile.training_builders import manifest

JOB = manifest("MPIJob", Launcher=1)
WANTED: Object = {"kind": "Service", "metadata": {"name": "job"}, "spec": {"clusterIP": "None", "selector": {"a": "b"}}}


def actions(*observed: Object) -> list[Action]:
    return companion_actions(facts_of(JOB).resource, JOB, [WANTED], observed)


def held(**spec: object) -> Object:
    (made,) = actions()
    assert isinstance(made, Create)
    return {**made.object, "spec": {**made.object["spec"], "ipFamilies": ["IPv4"], **spec}}


def test_what_the_server_filled_in_is_left_alone() -> None:
    assert actions(held()) == []


def test_what_is_ours_is_put_right_beside_it() -> None:
    (update,) = actions(held(selector={"a": "c"}))
    assert isinstance(update, Update)
    assert update.object["spec"] == {"clusterIP": "None", "selector": {"a": "b"}, "ipFamilies": ["IPv4"]}
