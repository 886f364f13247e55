"""The command line of each component: pure functions from where things are to a list of words.

Only what a component cannot know is said here. What a cluster does by default (admission plugins, watch cache,
priority and fairness, feature gates) stays as released, because tests must meet the server that users meet.
"""

from dataclasses import dataclass
from pathlib import Path

from corral.testing.control_plane.credentials import SERVICE_RANGE, Credentials
from corral.testing.control_plane.loopback import ADDRESS


@dataclass(frozen=True)
class EtcdPorts:
    """etcd insists on a port for other members even when there are none."""

    client: int
    peer: int


def etcd(data: Path, ports: EtcdPorts, proof: Credentials, *, durable: bool) -> list[str]:
    """A cluster of one member. Not durable means no fsync: faster, and a power cut loses data that tests do not need."""
    client, peer = _address(ports.client), _address(ports.peer)
    words = ["--name=corral", f"--data-dir={data}", f"--initial-cluster=corral={peer}"]
    words += [f"--listen-client-urls={client}", f"--advertise-client-urls={client}"]
    words += [f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}"]
    for prefix in ("", "peer-"):
        words += [
            f"--{prefix}client-cert-auth",
            f"--{prefix}trusted-ca-file={proof.etcd_authority.certificate}",
            f"--{prefix}cert-file={proof.etcd_server.certificate}",
            f"--{prefix}key-file={proof.etcd_server.key}",
        ]
    return words if durable else [*words, "--unsafe-no-fsync"]


def api_server(port: int, etcd_port: int, proof: Credentials) -> list[str]:
    """RBAC on, three ways in: client certificate, static token, service account token.

    The endpoint reconciler is off because it would publish 127.0.0.1, an address that Kubernetes forbids in Endpoints.
    """
    return [
        *_listen(port, proof),
        f"--advertise-address={ADDRESS}",
        "--endpoint-reconciler-type=none",
        f"--etcd-servers={_address(etcd_port)}",
        f"--etcd-cafile={proof.etcd_authority.certificate}",
        f"--etcd-certfile={proof.etcd_client.certificate}",
        f"--etcd-keyfile={proof.etcd_client.key}",
        "--authorization-mode=Node,RBAC",
        f"--client-ca-file={proof.authority.certificate}",
        f"--kubelet-client-certificate={proof.kubelet_client.certificate}",
        f"--kubelet-client-key={proof.kubelet_client.key}",
        f"--token-auth-file={proof.token_file}",
        f"--service-account-key-file={proof.service_accounts.certificate}",
        f"--service-account-signing-key-file={proof.service_accounts.key}",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--allow-privileged=true",
        f"--requestheader-client-ca-file={proof.front_proxy_authority.certificate}",
        "--requestheader-allowed-names=front-proxy",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={proof.front_proxy.certificate}",
        f"--proxy-client-key-file={proof.front_proxy.key}",
    ]


def controller_manager(port: int, kubeconfig: Path, proof: Credentials, controllers: tuple[str, ...]) -> list[str]:
    """Each controller acts as its own service account, as in clusters that users have."""
    return [
        *_listen(port, proof),
        *_client(kubeconfig),
        f"--controllers={','.join(controllers)}",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={proof.service_accounts.key}",
        f"--root-ca-file={proof.authority.certificate}",
        f"--cluster-signing-cert-file={proof.authority.certificate}",
        f"--cluster-signing-key-file={proof.authority.key}",
    ]


def scheduler(port: int, kubeconfig: Path, proof: Credentials) -> list[str]:
    """The default scheduler with its default profile."""
    return [*_listen(port, proof), *_client(kubeconfig)]


def _listen(port: int, proof: Credentials) -> list[str]:
    return [
        f"--bind-address={ADDRESS}",
        f"--secure-port={port}",
        f"--tls-cert-file={proof.server.certificate}",
        f"--tls-private-key-file={proof.server.key}",
    ]


def _client(kubeconfig: Path) -> list[str]:
    """There is one of each, so an election would only delay the start."""
    roles = ("", "authentication-", "authorization-")
    return [*(f"--{role}kubeconfig={kubeconfig}" for role in roles), "--leader-elect=false"]


def _address(port: int) -> str:
    return f"https://{ADDRESS}:{port}"
