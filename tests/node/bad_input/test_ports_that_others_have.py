"""Processes share the ports of a machine: who has the one that a container asks for is told."""

import socket
from collections.abc import Iterator

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import POD, SERVICE
from tests.node.bad_input.test_bad_input_is_told import container_of, warnings_about
from tests.node.pods.pod_manifests import pod_spec, python, shell
from tests.training.stage import Stage

pytestmark = pytest.mark.parametrize("machine", ["embedded"], indirect=True)


@pytest.fixture
def foreigner() -> Iterator[socket.socket]:
    """A program of this machine, which is this test, that listens on a port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def port_of(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])


def waiting(stage: Stage, pod: str) -> Object:
    found: Object = container_of(stage, pod, "main")["state"].get("waiting") or {}
    return found


def test_a_port_of_the_machine_is_waited_for(stage: Stage, foreigner: socket.socket) -> None:
    port = port_of(foreigner)
    asked = shell("sleep 60", ports=[{"containerPort": port, "hostPort": port}])
    stage.make(POD, "guest", spec=pod_spec(asked))
    told = stage.wait(lambda: waiting(stage, "guest"), lambda seen: seen.get("reason") == "CreateContainerError")
    assert told["message"].startswith(f"hostPort {port} is in use on this machine by process ")
    foreigner.close()
    stage.wait(lambda: container_of(stage, "guest", "main")["state"], lambda state: "running" in state)


def test_a_declared_port_is_told_and_the_container_starts(stage: Stage, foreigner: socket.socket) -> None:
    port = port_of(foreigner)
    stage.make(POD, "server", spec=pod_spec(shell("sleep 60", ports=[{"containerPort": port}])))
    stage.wait(lambda: container_of(stage, "server", "main")["state"], lambda state: "running" in state)
    found = stage.wait(lambda: warnings_about(stage, "server"))
    assert [one["reason"] for one in found] == ["PortInUse"]
    assert f"port {port} is in use on this machine by process " in found[0]["message"]


def test_containers_of_one_pod_do_not_hinder_each_other(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = port_of(free)
    code = f"import socket, time; s = socket.create_server(('127.0.0.1', {port})); time.sleep(60)"
    second = shell("sleep 60", "second", ports=[{"containerPort": port, "hostPort": port}])
    ready = {"exec": {"command": ["python3", "-c", f"import socket; socket.create_connection(('127.0.0.1', {port}))"]}}
    # On a slow machine both programs take more than the second that a probe has by default.
    probe = {**ready, "periodSeconds": 1, "timeoutSeconds": 10, "failureThreshold": 60}
    first = {**python(code, "first"), "restartPolicy": "Always", "startupProbe": probe}
    stage.make(POD, "pair", spec=pod_spec(second, initContainers=[first]))
    stage.wait(lambda: container_of(stage, "pair", "second")["state"], lambda state: "running" in state)


LISTEN = """
import os, socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1].rpartition(":")[2])))
print("listening", flush=True)
server.accept()
"""


def test_a_loopback_port_that_a_foreign_program_took_is_renewed(stage: Stage) -> None:
    """The Service has its port on record; somebody else listens there when the pod starts."""
    stage.make(SERVICE, "door", spec={"selector": {"app": "door"}, "ports": [{"port": 5000}]})
    labels = {"labels": {"app": "door"}}
    talking = {**python(LISTEN), "args": ["door:5000"]}
    stage.make(POD, "first", metadata=labels, spec=pod_spec(talking))
    stage.wait(lambda: said(stage, "first"), lambda text: text == "listening\n")
    port = recorded(stage)
    stage.delete(POD, "first")
    stage.wait_gone(POD, "first")
    with socket.create_server(("127.0.0.1", port)):
        stage.make(POD, "second", metadata=labels, spec=pod_spec(talking))
        stage.wait(lambda: said(stage, "second"), lambda text: text == "listening\n")
    assert recorded(stage) != port
    found = stage.wait(lambda: warnings_about(stage, "second"))
    assert [one["reason"] for one in found] == ["LoopbackPortRenewed"]
    assert f"the loopback port {port} of " in found[0]["message"]


def recorded(stage: Stage) -> int:
    text = stage.get(SERVICE, "door")["metadata"]["annotations"]["corral.dev/loopback-ports"]
    return int(text.partition(":")[2].rstrip("}"))


def said(stage: Stage, pod: str) -> str:
    running = container_of(stage, pod, "main")["state"]
    if not running or "waiting" in running:
        return ""
    return stage.client.raw("GET", f"/api/v1/namespaces/{stage.namespace}/pods/{pod}/log").decode()
