"""The command lines that MPI launchers write for kubectl and ssh, the host files they read, and the names in them."""

import pytest

from corral.engine.node.mpi.agent_words import Order, kubectl_order, ssh_order
from corral.engine.node.mpi.pod_finding import HostName, hosts_in, parsed_host


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("exec pi-worker-0 -- /bin/sh -c true", Order("pi-worker-0", ("/bin/sh", "-c", "true"))),
        ("exec pi-worker-0 --container mpi -- a -n 1", Order("pi-worker-0", ("a", "-n", "1"), container="mpi")),
        ("exec -n ml pod/w -c mpi -- a", Order("w", ("a",), "ml", "mpi")),
        ("-n ml exec -it w -- a --", Order("w", ("a", "--"), "ml")),
        ("exec --namespace=ml --container=mpi w -- a", Order("w", ("a",), "ml", "mpi")),
        ("exec -cmpi -nml w -- a", Order("w", ("a",), "ml", "mpi")),
        ("exec w a -c b", Order("w", ("a", "-c", "b"))),
    ],
)
def test_kubectl_exec_is_understood(line: str, expected: Order) -> None:
    assert kubectl_order(line.split()) == expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "get pods",
        "exec",
        "exec w",
        "exec w --",
        "exec deployment/w -- a",
        "exec --as=me w -- a",
        "logs w",
        "exec -n",
    ],
)
def test_what_is_not_kubectl_exec_is_left_to_the_real_one(line: str) -> None:
    assert kubectl_order(line.split()) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pi-worker-0 true", Order("pi-worker-0", ("true",))),
        ("-x pi-worker-0.pi.ml.svc hydra --port 1", Order("pi-worker-0.pi.ml.svc", ("hydra", "--port", "1"))),
        ("-o ConnectionAttempts=10 h a", Order("h", ("a",))),
        ("-oBatchMode=yes -p22 -p 23 -l me h a", Order("h", ("a",))),
        ("-q -x -i key me@h a -b", Order("me@h", ("a", "-b"))),
        ("-xo A=b h a", Order("h", ("a",))),
        ("h -p 22 -x a -n", Order("h", ("a", "-n"))),
        ("-n h a", Order("h", ("a",), reads_input=False)),
        ("-- h a", Order("h", ("a",))),
        ("h -- a", Order("h", ("a",))),
        ("h", Order("h", ())),
    ],
)
def test_ssh_is_understood(line: str, expected: Order) -> None:
    assert ssh_order(line.split()) == expected


@pytest.mark.parametrize("line", ["", "-V", "-o", "--"])
def test_ssh_without_a_host_is_left_to_the_real_one(line: str) -> None:
    assert ssh_order(line.split()) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pi-worker-0", HostName("pi-worker-0")),
        ("me@pi-worker-0", HostName("pi-worker-0")),
        ("pi-worker-0.pi", HostName("pi-worker-0", "pi")),
        ("pi-worker-0.pi.ml", HostName("pi-worker-0", "pi", "ml")),
        ("pi-worker-0.pi.ml.svc", HostName("pi-worker-0", "pi", "ml")),
        ("pi-worker-0.pi.ml.svc.cluster.local.", HostName("pi-worker-0", "pi", "ml")),
        ("pi-worker-0.ml.svc", HostName("pi-worker-0", "", "ml")),
    ],
)
def test_host_names_have_parts(name: str, expected: HostName) -> None:
    assert parsed_host(name) == expected


def test_host_files_of_all_implementations_are_read() -> None:
    assert hosts_in("pi-worker-0 slots=2\npi-worker-1 slots=2\n") == ["pi-worker-0", "pi-worker-1"]
    assert hosts_in("a.pi.ml.svc:2\n# nobody\n\nb.pi.ml.svc:2 # here\na.pi.ml.svc:1\n") == [
        "a.pi.ml.svc",
        "b.pi.ml.svc",
    ]
