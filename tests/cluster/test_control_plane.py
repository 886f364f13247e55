"""The real control plane as a fixture: it comes up, lets the right people in, breaks on request, and leaves no trace."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from corral.testing.control_plane import cluster
from corral.testing.control_plane.cluster import Choices, ControlPlane
from corral.testing.control_plane.component import Component
from corral.testing.control_plane.errors import ControlPlaneError
from corral.testing.control_plane.loopback import ADDRESS, free_port
from corral.testing.control_plane.real_control_plane import RealControlPlane
from corral.testing.control_plane.wire import Wire
from corral.testing.control_plane.workplace import Workplace

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

FAST = Choices(durable=False)
ACCOUNT = "/api/v1/namespaces/default/serviceaccounts/default"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module")
def plane(control_plane_binaries: Path) -> Iterator[ControlPlane]:
    """etcd and kube-apiserver alone, shared by the tests that leave them as they found them.

    Started by a thread that ends: the kernel ties a child to a thread, not to a process, and that must not show.
    """
    plane = ControlPlane(control_plane_binaries, FAST)
    thread = threading.Thread(target=plane.start)
    thread.start()
    thread.join()
    yield plane
    plane.stop()


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie that its new parent has not collected does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def await_death(pids: list[int], timeout: float = 10.0) -> list[int]:
    """Those of `pids` that still run after `timeout`."""
    deadline = monotonic() + timeout
    while (living := [pid for pid in pids if alive(pid)]) and monotonic() < deadline:
        sleep(0.02)
    return living


def pids_of(plane: ControlPlane) -> list[int]:
    return [pid for component in plane.components.values() if (pid := component.pid) is not None]


def config_map(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def test_kubectl_lists_namespaces_with_the_kubeconfig(plane: ControlPlane) -> None:
    assert "namespace/default" in plane.kubectl("get", "namespaces", "--output=name").splitlines()


def test_server_tells_the_pinned_version(plane: ControlPlane) -> None:
    _, content = plane.wire.request("GET", "/version")
    assert json.loads(content)["gitVersion"] == cluster_version(plane)


def cluster_version(plane: ControlPlane) -> str:
    """What the binary says of itself; KUBEBUILDER_ASSETS may hold another version than the pinned one."""
    run = subprocess.run([plane.binaries / "kube-apiserver", "--version"], capture_output=True, text=True)
    return run.stdout.split()[-1]


@pytest.mark.parametrize(("context", "want"), [("token", "corral-token-admin"), ("certificate", "corral-admin")])
def test_both_ways_in_lead_to_an_administrator(plane: ControlPlane, context: str, want: str) -> None:
    answer = plane.kubectl(f"--context={context}", "auth", "whoami", "--output=json")
    user = json.loads(answer)["status"]["userInfo"]
    assert user["username"] == want
    assert "system:masters" in user["groups"]


@pytest.mark.parametrize(
    ("token", "want_status"),
    {"a stranger's token is no identity": ("guessed", 401), "nobody has no rights": ("", 403)}.values(),
)
def test_others_are_refused(plane: ControlPlane, token: str, want_status: int) -> None:
    stranger = Wire(port_of(plane), plane.credentials.authority.certificate, token=token)
    assert stranger.request("GET", "/api/v1/secrets")[0] == want_status


def port_of(plane: ControlPlane) -> int:
    return int(plane.server.rpartition(":")[2])


def test_etcd_refuses_who_shows_no_certificate_of_its_own_authority(plane: ControlPlane) -> None:
    """Even the cluster's administrator: rights in the API are checked by the API server, and etcd checks none."""
    port = int(flag(plane.components["etcd"], "--listen-client-urls").rpartition(":")[2])
    proof = plane.credentials
    assert not Wire(port, proof.etcd_authority.certificate).answers("/health")
    assert not Wire(port, proof.etcd_authority.certificate, client=proof.admin).answers("/health")
    assert Wire(port, proof.etcd_authority.certificate, client=proof.etcd_client).answers("/health")


