"""Variables that tell where services are, in kubelet's two forms."""

from typing import Any

from corral.engine.node.downward import PodFacts
from corral.engine.node.environment.resolution import Surroundings, resolve
from corral.engine.node.environment.service_links import service_links
from corral.kinds.objects import Object


def service(name: str, *ports: dict[str, Any], namespace: str = "team", address: str = "10.0.0.7") -> Object:
    return {"metadata": {"name": name, "namespace": namespace}, "spec": {"clusterIP": address, "ports": list(ports)}}


def pod(**spec: Any) -> Object:
    return {"metadata": {"name": "p", "namespace": "team"}, "spec": {"containers": [], **spec}}


API = service("kubernetes", {"port": 443, "name": "https"}, namespace="default", address="10.0.0.1")


def test_a_service_is_told_in_both_forms() -> None:
    found = service_links([service("tf-ps", {"port": 2222, "name": "tf-port"}, {"port": 53, "protocol": "UDP"})], pod())
    assert found == {
        "TF_PS_SERVICE_HOST": "10.0.0.7",
        "TF_PS_SERVICE_PORT": "2222",
        "TF_PS_SERVICE_PORT_TF_PORT": "2222",
        "TF_PS_PORT": "tcp://10.0.0.7:2222",
        "TF_PS_PORT_2222_TCP": "tcp://10.0.0.7:2222",
        "TF_PS_PORT_2222_TCP_PROTO": "tcp",
        "TF_PS_PORT_2222_TCP_PORT": "2222",
        "TF_PS_PORT_2222_TCP_ADDR": "10.0.0.7",
        "TF_PS_PORT_53_UDP": "udp://10.0.0.7:53",
        "TF_PS_PORT_53_UDP_PROTO": "udp",
        "TF_PS_PORT_53_UDP_PORT": "53",
        "TF_PS_PORT_53_UDP_ADDR": "10.0.0.7",
    }


def test_services_without_an_address_and_of_other_namespaces_are_not_told() -> None:
    others = [
        service("headless", {"port": 1}, address="None"),
        service("young", {"port": 1}, address=""),
        service("portless"),
        service("far", {"port": 1}, namespace="other"),
    ]
    assert service_links(others, pod()) == {}


def test_a_pod_that_wants_no_links_is_told_of_the_api_only() -> None:
    found = service_links([service("near", {"port": 1}), API], pod(enableServiceLinks=False))
    assert found["KUBERNETES_SERVICE_HOST"] == "10.0.0.1"
    assert not any(name.startswith("NEAR") for name in found)


def test_a_service_of_the_namespace_named_kubernetes_counts_more() -> None:
    own = service("kubernetes", {"port": 8443}, address="10.0.0.9")
    for services in ([own, API], [API, own]):
        assert service_links(services, pod())["KUBERNETES_SERVICE_HOST"] == "10.0.0.9"


def test_values_are_where_services_are_reached_from_here() -> None:
    found = service_links([service("ps", {"port": 2222})], pod(), lambda _, port: ("127.64.1.2", port + 19000))
    assert found["PS_PORT_2222_TCP"] == "tcp://127.64.1.2:21222"
    assert (found["PS_SERVICE_HOST"], found["PS_SERVICE_PORT"]) == ("127.64.1.2", "21222")


def test_addresses_of_version_six_stand_in_brackets() -> None:
    assert service_links([service("six", {"port": 80}, address="fd00::1")], pod())["SIX_PORT"] == "tcp://[fd00::1]:80"


def test_variables_may_refer_to_links_and_take_their_place() -> None:
    container = {
        "name": "m",
        "env": [{"name": "URL", "value": "http://$(PS_SERVICE_HOST)/"}, {"name": "PS_PORT", "value": "mine"}],
    }
    around = Surroundings(PodFacts(pod()), services=[service("ps", {"port": 80})])
    found = resolve(container, around)
    assert (found.values["URL"], found.values["PS_PORT"]) == ("http://10.0.0.7/", "mine")
    assert [one.source for one in found.variables][:3] == ["value", "value", "service link"]
