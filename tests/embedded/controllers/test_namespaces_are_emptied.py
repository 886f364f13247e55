"""Namespaces and their default accounts, on both control planes."""

from collections.abc import Iterator

import pytest

from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CONFIG_MAP, NAMESPACE, SECRET, SERVICE_ACCOUNT
from corral.ports.object_store import Patch
from corral.ports.refusals import NotFoundError
from tests.embedded.controllers.cluster import Cluster

pytest_plugins = ["corral.testing.api_servers"]


@pytest.fixture
def drawer(cluster: Cluster) -> Iterator[Cluster]:
    """A second namespace, which the test deletes itself."""
    name = f"{cluster.namespace}-drawer"
    cluster.client.create(NAMESPACE, {"metadata": {"name": name}})
    yield cluster._replace(namespace=name)
    try:
        cluster.client.delete(NAMESPACE, ObjectKey("", name))
    except NotFoundError:
        return


def conditions(namespace: Object) -> dict[str, tuple[str, str, str]]:
    found = namespace["status"].get("conditions") or ()
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in found}


def test_an_empty_namespace_goes_at_once(drawer: Cluster) -> None:
    drawer.delete(NAMESPACE, drawer.namespace)
    drawer.wait_gone(NAMESPACE, drawer.namespace)


def test_content_goes_first_and_what_remains_is_told(drawer: Cluster) -> None:
    drawer.make(CONFIG_MAP, "held", metadata={"finalizers": ["example.com/held"]})
    drawer.make(SECRET, "plain")
    drawer.delete(NAMESPACE, drawer.namespace)
    told = drawer.wait(
        lambda: drawer.get(NAMESPACE, drawer.namespace),
        lambda seen: (
            conditions(seen).get("NamespaceFinalizersRemaining", ("",))[0] == "True"
            and conditions(seen)["NamespaceContentRemaining"][2].partition(": ")[2]
            == "configmaps. has 1 resource instances"
        ),
    )
    assert told["status"]["phase"] == "Terminating"
    assert list(conditions(told).items()) == [
        (
            "NamespaceDeletionDiscoveryFailure",
            ("False", "ResourcesDiscovered", "All resources successfully discovered"),
        ),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            ("False", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
        ),
        (
            "NamespaceDeletionContentFailure",
            ("False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
        ),
        (
            "NamespaceContentRemaining",
            (
                "True",
                "SomeResourcesRemain",
                "Some resources are remaining: configmaps. has 1 resource instances",
            ),
        ),
        (
            "NamespaceFinalizersRemaining",
            (
                "True",
                "SomeFinalizersRemain",
                "Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances",
            ),
        ),
    ]
    assert drawer.find(SECRET, "plain") is None
    drawer.change(CONFIG_MAP, "held", {"metadata": {"finalizers": None}})
    drawer.wait_gone(NAMESPACE, drawer.namespace, within=30.0)


def test_a_namespace_with_a_finalizer_of_its_own_waits_empty(drawer: Cluster) -> None:
    key = ObjectKey("", drawer.namespace)
    drawer.client.patch(NAMESPACE, key, Patch("merge", {"metadata": {"finalizers": ["example.com/held"]}}))
    drawer.make(CONFIG_MAP, "plain")
    drawer.delete(NAMESPACE, drawer.namespace)
    empty = drawer.wait(
        lambda: drawer.get(NAMESPACE, drawer.namespace), lambda seen: not seen["spec"].get("finalizers")
    )
    assert {status for status, _, _ in conditions(empty).values()} == {"False"}
    assert len(conditions(empty)) == 5
    drawer.client.patch(NAMESPACE, key, Patch("merge", {"metadata": {"finalizers": None}}))
    drawer.wait_gone(NAMESPACE, drawer.namespace)


def test_the_default_account_comes_back_when_deleted(cluster: Cluster) -> None:
    before = cluster.wait(lambda: cluster.find(SERVICE_ACCOUNT, "default"))
    assert before is not None
    cluster.delete(SERVICE_ACCOUNT, "default")
    cluster.wait(
        lambda: cluster.find(SERVICE_ACCOUNT, "default"),
        lambda seen: seen is not None and seen["metadata"]["uid"] != before["metadata"]["uid"],
    )


def test_a_going_namespace_gets_no_new_account(drawer: Cluster) -> None:
    drawer.wait(lambda: drawer.find(SERVICE_ACCOUNT, "default"))
    drawer.make(CONFIG_MAP, "held", metadata={"finalizers": ["example.com/held"]})
    drawer.delete(NAMESPACE, drawer.namespace)
    drawer.wait_gone(SERVICE_ACCOUNT, "default")
    drawer.stays(lambda: drawer.find(SERVICE_ACCOUNT, "default"), lambda seen: seen is None)
    drawer.change(CONFIG_MAP, "held", {"metadata": {"finalizers": None}})
    drawer.wait_gone(NAMESPACE, drawer.namespace, within=30.0)
