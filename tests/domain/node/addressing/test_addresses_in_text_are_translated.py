"""Addresses in arguments, variables and files: what is one, what only looks like one, and what becomes of it."""

import json
import time

import pytest

from corral.engine.node.addressing.loopback import ServicePort, address_of
from corral.engine.node.addressing.translation import addresses_in, offers, own_ports, translated
from corral.kinds.objects import Object

WORKER = ServicePort("ml", "tf-worker-0", 5000)
PORTS = {WORKER: 21034, WORKER._replace(service="tf-worker-1"): 21035, ServicePort("db", "redis", 6379): 21036}
HERE = f"{address_of('ml', 'tf-worker-0')}:21034"
THERE = f"{address_of('ml', 'tf-worker-1')}:21035"
STORE = f"{address_of('db', 'redis')}:21036"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tf-worker-0:5000", HERE),
        ("--worker_hosts=tf-worker-0:5000,tf-worker-1:5000", f"--worker_hosts={HERE},{THERE}"),
        ("tf-worker-0.ml:5000", HERE),
        ("tf-worker-0.ml.svc:5000", HERE),
        ("tf-worker-0.ml.svc.cluster.local:5000", HERE),
        ("tf-worker-0.ml.svc.cluster.local.:5000", HERE),
        ("grpc://tf-worker-0:5000", f"grpc://{HERE}"),
        ("http://tf-worker-0:5000/metrics?x=1", f"http://{HERE}/metrics?x=1"),
        ("http://user:secret@tf-worker-0:5000/", f"http://user:secret@{HERE}/"),
        ("redis.db:6379", STORE),
        ("redis.db:6379/0", f"{STORE}/0"),
        ('{"worker":["tf-worker-0:5000","tf-worker-1:5000"]}', f'{{"worker":["{HERE}","{THERE}"]}}'),
        ("(tf-worker-0:5000)", f"({HERE})"),
        ("it is at tf-worker-0:5000.", f"it is at {HERE}."),
        ("tf-worker-0:5000\ntf-worker-1:5000\n", f"{HERE}\n{THERE}\n"),
        (r"tf-worker-0:5000\ntf-worker-1:5000", rf"{HERE}\n{THERE}"),
        ("-L 8080:tf-worker-0:5000", f"-L 8080:{HERE}"),
        ("url: tf-worker-0:5000 # here", f"url: {HERE} # here"),
    ],
)
def test_an_address_is_replaced_wherever_it_stands(text: str, expected: str) -> None:
    assert translated(text, "ml", PORTS) == expected


@pytest.mark.parametrize(
    "text",
    [
        "my-tf-worker-0:5000",
        "my.tf-worker-0:5000",
        "my_tf-worker-0:5000",
        "Xtf-worker-0:5000",
        "tf-worker-01:5000",
        "tf-worker-0-:5000",
        "tf-worker-0:50001",
        "tf-worker-0:05000",
        "tf-worker-0:500",
        "tf-worker-0:5000a",
        "tf-worker-0:5000-5010",
        "tf-worker-0:5000.5",
        "tf-worker-0: 5000",
        "tf-worker-0",
        "tf-worker-0.other:5000",
        "tf-worker-0.ml.pod:5000",
        "tf-worker-0.ml.svc.example.com:5000",
        "x.tf-worker-0.ml.svc:5000",
        "/data/tf-worker-0:5000",
        "$tf-worker-0:5000",
        "${tf-worker-0:5000}",
        "redis:6379",
        "127.0.0.1:5000",
        "",
    ],
)
def test_what_only_looks_like_an_address_stays(text: str) -> None:
    assert translated(text, "ml", PORTS) == text


def test_names_are_understood_from_the_namespace_of_the_pod() -> None:
    assert translated("redis:6379", "db", PORTS) == STORE
    assert translated("tf-worker-0:5000", "db", PORTS) == "tf-worker-0:5000"


def test_a_domain_of_ones_own_is_understood() -> None:
    assert translated("tf-worker-0.ml.svc.corp.test:5000", "ml", PORTS, "corp.test") == HERE
    assert translated("tf-worker-0.ml.svc.cluster.local:5000", "ml", PORTS, "corp.test").startswith("tf-worker-0")


def test_candidates_are_found_once_each() -> None:
    text = "--hosts=a:1,b.other:2,a:1,localhost:3 http://c.ml.svc:80/ 10.0.0.1:90 host.example.com:443 d:70000 e: 5"
    assert addresses_in(text, "ml") == {("ml", "a", 1), ("other", "b", 2), ("ml", "c", 80)}


def test_both_passes_agree() -> None:
    text = json.dumps({"cluster": {"ps": ["ps-0.ml.svc:2222"], "worker": [f"w-{n}:2222" for n in range(20)]}})
    ports = {wanted: 20000 + number for number, wanted in enumerate(sorted(addresses_in(text, "ml")))}
    result = translated(text, "ml", ports)
    assert len(ports) == 21
    assert not addresses_in(result, "ml")
    assert json.loads(result)["cluster"]["ps"] == [
        f"{address_of('ml', 'ps-0')}:{ports[ServicePort('ml', 'ps-0', 2222)]}"
    ]


@pytest.mark.parametrize(
    "line", ["a" * 1000, "a-" * 500, "a." * 500, "word " * 200, "a:" * 500, "tf-worker-0:5000,", "\\n" * 500]
)
def test_a_megabyte_is_read_in_a_moment(line: str) -> None:
    text = line * (1_000_000 // len(line))
    started = time.process_time()
    translated(text, "ml", PORTS)
    addresses_in(text, "ml")
    assert time.process_time() - started < 3.0


def service(name: str, *, cluster_ip: str = "None", ports: list[Object] | None = None, **selector: str) -> Object:
    spec: Object = {"clusterIP": cluster_ip, "selector": selector, "ports": ports or []}
    return {"metadata": {"name": name, "namespace": "ml"}, "spec": spec}


POD: Object = {
    "metadata": {"name": "tf-worker-0", "namespace": "ml", "labels": {"app": "tf", "index": "0"}},
    "spec": {"containers": [{"name": "tensorflow", "ports": [{"name": "grpc", "containerPort": 5000}]}]},
}


def test_a_pod_finds_the_ports_that_are_its_own() -> None:
    services = [service("tf-worker-0", index="0"), service("tf-worker-1", index="1")]
    own = own_ports(POD, services, PORTS)
    assert {port: one.loopback_port for port, one in own.items()} == {5000: 21034}


def test_a_service_with_an_address_maps_its_port() -> None:
    named = service("front", cluster_ip="10.0.0.7", ports=[{"port": 80, "targetPort": "grpc"}], app="tf")
    [own] = own_ports(POD, [named], {ServicePort("ml", "front", 80): 22000}).values()
    assert own == ("front", 5000, 22000)


def test_the_service_of_the_pods_own_name_counts_before_others() -> None:
    every = service("all", app="tf")
    ports = {**PORTS, ServicePort("ml", "all", 5000): 22000}
    assert own_ports(POD, [every, service("tf-worker-0", index="0")], ports)[5000].loopback_port == 21034


def test_a_headless_service_has_every_port_and_others_those_that_they_name() -> None:
    assert offers(service("a"), 1234)
    assert not offers(service("b", cluster_ip="10.0.0.7", ports=[{"port": 80}]), 1234)
    assert offers(service("b", cluster_ip="10.0.0.7", ports=[{"port": 80, "protocol": "TCP"}]), 80)
    assert not offers({"metadata": {}, "spec": {"type": "ExternalName", "ports": [{"port": 80}]}}, 80)
