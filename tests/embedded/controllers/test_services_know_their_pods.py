"""Endpoints on both control planes."""

from typing import Any

from corral.kinds.objects import Object
from corral.kinds.well_known import ENDPOINTS, POD, SERVICE
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.pretend_kubelet import now, set_status

pytest_plugins = ["corral.testing.api_servers"]


def started(cluster: Cluster, name: str, ip: str, *, ready: bool = True, **spec: Any) -> Object:
    container = {"name": "main", "image": "any", "ports": [{"name": "metrics", "containerPort": 9090}]}
    labels = {"labels": {"app": "web"}}
    bound = {"nodeName": "somewhere", "terminationGracePeriodSeconds": 0}
    pod = cluster.make(POD, name, metadata=labels, spec={"containers": [container], **bound, **spec})
    conditions = [{"type": "Ready", "status": "True" if ready else "False", "lastTransitionTime": now()}]
    status = {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "conditions": conditions}
    set_status(cluster.client, pod, status)
    return pod


def subsets(cluster: Cluster, name: str, *, known: int = 0) -> list[Object]:
    """Returns the subsets, once so many addresses are known."""

    def addresses(endpoints: Object | None) -> int:
        found = (endpoints or {}).get("subsets") or ()
        return sum(len(one.get(field) or ()) for one in found for field in ("addresses", "notReadyAddresses"))

    seen = cluster.wait(
        lambda: cluster.find(ENDPOINTS, name), lambda seen: seen is not None and addresses(seen) == known
    )
    return list((seen or {}).get("subsets") or ())


def test_ready_pods_are_addresses_and_others_are_told_apart(cluster: Cluster) -> None:
    ports = [{"name": "web", "port": 80, "targetPort": 8080}, {"name": "metrics", "port": 81, "targetPort": "metrics"}]
    cluster.make(SERVICE, "web", spec={"selector": {"app": "web"}, "ports": ports}, metadata={"labels": {"a": "b"}})
    assert subsets(cluster, "web") == []
    one = started(cluster, "one", "10.1.0.1")
    started(cluster, "two", "10.1.0.2", ready=False)
    [subset] = subsets(cluster, "web", known=2)
    target = {"kind": "Pod", "namespace": cluster.namespace, "name": "one", "uid": one["metadata"]["uid"]}
    assert subset["addresses"] == [{"ip": "10.1.0.1", "nodeName": "somewhere", "targetRef": target}]
    assert [address["ip"] for address in subset["notReadyAddresses"]] == ["10.1.0.2"]
    assert sorted((port["name"], port["port"], port["protocol"]) for port in subset["ports"]) == [
        ("metrics", 9090, "TCP"),
        ("web", 8080, "TCP"),
    ]
    labels = cluster.get(ENDPOINTS, "web")["metadata"]["labels"]
    assert labels == {"a": "b", "endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    cluster.delete(POD, "one")
    [left] = subsets(cluster, "web", known=1)
    assert "addresses" not in left


def test_a_headless_service_names_its_members(cluster: Cluster) -> None:
    cluster.make(SERVICE, "group", spec={"clusterIP": "None", "selector": {"app": "web"}})
    started(cluster, "one", "10.1.0.1", hostname="member-0", subdomain="group")
    [subset] = subsets(cluster, "group", known=1)
    assert subset["addresses"][0]["hostname"] == "member-0"
    assert "ports" not in subset
    assert cluster.get(ENDPOINTS, "group")["metadata"]["labels"]["service.kubernetes.io/headless"] == ""


def test_a_service_that_publishes_early_lists_pods_that_are_not_ready(cluster: Cluster) -> None:
    spec = {"clusterIP": "None", "selector": {"app": "web"}, "publishNotReadyAddresses": True}
    cluster.make(SERVICE, "group", spec=spec)
    started(cluster, "one", "10.1.0.1", ready=False)
    [subset] = subsets(cluster, "group", known=1)
    assert [address["ip"] for address in subset["addresses"]] == ["10.1.0.1"]


def test_endpoints_go_with_their_service(cluster: Cluster) -> None:
    cluster.make(SERVICE, "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]})
    subsets(cluster, "web")
    cluster.delete(SERVICE, "web")
    cluster.wait_gone(ENDPOINTS, "web")


def test_a_service_without_selector_is_left_to_its_owner(cluster: Cluster) -> None:
    cluster.make(SERVICE, "own", spec={"ports": [{"port": 80}]})
    cluster.make(ENDPOINTS, "own", subsets=[{"addresses": [{"ip": "10.9.9.9"}], "ports": [{"port": 80}]}])
    cluster.make(SERVICE, "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]})
    subsets(cluster, "web")
    assert subsets(cluster, "own", known=1)[0]["addresses"] == [{"ip": "10.9.9.9"}]
