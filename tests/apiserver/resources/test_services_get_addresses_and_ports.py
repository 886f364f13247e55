"""Allocation gives every service its own address and ports, keeps what it gave, and refuses what is taken."""

from copy import deepcopy
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.service_addresses import (
    NODE_PORTS,
    SERVICE_RANGE,
    Holding,
    InUse,
    allocate,
    held_by,
)
from corral.engine.apiserver.resources.services import ServiceStrategy


def service(name: str = "web", **spec: Any) -> Object:
    """Returns a service with defaults set."""
    obj: Object = {"metadata": {"name": name, "namespace": "team"}, "spec": {"ports": [{"port": 80}], **spec}}
    ServiceStrategy().default(obj)
    return obj


def given_to(name: str = "web", in_use: InUse | None = None, **spec: Any) -> dict[str, Any]:
    """Returns the spec of a new service after allocation."""
    obj = service(name, **spec)
    assert allocate(obj, None, in_use or InUse()) == []
    found: dict[str, Any] = obj["spec"]
    return found


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=4), unique=True, max_size=30))
def test_no_two_services_share_an_address_or_a_node_port(names: list[str]) -> None:
    made: list[Object] = []
    for name in names:
        obj = service(name, type="NodePort")
        assert allocate(obj, None, held_by(made)) == []
        made.append(obj)
    held = held_by(made)
    assert len(held.addresses) == len(held.ports) == len(names)
    assert all(ip_address(address) in SERVICE_RANGE for address in held.addresses)
    assert all(port in NODE_PORTS for port in held.ports)


def test_a_service_made_again_gets_its_address_back() -> None:
    assert given_to()["clusterIP"] == given_to()["clusterIP"]


def test_a_headless_service_takes_nothing() -> None:
    spec = given_to(clusterIP="None", selector={"a": "b"})
    assert spec["clusterIPs"] == ["None"]
    assert held_by([{"metadata": {}, "spec": spec}]) == Holding(set(), set())


def test_a_headless_service_is_valid_before_allocation() -> None:
    obj = service(clusterIP="None", selector={"a": "b"})
    ServiceStrategy().prepare_create(obj)
    assert ServiceStrategy().validate(obj) == []


def test_an_address_that_is_taken_is_refused() -> None:
    obj = service(clusterIP="10.96.0.10")
    (error,) = allocate(obj, None, InUse({"10.96.0.10"}))
    assert str(error) == (
        'spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: '
        "provided IP is already allocated"
    )


def test_a_node_port_that_is_taken_is_refused() -> None:
    obj = service(type="NodePort", ports=[{"port": 80, "nodePort": 30080}])
    (error,) = allocate(obj, None, InUse(ports={30080}))
    assert str(error) == "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated"


REFUSED = {
    "an address of another network": (
        {"clusterIP": "1.1.1.1"},
        'spec.clusterIPs: Invalid value: ["1.1.1.1"]: failed to allocate IP 1.1.1.1: '
        "the provided network does not match the current range",
    ),
    "a port outside the range": (
        {"type": "NodePort", "ports": [{"port": 1, "nodePort": 80}]},
        "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. "
        "The range of valid ports is 30000-32767",
    ),
    "one node port for two ports": (
        {
            "type": "NodePort",
            "ports": [{"port": 1, "nodePort": 30001}, {"port": 2, "protocol": "UDP", "nodePort": 30001}],
        },
        "spec.ports[1].nodePort: Invalid value: 30001: provided port is already allocated",
    ),
}


@pytest.mark.parametrize(("spec", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_given_is_refused(spec: dict[str, Any], want: str) -> None:
    (error,) = allocate(service(**spec), None, InUse())
    assert str(error) == want


def test_one_node_port_may_serve_both_protocols_of_a_port() -> None:
    pair = [{"port": 1, "nodePort": 30001}, {"port": 1, "protocol": "UDP", "nodePort": 30001}]
    assert [port["nodePort"] for port in given_to(type="NodePort", ports=pair)["ports"]] == [30001, 30001]


def test_the_same_manifest_sent_again_keeps_what_was_given() -> None:
    old = service(type="NodePort")
    allocate(old, None, InUse())
    again = service(type="NodePort")
    assert allocate(again, old, held_by([old])) == []
    assert again["spec"] == old["spec"]


def test_a_service_that_stops_being_an_alias_gets_an_address() -> None:
    old = service(type="ExternalName", externalName="example.com")
    allocate(old, None, InUse())
    new = deepcopy(old)
    new["spec"]["type"] = "ClusterIP"
    assert allocate(new, old, InUse()) == []
    assert ip_address(new["spec"]["clusterIP"]) in SERVICE_RANGE


def test_a_local_load_balancer_gets_a_port_for_health_checks() -> None:
    spec = given_to(type="LoadBalancer", externalTrafficPolicy="Local")
    assert spec["healthCheckNodePort"] in NODE_PORTS
    assert spec["healthCheckNodePort"] != spec["ports"][0]["nodePort"]
