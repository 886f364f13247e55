"""How objects are born, changed and deleted, as pure decisions."""

from typing import Any

import pytest

from corral.engine.apiserver.http.options import DeleteOptions
from corral.engine.apiserver.resources.pods import PodStrategy
from corral.engine.apiserver.resources.resource import Object, Resource, Strategy
from corral.engine.apiserver.rest import lifecycle
from corral.engine.apiserver.schema.node import Schema

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z"
PLAIN = Resource("", "v1", "ConfigMap", "configmaps", True, Schema("object"), Strategy())
PODS = Resource("", "v1", "Pod", "pods", True, Schema("object"), PodStrategy())


def made(kind: str = "ConfigMap", **metadata: Any) -> Object:
    return {"kind": kind, "apiVersion": "v1", "metadata": {"name": "x", "uid": "u", "resourceVersion": "1", **metadata}}


def test_a_new_object_cannot_bring_what_the_server_decides() -> None:
    given = made(selfLink="/x", deletionTimestamp=NOW, deletionGracePeriodSeconds=7, labels={"a": "b"})

    born = lifecycle.born(given, PLAIN, "ns", "fresh", NOW)

    assert born["metadata"] == {
        "name": "x",
        "namespace": "ns",
        "uid": "fresh",
        "resourceVersion": "",
        "creationTimestamp": NOW,
        "labels": {"a": "b"},
    }


def test_a_change_keeps_identity_and_birth() -> None:
    """Invariant A6."""
    old = made(creationTimestamp=NOW, generation=3)
    new = made(creationTimestamp=LATER, labels={"a": "b"}) | {"data": {"k": "v"}}

    changed = lifecycle.carried_over(new, old)

    assert tuple(changed["metadata"][k] for k in ("creationTimestamp", "generation", "labels")) == (NOW, 3, {"a": "b"})


DELETES: dict[str, tuple[Object, Resource, DeleteOptions, int, bool, dict[str, Any]]] = {
    "without finalizers it goes at once and untouched": (made(), PLAIN, DeleteOptions(), 0, True, {}),
    "a finalizer holds it": (
        made(finalizers=["a/b"]),
        PLAIN,
        DeleteOptions(),
        0,
        False,
        {"finalizers": ["a/b"], "deletionTimestamp": NOW, "deletionGracePeriodSeconds": 0},
    ),
    "foreground adds its finalizer": (
        made(),
        PLAIN,
        DeleteOptions(propagation="Foreground"),
        0,
        False,
        {"finalizers": ["foregroundDeletion"], "deletionTimestamp": NOW, "deletionGracePeriodSeconds": 0},
    ),
    "orphan replaces foreground": (
        made(finalizers=["foregroundDeletion"], deletionTimestamp=NOW),
        PLAIN,
        DeleteOptions(propagation="Orphan"),
        0,
        False,
        {"finalizers": ["orphan"], "deletionTimestamp": NOW},
    ),
    "background takes them back and lets it go": (
        made(finalizers=["foregroundDeletion"], deletionTimestamp=NOW),
        PLAIN,
        DeleteOptions(propagation="Background"),
        0,
        True,
        {"finalizers": ["foregroundDeletion"], "deletionTimestamp": NOW},
    ),
}


@pytest.mark.parametrize("case", DELETES.values(), ids=DELETES.keys())
def test_delete(case: tuple[Object, Resource, DeleteOptions, int, bool, dict[str, Any]]) -> None:
    """Invariant A7."""
    obj, resource, options, grace, want_gone, want_metadata = case

    outcome = lifecycle.deleted(obj, resource, options, (NOW, NOW if not grace else LATER), grace)

    assert want_gone == outcome.gone
    assert want_metadata == {
        k: v for k, v in outcome.obj["metadata"].items() if k not in ("name", "uid", "resourceVersion")
    }


def test_a_second_delete_of_a_pod_can_only_shorten_the_wait() -> None:
    running = made("Pod", deletionTimestamp=LATER, deletionGracePeriodSeconds=30)

    longer = lifecycle.deleted(running, PODS, DeleteOptions(grace_period=60), (NOW, "later"), 60)
    shorter = lifecycle.deleted(running, PODS, DeleteOptions(grace_period=0), (NOW, NOW), 0)

    assert (longer.changed, longer.gone) == (False, False)
    assert shorter.gone
