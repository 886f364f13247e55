"""Names, short names, categories and verbs are facts of discovery; clients and habits depend on them."""

import pytest

from corral.engine.apiserver.resources.plain import plain_resources
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.schema.node import Schema

RESOURCES = {(r.api_version, r.plural): r for r in plain_resources(lambda group, version, kind: Schema())}
RBAC = "rbac.authorization.k8s.io/v1"
FACTS = {
    # api version, plural: kind, namespaced, short name, subresources
    ("v1", "namespaces"): ("Namespace", False, "ns", ("finalize", "status")),
    ("v1", "nodes"): ("Node", False, "no", ("status",)),
    ("v1", "services"): ("Service", True, "svc", ("status",)),
    ("v1", "endpoints"): ("Endpoints", True, "ep", ()),
    ("v1", "configmaps"): ("ConfigMap", True, "cm", ()),
    ("v1", "secrets"): ("Secret", True, "", ()),
    ("v1", "serviceaccounts"): ("ServiceAccount", True, "sa", ()),
    ("v1", "events"): ("Event", True, "ev", ()),
    ("v1", "persistentvolumeclaims"): ("PersistentVolumeClaim", True, "pvc", ("status",)),
    ("events.k8s.io/v1", "events"): ("Event", True, "ev", ()),
    ("coordination.k8s.io/v1", "leases"): ("Lease", True, "", ()),
    ("scheduling.k8s.io/v1", "priorityclasses"): ("PriorityClass", False, "pc", ()),
    ("autoscaling/v1", "horizontalpodautoscalers"): ("HorizontalPodAutoscaler", True, "hpa", ("status",)),
    ("autoscaling/v2", "horizontalpodautoscalers"): ("HorizontalPodAutoscaler", True, "hpa", ("status",)),
    (RBAC, "roles"): ("Role", True, "", ()),
    (RBAC, "rolebindings"): ("RoleBinding", True, "", ()),
    (RBAC, "clusterroles"): ("ClusterRole", False, "", ()),
    (RBAC, "clusterrolebindings"): ("ClusterRoleBinding", False, "", ()),
}


def test_exactly_the_known_resources_are_served() -> None:
    assert set(RESOURCES) == set(FACTS)


@pytest.mark.parametrize("key", FACTS)
def test_a_resource_has_its_names(key: tuple[str, str]) -> None:
    kind, namespaced, short, subresources = FACTS[key]
    found = RESOURCES[key]
    assert (found.kind, found.namespaced, found.singular) == (kind, namespaced, kind.lower())
    assert (found.short_names, found.subresources) == ((short,) if short else (), subresources)


def test_only_namespaces_cannot_be_deleted_together() -> None:
    lacking = [r.kind for r in RESOURCES.values() if "deletecollection" not in r.verbs]
    assert lacking == ["Namespace"]


def test_services_and_autoscalers_are_among_all() -> None:
    assert {r.kind for r in RESOURCES.values() if r.categories == ("all",)} == {"Service", "HorizontalPodAutoscaler"}


def test_versions_of_a_kind_rest_in_one_place() -> None:
    def place(key: tuple[str, str]) -> str:
        resource: Resource = RESOURCES[key]
        return resource.storage_key

    assert place(("v1", "events")) == place(("events.k8s.io/v1", "events"))
    scalers = "horizontalpodautoscalers"
    assert place(("autoscaling/v1", scalers)) == place(("autoscaling/v2", scalers))


def test_every_field_in_selectors_has_a_value() -> None:
    for resource in RESOURCES.values():
        blank = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "x"}}
        assert set(resource.strategy.selectable(blank)) == set(resource.selectable_fields), resource.kind
