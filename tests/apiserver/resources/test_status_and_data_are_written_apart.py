"""A write to an object leaves its status alone, a write to its status leaves the rest alone."""

from copy import deepcopy

import pytest

from corral.engine.apiserver.resources.namespaces import (
    BOOTSTRAP_NAMESPACES,
    NamespaceStrategy,
    namespace,
)
from corral.engine.apiserver.resources.plain import plain_resources
from corral.engine.apiserver.resources.priorities import PriorityClassStrategy, system_priority_classes
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.schema.node import Schema

WITH_STATUS = [r for r in plain_resources(lambda group, version, kind: Schema()) if "status" in r.subresources]


def blank(resource: Resource) -> Object:
    """Returns an object with nothing but defaults."""
    obj: Object = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "x"}}
    resource.strategy.default(obj)
    return obj


@pytest.mark.parametrize("resource", WITH_STATUS, ids=lambda r: r.kind)
def test_a_write_keeps_the_status(resource: Resource) -> None:
    old = blank(resource)
    new = deepcopy(old)
    new["status"] = {"forged": True}
    resource.strategy.prepare_update(new, old)
    assert new["status"] == old["status"]


@pytest.mark.parametrize("resource", WITH_STATUS, ids=lambda r: r.kind)
def test_a_status_write_keeps_the_rest_but_may_label(resource: Resource) -> None:
    old = blank(resource)
    new = {**deepcopy(old), "spec": {"forged": True}, "status": {"told": True}}
    new["metadata"]["labels"] = {"a": "b"}
    resource.strategy.prepare_status(new, old)
    assert (new["spec"], new["status"]) == (old["spec"], {"told": True})
    assert new["metadata"]["labels"] == {"a": "b"}


def test_a_namespace_goes_when_nothing_holds_it() -> None:
    strategy = NamespaceStrategy()
    obj = namespace("team")
    strategy.default(obj)
    strategy.prepare_create(obj)
    assert strategy.is_held(obj)
    going = strategy.begin_deletion(obj, "2026-01-01T00:00:00Z")
    assert going["status"]["phase"] == "Terminating"
    left = {**going, "spec": {"finalizers": []}, "status": {"phase": "Active"}}
    assert strategy.change_through("finalize", left, going) == []
    assert left["status"]["phase"] == "Terminating"
    assert not strategy.is_held(left)


def test_a_finalizer_without_a_domain_is_refused() -> None:
    left = {"metadata": {"name": "x"}, "spec": {"finalizers": ["mine"]}}
    (error,) = NamespaceStrategy().change_through("finalize", left, left) or []
    assert error.path == "spec.finalizers[0]"
    assert error.text == '"mine": name is neither a standard finalizer name nor is it fully qualified'


def test_what_exists_from_the_start_is_valid() -> None:
    strategy = PriorityClassStrategy()
    for obj in system_priority_classes():
        strategy.default(obj)
        assert strategy.validate(obj) == []
    assert BOOTSTRAP_NAMESPACES == ("default", "kube-node-lease", "kube-public", "kube-system")
