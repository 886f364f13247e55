"""The life of pods on the embedded server and on a real one: the same phases, reasons and codes.

| what | how it is seen |
|---|---|
| ends, restarts, waits | phase, container states, restart counts |
| init containers, sidecars, several containers | order in the log of a shared volume |
| deletion, grace, hooks | what the program wrote when it was asked to end |
| deadlines, memory | reason of the pod or container |
"""

import socket
import time
from pathlib import Path

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from corral.ports.object_store import DeleteOptions
from tests.node.ground import MachineGround
from tests.node.pods.pod_manifests import pod_spec, python, shell
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


def phase(stage: Stage, name: str) -> str:
    return str((stage.get(POD, name).get("status") or {}).get("phase", ""))


def container(stage: Stage, name: str, which: str = "main") -> Object:
    statuses = (stage.get(POD, name).get("status") or {}).get("containerStatuses") or []
    return next((one for one in statuses if one["name"] == which), {})


def wait_phase(stage: Stage, name: str, wanted: str) -> Object:
    stage.wait(lambda: phase(stage, name), lambda seen: seen == wanted)
    return stage.get(POD, name)


def waiting(stage: Stage, name: str, which: str = "main") -> str:
    return str(((container(stage, name, which).get("state") or {}).get("waiting") or {}).get("reason", ""))