def flag(component: Component, name: str) -> str:
    return next(word.partition("=")[2] for word in component.command if word.startswith(f"{name}="))


def test_secrets_are_readable_by_the_owner_only(plane: ControlPlane) -> None:
    place = plane.kubeconfig.parent
    keys = [plane.kubeconfig, *place.glob("keys/*.key"), *place.glob("keys/*.csv"), *place.glob("keys/*.kubeconfig")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in keys} == {0o600}
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/net")
def open_files(pid: int) -> Iterator[str]:
    """Yields what the descriptors of a process point at; one that is closed meanwhile is passed over."""
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            yield os.readlink(descriptor)


def test_nothing_listens_beyond_loopback(plane: ControlPlane) -> None:
    sockets = {target for pid in pids_of(plane) for target in open_files(pid)}
    rows = [line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()]
    listening = [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
    assert len(listening) == 3, "one for the API, and two for etcd"
    assert all(address.startswith("0100007F:") for address in listening)


def test_users_kubeconfig_is_left_alone(plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "mine"))
    plane.kubectl("get", "namespaces")
    assert list(tmp_path.iterdir()) == []


def test_start_time_is_measured(plane: ControlPlane) -> None:
    assert 0 < sum(component.ready_after for component in plane.components.values()) < plane.started_in


def test_second_start_is_refused(plane: ControlPlane) -> None:
    with pytest.raises(ControlPlaneError, match="started already"):
        plane.start()


def test_nobody_to_wait_for_is_a_problem(plane: ControlPlane) -> None:
    with pytest.raises(ControlPlaneError, match="nobody makes service accounts"):
        plane.wait_for_default_service_account()


def test_kubectls_complaint_is_the_problem(plane: ControlPlane) -> None:
    with pytest.raises(ControlPlaneError, match='namespaces "nowhere" not found'):
        plane.kubectl("get", "namespace", "nowhere")


def test_paused_server_answers_after_it_is_resumed(plane: ControlPlane) -> None:
    server = plane.components["kube-apiserver"]
    server.pause()
    with pytest.raises(TimeoutError):
        plane.wire.request("GET", "/readyz", timeout=0.5)
    server.resume()
    assert plane.wire.answers("/readyz")


def test_stop_leaves_no_process_and_no_file(control_plane_binaries: Path, tmp_path: Path) -> None:
    """A paused component must not hold up the end."""
    plane = ControlPlane(control_plane_binaries, FAST, parent=tmp_path).start()
    pids = pids_of(plane)
    assert len(pids) == 2
    plane.components["etcd"].pause()
    plane.stop()
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == [], "not even a zombie"
    assert list(tmp_path.iterdir()) == []
    plane.stop()


def test_failed_start_leaves_only_logs_and_names_them(control_plane_binaries: Path, tmp_path: Path) -> None:
    broken = Choices(durable=False, extra_flags={"kube-apiserver": ["--no-such-flag"]})
    plane = ControlPlane(control_plane_binaries, broken, parent=tmp_path)
    with pytest.raises(ControlPlaneError, match=r"kube-apiserver ended .*no-such-flag") as caught:
        plane.start()
    assert caught.value.hint == f"read {plane.logs / 'kube-apiserver.log'}"
    assert plane.components == {}
    left = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["etcd.log", "kube-apiserver.log"]


