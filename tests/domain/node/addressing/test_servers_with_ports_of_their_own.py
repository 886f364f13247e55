"""Whether a server is told its port by an address, or listens where it wants and is found there."""

from typing import Any

import pytest

from corral.engine.node.addressing.fixed_ports import fixed_port, is_undecided
from corral.engine.node.addressing.loopback import ServicePort
from corral.kinds.objects import Object

WANTED = ServicePort("team", "web", 80)


def service(**more: Any) -> Object:
    ports = [{"port": 80, "targetPort": 8080}]
    metadata = {"name": "web", "namespace": "team", **more}
    return {"metadata": metadata, "spec": {"clusterIP": "10.0.0.1", "selector": {"app": "web"}, "ports": ports}}


def pod(*args: str, app: str = "web", namespace: str = "team", env: str = "") -> Object:
    container = {"name": "main", "args": list(args), "env": [{"name": "PEERS", "value": env}]}
    return {
        "metadata": {"name": "web-0", "namespace": namespace, "labels": {"app": app}},
        "spec": {"containers": [container]},
    }


CASES: dict[str, tuple[list[Object], int | None]] = {
    "a server with a port of its own": ([pod("--port=8080")], 8080),
    "a server that is told its own address": ([pod("--listen=web:80")], None),
    "one that is told by a variable": ([pod(env="web.team.svc:80,other:80")], None),
    "one of two that is told": ([pod("--port=8080"), pod("--listen=web:80")], None),
    "another port of the same name": ([pod("--peer=web:81")], 8080),
    "no pod behind it yet": ([], None),
    "only pods of others": ([pod(app="else"), pod(namespace="elsewhere")], None),
}


@pytest.mark.parametrize(("pods", "want_port"), CASES.values(), ids=CASES)
def test_servers_are_found_where_they_listen(pods: list[Object], want_port: int | None) -> None:
    assert fixed_port(WANTED, service(), pods) == want_port


def test_nobody_knows_where_a_server_will_listen_that_is_not_there() -> None:
    assert is_undecided(service(), [])
    assert is_undecided(service(), [pod(app="else"), pod(namespace="elsewhere")])
    assert not is_undecided(service(), [pod()])
    owned = service(ownerReferences=[{"kind": "PyTorchJob", "name": "job", "uid": "u"}])
    assert not is_undecided(owned, []), "members of a job are told their ports"
    without = service()
    del without["spec"]["selector"]
    assert not is_undecided(without, []), "no pod will ever be behind it"


def test_a_server_that_may_be_told_by_a_file_has_a_loopback_port() -> None:
    told = pod("--hosts-file=/etc/hosts.txt")
    told["spec"]["volumes"] = [{"name": "hosts", "configMap": {"name": "hosts"}}]
    assert fixed_port(WANTED, service(), [told]) is None


def test_the_token_that_every_pod_of_a_cluster_mounts_tells_no_address() -> None:
    server = pod("--port=8080")
    sources = [{"serviceAccountToken": {"path": "token"}}, {"configMap": {"name": "kube-root-ca.crt"}}]
    server["spec"]["volumes"] = [{"name": "kube-api-access", "projected": {"sources": sources}}]
    server["spec"]["containers"][0]["env"].append({"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "x"}}})
    assert fixed_port(WANTED, service(), [server]) == 8080


def test_services_of_training_jobs_always_have_a_loopback_port() -> None:
    owned = service(ownerReferences=[{"kind": "PyTorchJob", "name": "job", "uid": "u"}])
    assert fixed_port(WANTED, owned, [pod("--port=8080")]) is None
