"""Training jobs of every kind run as processes: what the API holds is the cluster's, what processes see is this machine's."""

import json
import socket
import sys

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import CONFIG_MAP, POD, SERVICE
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.job_on_stage import JobOnStage
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

MEETING = """
import json, os, socket, sys, time
kind = sys.argv[1]
if kind == "TFJob":
    config = json.loads(os.environ["TF_CONFIG"])
    hosts = [one for hosts in config["cluster"].values() for one in hosts]
    place = hosts.index(config["cluster"][config["task"]["type"]][config["task"]["index"]])
    meeting, rank, world = hosts[0], place, len(hosts)
else:
    meeting = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
host, port = meeting.rsplit(":", 1)
if rank == 0:
    listener = socket.create_server((host, int(port)))
    met = sorted([listener.accept()[0].recv(100).decode() for _ in range(world - 1)])
    print("met", *met, flush=True)
else:
    while True:
        try:
            socket.create_connection((host, int(port))).sendall(str(rank).encode())
            break
        except OSError:
            time.sleep(0.05)
"""


def meeting_job(stage: Stage, kind: str, name: str) -> JobOnStage:
    field, container, roles = {
        "TFJob": ("tfReplicaSpecs", "tensorflow", {"Chief": 1, "Worker": 2}),
        "PyTorchJob": ("pytorchReplicaSpecs", "pytorch", {"Master": 1, "Worker": 2}),
        "XGBoostJob": ("xgbReplicaSpecs", "xgboost", {"Master": 1, "Worker": 2}),
    }[kind]
    template = {
        "spec": {"containers": [{"name": container, "image": "any", "command": [sys.executable, "-c", MEETING, kind]}]}
    }
    specs = {
        role: {"replicas": count, "restartPolicy": "OnFailure", "template": template} for role, count in roles.items()
    }
    manifest = {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": {"name": name}, "spec": {field: specs}}
    return stage.send(manifest)


def said(stage: Stage, pod: str) -> list[str]:
    return stage.client.raw("GET", f"/api/v1/namespaces/{stage.namespace}/pods/{pod}/log").decode().splitlines()


@pytest.mark.parametrize("kind", ["TFJob", "PyTorchJob", "XGBoostJob"])
def test_two_jobs_with_the_same_ports_meet_each_their_own(stage: Stage, kind: str) -> None:
    jobs = [meeting_job(stage, kind, name) for name in ("one", "two")]
    for job in jobs:
        job.wait_state("Succeeded")
    first = "chief" if kind == "TFJob" else "master"
    assert [said(stage, f"{name}-{first}-0") for name in ("one", "two")] == [["met 1 2"], ["met 1 2"]]


def test_the_api_holds_the_environment_of_a_cluster(stage: Stage) -> None:
    """Invariant N5."""
    meeting_job(stage, "PyTorchJob", "plain").wait_state("Succeeded")
    env = stage.get(POD, "plain-worker-0")["spec"]["containers"][0]["env"]
    told = {one["name"]: one.get("value") for one in env}
    assert (told["MASTER_ADDR"], told["MASTER_PORT"]) == ("plain-master-0", "23456")
    ports = json.loads(stage.get(SERVICE, "plain-master-0")["metadata"]["annotations"]["corral.dev/loopback-ports"])
    assert ports["23456"] != 23456


def test_addresses_written_by_hand_are_found(stage: Stage) -> None:
    """A plain service and two pods, one of which is told by its arguments where the other listens."""
    service = {"selector": {"app": "server"}, "clusterIP": "None", "ports": [{"port": 5000}]}
    stage.make(SERVICE, "server", spec=service)
    listen = "import socket, sys; h, p = sys.argv[1].split(':'); s = socket.create_server((h, int(p)))\n"
    listen += "print(s.accept()[0].recv(10).decode())"
    speak = "import socket, sys, time\nh, p = sys.argv[1].split('=')[1].split(':')\n"
    speak += "while True:\n  try: socket.create_connection((h, int(p))).sendall(b'hello'); break\n"
    speak += "  except OSError: time.sleep(0.05)"

    def program(code: str, argument: str) -> Object:
        return {"name": "main", "image": "any", "command": [sys.executable, "-c", code, argument]}

    labels = {"labels": {"app": "server"}}
    stage.make(POD, "server", metadata=labels, spec=pod_spec(program(listen, "server:5000")))
    stage.make(POD, "speaker", spec=pod_spec(program(speak, f"--peer=server.{stage.namespace}.svc:5000")))
    stage.wait(lambda: stage.get(POD, "server").get("status", {}).get("phase"), lambda phase: phase == "Succeeded")
    assert said(stage, "server") == ["hello"]


def test_a_server_with_a_port_of_its_own_is_found_there(stage: Stage) -> None:
    """Nobody tells it a port, so its clients are led to the one it has."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ports = [{"port": 80, "targetPort": port}]
    stage.make(SERVICE, "web", spec={"selector": {"app": "web"}, "ports": ports})
    serve = f"import http.server; http.server.test(http.server.SimpleHTTPRequestHandler, port={port})"
    server = {"name": "main", "image": "any", "command": [sys.executable, "-c", serve]}
    ready = {"tcpSocket": {"port": port}, "periodSeconds": 1}
    stage.make(POD, "web", metadata={"labels": {"app": "web"}}, spec=pod_spec({**server, "readinessProbe": ready}))
    stage.wait(lambda: stage.get(POD, "web").get("status", {}).get("containerStatuses", [{}])[0].get("ready"))
    ask = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).status)"
    client = {"name": "main", "image": "any", "command": [sys.executable, "-c", ask, "http://web:80/"]}
    stage.make(POD, "client", spec=pod_spec(client))
    stage.wait(lambda: stage.get(POD, "client").get("status", {}).get("phase"), lambda phase: phase == "Succeeded")
    assert said(stage, "client") == ["200"]


def test_what_a_mounted_file_says_is_translated_too(stage: Stage) -> None:
    stage.make(SERVICE, "db", spec={"clusterIP": "None", "ports": [{"port": 7000}]})
    stage.make(CONFIG_MAP, "settings", data={"app.ini": "peer = db:7000\n"})
    mounted = shell("cat /etc/app/app.ini", volumeMounts=[{"name": "settings", "mountPath": "/etc/app"}])
    volumes = [{"name": "settings", "configMap": {"name": "settings"}}]
    stage.make(POD, "reader", spec=pod_spec(mounted, volumes=volumes))
    stage.wait(lambda: stage.get(POD, "reader").get("status", {}).get("phase"), lambda phase: phase == "Succeeded")
    port = json.loads(stage.get(SERVICE, "db")["metadata"]["annotations"]["corral.dev/loopback-ports"])["7000"]
    assert said(stage, "reader")[0].endswith(f":{port}")
    assert stage.get(CONFIG_MAP, "settings")["data"]["app.ini"] == "peer = db:7000\n"