@pytest.mark.parametrize(
    ("line", "want_phase", "want_code", "want_reason"),
    [
        ("exit 0", "Succeeded", 0, "Completed"),
        ("exit 3", "Failed", 3, "Error"),
        ("kill -9 $$$$", "Failed", 137, "Error"),
        ("kill -15 $$$$", "Failed", 143, "Error"),
    ],
)
def test_a_pod_ends_with_the_code_of_its_process(
    stage: Stage, line: str, want_phase: str, want_code: int, want_reason: str
) -> None:
    stage.make(POD, "ending", spec=pod_spec(shell(line)))
    wait_phase(stage, "ending", want_phase)
    ended = container(stage, "ending")["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (want_code, want_reason)


def test_a_failing_container_is_started_again_and_then_waits(stage: Stage) -> None:
    stage.make(POD, "again", spec=pod_spec(shell("exit 1"), policy="OnFailure"))
    stage.wait(lambda: container(stage, "again").get("restartCount", 0), lambda count: count >= 1)
    stage.wait(lambda: waiting(stage, "again"), lambda reason: reason == "CrashLoopBackOff")
    assert container(stage, "again")["lastState"]["terminated"]["exitCode"] == 1
    assert phase(stage, "again") == "Running"


def test_init_containers_run_one_after_the_other_before_the_rest(stage: Stage) -> None:
    shared: Object = {"volumeMounts": [{"name": "shared", "mountPath": "/shared"}]}
    spec = pod_spec(
        shell("cat /shared/order", **shared),
        initContainers=[
            shell("echo one >> /shared/order", "one", **shared),
            shell("echo two >> /shared/order", "two", **shared),
        ],
        volumes=[{"name": "shared", "emptyDir": {}}],
    )
    stage.make(POD, "ordered", spec=spec)
    wait_phase(stage, "ordered", "Succeeded")
    assert said(stage, "ordered") == ["one", "two"]


def said(stage: Stage, pod: str, which: str = "main") -> list[str]:
    path = f"/api/v1/namespaces/{stage.namespace}/pods/{pod}/log?container={which}"
    return stage.client.raw("GET", path).decode().splitlines()


def test_a_sidecar_runs_beside_and_ends_last(stage: Stage) -> None:
    beside = shell("trap 'exit 0' TERM; while :; do sleep 0.1; done", "beside", restartPolicy="Always")
    stage.make(POD, "with-sidecar", spec=pod_spec(shell("sleep 0.3"), initContainers=[beside]))
    ended = wait_phase(stage, "with-sidecar", "Succeeded")
    assert ended["status"]["initContainerStatuses"][0]["state"]["terminated"]["exitCode"] == 0


def test_variables_are_what_the_pod_says(stage: Stage) -> None:
    fields = [
        {"name": "WHO", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "GREETING", "value": "hello $(WHO)"},
        {"name": "LIMIT", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
    ]
    spec = pod_spec(
        {
            "name": "main",
            "image": "busybox",
            "command": ["sh", "-c", 'echo "$GREETING $LIMIT $0 $1"'],
            "args": ["$(WHO)", "$(UNKNOWN)"],
            "env": fields,
            "resources": {"limits": {"memory": "64Mi"}},
        }
    )
    stage.make(POD, "spoken", spec=spec)
    wait_phase(stage, "spoken", "Succeeded")
    assert said(stage, "spoken") == ["hello spoken 64 spoken $(UNKNOWN)"]


def test_a_deleted_pod_is_asked_to_end_and_then_gone(stage: Stage, machine: MachineGround) -> None:
    mark = machine.folder.parent / f"{stage.namespace}-ended"
    line = f"trap 'echo asked > {mark}; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    stage.make(POD, "leaving", spec=pod_spec(shell(line)))
    stage.wait(lambda: phase(stage, "leaving") == "Running" and said(stage, "leaving"))
    stage.delete(POD, "leaving")
    stage.wait_gone(POD, "leaving")
    assert Path(mark).read_text() == "asked\n"


def test_a_pod_that_does_not_listen_is_killed_after_its_grace(stage: Stage) -> None:
    stage.make(POD, "deaf", spec=pod_spec(shell("trap '' TERM; echo ready; while :; do sleep 0.05; done")))
    stage.wait(lambda: phase(stage, "deaf") == "Running" and said(stage, "deaf"))
    began = time.monotonic()
    stage.delete(POD, "deaf", DeleteOptions(grace_seconds=1))
    stage.wait_gone(POD, "deaf")
    assert time.monotonic() - began > 0.9


def test_the_hook_before_the_end_runs_in_the_container(stage: Stage, machine: MachineGround) -> None:
    mark = machine.folder.parent / f"{stage.namespace}-hook"
    hooked = shell(
        "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done",
        env=[{"name": "PLACE", "value": str(mark)}],
        lifecycle={"preStop": {"exec": {"command": ["sh", "-c", 'echo "$PLACE" > "$PLACE"']}}},
    )
    stage.make(POD, "hooked", spec=pod_spec(hooked))
    stage.wait(lambda: phase(stage, "hooked") == "Running" and said(stage, "hooked"))
    stage.delete(POD, "hooked")
    stage.wait_gone(POD, "hooked")
    assert Path(mark).read_text().strip() == str(mark)


def test_a_pod_beyond_its_deadline_fails(stage: Stage) -> None:
    stage.make(POD, "late", spec=pod_spec(shell("sleep 60"), activeDeadlineSeconds=1))
    late = wait_phase(stage, "late", "Failed")
    assert late["status"]["reason"] == "DeadlineExceeded"


def test_too_much_memory_is_told_as_such(stage: Stage) -> None:
    greedy = python("x = bytearray(256 << 20); print(len(x))", resources={"limits": {"memory": "48Mi"}})
    stage.make(POD, "greedy", spec=pod_spec(greedy))
    wait_phase(stage, "greedy", "Failed")
    ended = container(stage, "greedy")["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")
    assert "limit of 48.0 MiB" in ended["message"]


@pytest.mark.parametrize("probe", ["exec", "tcpSocket", "httpGet"])
def test_a_pod_is_ready_when_its_probe_says_so(stage: Stage, machine: MachineGround, probe: str) -> None:
    gate = machine.folder.parent / f"{stage.namespace}-open"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    code = (
        "import http.server, pathlib, time\n"
        f"while not pathlib.Path({str(gate)!r}).exists(): time.sleep(0.05)\n"
        f"http.server.HTTPServer(('', {port}), http.server.SimpleHTTPRequestHandler).serve_forever()\n"
    )
    actions: dict[str, Object] = {
        "exec": {"command": ["test", "-e", str(gate)]},
        "tcpSocket": {"port": port},
        "httpGet": {"port": port, "path": "/"},
    }
    ready = {probe: actions[probe], "periodSeconds": 1}
    stage.make(POD, "probed", spec=pod_spec(python(code, readinessProbe=ready)))
    wait_phase(stage, "probed", "Running")
    assert container(stage, "probed")["ready"] is False
    Path(gate).touch()
    stage.wait(lambda: container(stage, "probed")["ready"])


def test_a_container_that_is_not_alive_is_started_again(stage: Stage) -> None:
    sick = shell(
        "trap 'exit 9' TERM; while :; do sleep 0.05; done",
        livenessProbe={"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1},
    )
    stage.make(POD, "sick", spec=pod_spec(sick, policy="Always"))
    stage.wait(lambda: container(stage, "sick").get("restartCount", 0), lambda count: count >= 1)
    assert container(stage, "sick")["lastState"]["terminated"]["exitCode"] == 9


def test_a_container_that_is_not_alive_has_the_grace_of_its_probe(stage: Stage) -> None:
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1}
    deaf = shell(
        "trap '' TERM; while :; do sleep 0.05; done", livenessProbe={**probe, "terminationGracePeriodSeconds": 1}
    )
    stage.make(POD, "deaf", spec={**pod_spec(deaf, policy="Always"), "terminationGracePeriodSeconds": 600})
    stage.wait(lambda: container(stage, "deaf").get("restartCount", 0), lambda count: count >= 1)
    assert container(stage, "deaf")["lastState"]["terminated"]["exitCode"] == 137
    stage.delete(POD, "deaf", DeleteOptions(grace_seconds=0))


def test_containers_of_one_pod_share_its_volumes_and_end_on_their_own(stage: Stage) -> None:
    shared: Object = {"volumeMounts": [{"name": "shared", "mountPath": "/shared"}]}
    spec = pod_spec(
        shell("echo hello > /shared/word", "writer", **shared),
        shell("until cat /shared/word 2>/dev/null; do sleep 0.05; done", "reader", **shared),
        volumes=[{"name": "shared", "emptyDir": {}}],
    )
    stage.make(POD, "pair", spec=spec)
    wait_phase(stage, "pair", "Succeeded")
    assert said(stage, "pair", "reader") == ["hello"]


@pytest.mark.parametrize(
    ("path", "code"), [("/dev/termination-log", 0), ("/dev/termination-log", 3), ("/run/of-our-own/words", 3)]
)
def test_the_last_words_of_a_program_are_told(stage: Stage, path: str, code: int) -> None:
    line = f"echo said first; echo because > {path}; exit {code}"
    stage.make(POD, "speaker", spec=pod_spec(shell(line, terminationMessagePath=path)))
    wait_phase(stage, "speaker", "Failed" if code else "Succeeded")
    assert container(stage, "speaker")["state"]["terminated"]["message"] == "because\n"
    assert not Path(path).exists(), "it is a file of the run, not of the machine"


def test_the_log_speaks_for_a_program_that_left_no_words(stage: Stage) -> None:
    policy = {"terminationMessagePolicy": "FallbackToLogsOnError", "terminationMessagePath": "/run/words"}
    stage.make(POD, "silent", spec=pod_spec(shell("echo out of luck; exit 3", **policy)))
    wait_phase(stage, "silent", "Failed")
    assert container(stage, "silent")["state"]["terminated"]["message"] == "out of luck\n"


def test_a_killed_node_finds_its_pods_again(stage: Stage, machine: MachineGround) -> None:
    stage.make(POD, "kept", spec=pod_spec(shell("echo begun; sleep 2; echo done; exit 4")))
    wait_phase(stage, "kept", "Running")
    machine.kill_node()
    wait_phase(stage, "kept", "Failed")
    assert container(stage, "kept")["state"]["terminated"]["exitCode"] == 4
    assert container(stage, "kept")["restartCount"] == 0