def test_taken_port_is_given_up_for_another(
    control_plane_binaries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody listens on the first port that each component is given."""
    with socket.socket() as squatter:
        squatter.bind((ADDRESS, 0))
        squatter.listen()
        taken: int = squatter.getsockname()[1]
        # etcd asks twice, for clients and for peers; then the API server asks.
        offers = iter([taken, free_port(), free_port(), free_port(), taken, free_port()])
        monkeypatch.setattr(cluster, "free_port", lambda: next(offers))
        with ControlPlane(control_plane_binaries, FAST, parent=tmp_path) as plane:
            assert "namespace/default" in plane.kubectl("get", "namespaces", "--output=name")


def test_data_survive_the_death_of_etcd_and_of_the_server(control_plane_binaries: Path, tmp_path: Path) -> None:
    """With the default choices, which wait for the disk."""
    with ControlPlane(control_plane_binaries, parent=tmp_path) as plane:
        plane.create(CONFIG_MAPS, config_map("kept"))
        etcd, server = plane.components["etcd"], plane.components["kube-apiserver"]
        etcd.kill()
        assert etcd.pid is None
        await_unready(plane)
        etcd.start()
        server.kill()
        server.restart()
        assert plane.wire.answers(f"{CONFIG_MAPS}/kept")


def await_unready(plane: ControlPlane) -> None:
    """The server asks etcd only now and then how it is, so it calls itself ready for a while longer."""
    deadline = monotonic() + 30
    while plane.wire.answers("/readyz"):
        assert monotonic() < deadline
        sleep(0.1)


def test_controllers_and_scheduler_do_their_work(control_plane_binaries: Path, tmp_path: Path) -> None:
    """One controller makes service accounts, one was left out, and the scheduler finds no node and says so."""
    for name in ("kube-controller-manager", "kube-scheduler"):
        if not (control_plane_binaries / name).is_file():
            pytest.skip(f"real control plane: not run, because KUBEBUILDER_ASSETS has no {name}")
    left_out = "root-ca-certificate-publisher-controller"
    choices = Choices(durable=False, controller_manager=True, controllers=("*", f"-{left_out}"), scheduler=True)
    with ControlPlane(control_plane_binaries, choices, parent=tmp_path) as plane:
        plane.wait_for_default_service_account()
        plane.kubectl("run", "lonely", "--image=none")
        plane.kubectl("wait", "pod/lonely", "--for=condition=PodScheduled=false", "--timeout=30s")
        reason = plane.kubectl("get", "pod", "lonely", "--output=jsonpath={.status.conditions[0].reason}")
        assert reason == "Unschedulable"
        assert not plane.wire.answers(f"{CONFIG_MAPS}/kube-root-ca.crt")


OWNER = """\
import sys, threading, time
from pathlib import Path
from corral.testing.control_plane.cluster import Choices, ControlPlane
plane = ControlPlane(Path(sys.argv[1]), Choices(durable=False), parent=Path(sys.argv[2])).start()
print(*(component.pid for component in plane.components.values()), flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tie a child's life to its parent's")
def test_components_die_with_the_process_that_started_them(control_plane_binaries: Path, tmp_path: Path) -> None:
    """SIGKILL gives the owner no chance to clean up; the next control plane in the same place does it."""
    command = [sys.executable, "-c", OWNER, str(control_plane_binaries), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pids = [int(word) for word in owner.stdout.readline().split()]
        assert len(pids) == 2
        assert await_death(pids, timeout=0.0) == pids
        owner.kill()
    assert await_death(pids) == []
    [abandoned] = tmp_path.iterdir()
    Workplace(tmp_path).remove()
    assert not abandoned.exists()


def test_run_publishes_a_kubeconfig_and_takes_it_back(control_plane_binaries: Path, tmp_path: Path) -> None:
    copy = tmp_path / "kubeconfig"
    command = [sys.executable, "-m", "corral.testing.control_plane", "run", "--fast", f"--kubeconfig={copy}"]
    environment = os.environ | {"KUBEBUILDER_ASSETS": str(control_plane_binaries), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        assert running.stdout is not None
        assert running.stdout.readline().strip() == str(copy)
        kubectl = [str(control_plane_binaries / "kubectl"), f"--kubeconfig={copy}", "get", "namespaces"]
        subprocess.run(kubectl, check=True, capture_output=True)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 130
    assert list(tmp_path.iterdir()) == []


def test_session_fixture_allows_pods(real_control_plane: RealControlPlane, control_plane_binaries: Path) -> None:
    plane = real_control_plane.must_own()
    assert plane.wire.answers(ACCOUNT)
