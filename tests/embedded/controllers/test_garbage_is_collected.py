"""Owner references on both control planes: what goes with its owner, what waits for whom, and what stays."""

from typing import Any

import pytest

from corral.kinds.objects import Object, is_deleting, key_of
from corral.kinds.references import ApiResource
from corral.kinds.well_known import CONFIG_MAP, CUSTOM_RESOURCE_DEFINITION, EVENT, SECRET
from corral.ports.object_store import DeleteOptions
from tests.embedded.controllers.cluster import Cluster

pytest_plugins = ["corral.testing.api_servers"]

BACKGROUND, FOREGROUND, ORPHAN = DeleteOptions("Background"), DeleteOptions("Foreground"), DeleteOptions("Orphan")
CLUSTER_ROLE = ApiResource("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", namespaced=False)
HELD = "example.com/held"


def reference(owner: Object, *, blocks: bool = True, **changes: Any) -> Object:
    metadata = owner["metadata"]
    named = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": metadata["name"], "uid": metadata["uid"]}
    return {**named, "blockOwnerDeletion": blocks, **changes}


def owned(cluster: Cluster, name: str, *owners: Object, **metadata: Any) -> Object:
    return cluster.make(CONFIG_MAP, name, metadata={"ownerReferences": list(owners), **metadata})


def free(cluster: Cluster, name: str) -> None:
    cluster.change(CONFIG_MAP, name, {"metadata": {"finalizers": None}})


def test_dependents_go_after_their_owner(cluster: Cluster) -> None:
    owner = cluster.make(CONFIG_MAP, "owner")
    child = owned(cluster, "child", reference(owner))
    owned(cluster, "grandchild", reference(child))
    owned(cluster, "stranger")
    cluster.delete(CONFIG_MAP, "owner", BACKGROUND)
    assert cluster.find(CONFIG_MAP, "owner") is None
    cluster.wait_gone(CONFIG_MAP, "child")
    cluster.wait_gone(CONFIG_MAP, "grandchild")
    assert cluster.find(CONFIG_MAP, "stranger")


def test_in_the_foreground_the_owner_goes_last(cluster: Cluster) -> None:
    owner = cluster.make(CONFIG_MAP, "owner")
    child = owned(cluster, "child", reference(owner))
    owned(cluster, "grandchild", reference(child), finalizers=[HELD])
    cluster.delete(CONFIG_MAP, "owner", FOREGROUND)
    assert cluster.get(CONFIG_MAP, "owner")["metadata"]["finalizers"] == ["foregroundDeletion"]
    cluster.wait(lambda: cluster.get(CONFIG_MAP, "grandchild"), is_deleting)
    cluster.stays(lambda: [cluster.find(CONFIG_MAP, name) for name in ("owner", "child")], all)
    free(cluster, "grandchild")
    for name in ("grandchild", "child", "owner"):
        cluster.wait_gone(CONFIG_MAP, name)


def test_a_dependent_that_does_not_block_is_not_waited_for(cluster: Cluster) -> None:
    owner = cluster.make(CONFIG_MAP, "owner")
    owned(cluster, "child", reference(owner, blocks=False), finalizers=[HELD])
    cluster.delete(CONFIG_MAP, "owner", FOREGROUND)
    cluster.wait_gone(CONFIG_MAP, "owner")
    cluster.wait(lambda: cluster.get(CONFIG_MAP, "child"), is_deleting)
    free(cluster, "child")
    cluster.wait_gone(CONFIG_MAP, "child")


def test_orphans_live_on_without_the_reference(cluster: Cluster) -> None:
    owner, other = cluster.make(CONFIG_MAP, "owner"), cluster.make(CONFIG_MAP, "other")
    for number in range(5):
        owned(cluster, f"child-{number}", reference(other), reference(owner))
    cluster.delete(CONFIG_MAP, "owner", ORPHAN)
    cluster.wait_gone(CONFIG_MAP, "owner")
    for number in range(5):
        left = cluster.get(CONFIG_MAP, f"child-{number}")["metadata"]["ownerReferences"]
        assert [one["name"] for one in left] == ["other"]


def test_an_object_with_another_owner_stays_and_loses_the_reference(cluster: Cluster) -> None:
    first, second = cluster.make(CONFIG_MAP, "first"), cluster.make(SECRET, "second")
    owned(cluster, "child", reference(first), reference(second))
    cluster.delete(CONFIG_MAP, "first", BACKGROUND)
    left = cluster.wait(
        lambda: cluster.get(CONFIG_MAP, "child")["metadata"]["ownerReferences"], lambda seen: len(seen) == 1
    )
    assert left[0]["name"] == "second"
    cluster.delete(SECRET, "second", BACKGROUND)
    cluster.wait_gone(CONFIG_MAP, "child")


@pytest.mark.parametrize(
    "wrong", [{"uid": "00000000-0000-0000-0000-000000000000"}, {"name": "nobody"}, {"kind": "Secret"}]
)
def test_a_reference_to_nobody_makes_garbage(cluster: Cluster, wrong: dict[str, Any]) -> None:
    owner = cluster.make(CONFIG_MAP, "owner")
    owned(cluster, "child", reference(owner, **wrong))
    cluster.wait_gone(CONFIG_MAP, "child")
    assert cluster.find(CONFIG_MAP, "owner")


def test_an_owner_of_an_unknown_kind_is_not_taken_for_absent(cluster: Cluster) -> None:
    owner = cluster.make(CONFIG_MAP, "owner")
    owned(cluster, "child", reference(owner, apiVersion="example.com/v1", kind="Unheard"))
    cluster.stays(lambda: cluster.find(CONFIG_MAP, "child"), bool, rounds=30)


def test_an_owner_in_another_namespace_does_not_count(cluster: Cluster) -> None:
    elsewhere = cluster.client.create(CONFIG_MAP, {"metadata": {"generateName": "far-", "namespace": "default"}})
    try:
        owned(cluster, "child", reference({**elsewhere, "apiVersion": "v1", "kind": "ConfigMap"}))
        cluster.wait_gone(CONFIG_MAP, "child")
        said = cluster.wait(
            lambda: [one for one in cluster.all(EVENT) if one["reason"] == "OwnerRefInvalidNamespace"], within=5.0
        )
        assert f'does not exist in namespace "{cluster.namespace}"' in said[0]["message"]
        assert (said[0]["type"], said[0]["involvedObject"]["name"]) == ("Warning", "child")
    finally:
        cluster.client.delete(CONFIG_MAP, key_of(elsewhere))


def test_a_cluster_wide_owner_has_dependents_anywhere(cluster: Cluster) -> None:
    owner = cluster.make(CLUSTER_ROLE, cluster.namespace)
    owned(cluster, "child", reference(owner))
    cluster.stays(lambda: cluster.find(CONFIG_MAP, "child"), bool)
    cluster.delete(CLUSTER_ROLE, cluster.namespace, FOREGROUND)
    cluster.wait_gone(CLUSTER_ROLE, cluster.namespace)
    assert cluster.find(CONFIG_MAP, "child") is None


def test_a_cluster_wide_object_cannot_have_an_owner_in_a_namespace(cluster: Cluster) -> None:
    owner = cluster.make(CONFIG_MAP, "owner")
    cluster.make(CLUSTER_ROLE, cluster.namespace, metadata={"ownerReferences": [reference(owner)]})
    cluster.delete(CONFIG_MAP, "owner", BACKGROUND)
    cluster.stays(lambda: cluster.find(CLUSTER_ROLE, cluster.namespace), bool, rounds=20)
    cluster.delete(CLUSTER_ROLE, cluster.namespace)


def test_two_that_own_each_other_go_together(cluster: Cluster) -> None:
    first = cluster.make(CONFIG_MAP, "first")
    second = owned(cluster, "second", reference(first))
    cluster.change(CONFIG_MAP, "first", {"metadata": {"ownerReferences": [reference(second)]}})
    cluster.delete(CONFIG_MAP, "first", FOREGROUND)
    cluster.wait_gone(CONFIG_MAP, "first")
    cluster.wait_gone(CONFIG_MAP, "second")


def test_custom_kinds_take_part_as_soon_as_they_are_served(cluster: Cluster) -> None:
    group = f"{cluster.namespace}.example.com"
    widget = ApiResource(group, "v1", "Widget", "widgets")
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "widgets", "kind": "Widget"}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    cluster.make(CUSTOM_RESOURCE_DEFINITION, f"widgets.{group}", spec=spec)
    cluster.wait(
        lambda: [entry for entry in cluster.client.catalogue(refresh=True).served if entry.resource.group == group]
    )
    owner = cluster.make(widget, "owner")
    child = cluster.make(widget, "child", metadata={"ownerReferences": [reference(owner)]})
    owned(cluster, "grandchild", reference(child))
    cluster.delete(widget, "owner", BACKGROUND)
    cluster.wait_gone(widget, "child", within=60.0)
    cluster.wait_gone(CONFIG_MAP, "grandchild")
    last = cluster.make(widget, "last")
    owned(cluster, "heir", reference(last))
    cluster.wait(lambda: cluster.find(CONFIG_MAP, "heir"))
    cluster.delete(CUSTOM_RESOURCE_DEFINITION, f"widgets.{group}")
    cluster.wait_gone(CONFIG_MAP, "heir", within=60.0)
