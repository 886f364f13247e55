"""Everything that proves an identity in one control plane, and the kubeconfig that carries it to clients."""

import json
import secrets
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

from corral.testing.control_plane.certificates import Authority, KeyPair, signing_keys, write_secret
from corral.testing.control_plane.loopback import ADDRESS

SERVICE_RANGE = "10.96.0.0/16"

_ADMINISTRATORS = "system:masters"
_HOSTS = (
    ADDRESS,
    "localhost",
    "10.96.0.1",  # the first address of SERVICE_RANGE, which the `kubernetes` Service gets
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)


@dataclass(frozen=True)
class Credentials:
    """One authority per circle of trust, as kubeadm does: who may call the API may not therefore write to etcd."""

    authority: KeyPair
    server: KeyPair
    admin: KeyPair
    kubelet_client: KeyPair
    controller_manager: KeyPair
    scheduler: KeyPair
    etcd_authority: KeyPair
    etcd_server: KeyPair
    etcd_client: KeyPair
    front_proxy_authority: KeyPair
    front_proxy: KeyPair
    service_accounts: KeyPair
    token: str
    token_file: Path


def make_credentials(directory: Path) -> Credentials:
    """Fresh keys in `directory`, which must be private to us."""
    cluster = Authority(directory, "cluster-authority")
    etcd = Authority(directory, "etcd-authority")
    front_proxy = Authority(directory, "front-proxy-authority")
    token = secrets.token_hex(32)
    token_file = directory / "tokens.csv"
    write_secret(token_file, f'{token},corral-token-admin,corral-token-admin,"{_ADMINISTRATORS}"\n'.encode())
    return Credentials(
        authority=cluster.pair,
        server=cluster.issue("server", user="kube-apiserver", hosts=_HOSTS),
        admin=cluster.issue("admin", user="corral-admin", groups=[_ADMINISTRATORS]),
        kubelet_client=cluster.issue("kubelet-client", user="kube-apiserver-kubelet-client"),
        controller_manager=cluster.issue("controller-manager", user="system:kube-controller-manager"),
        scheduler=cluster.issue("scheduler", user="system:kube-scheduler"),
        etcd_authority=etcd.pair,
        etcd_server=etcd.issue("etcd-server", user="etcd", hosts=[ADDRESS]),
        etcd_client=etcd.issue("etcd-client", user="kube-apiserver"),
        front_proxy_authority=front_proxy.pair,
        front_proxy=front_proxy.issue("front-proxy", user="front-proxy"),
        service_accounts=signing_keys(directory, "service-accounts"),
        token=token,
        token_file=token_file,
    )


def certificate_user(pair: KeyPair) -> dict[str, str]:
    """A kubeconfig user that shows a client certificate."""
    return {"client-certificate-data": _inline(pair.certificate), "client-key-data": _inline(pair.key)}


def token_user(token: str) -> dict[str, str]:
    """A kubeconfig user that shows a bearer token."""
    return {"token": token}


def write_kubeconfig(path: Path, server: str, authority: Path, users: dict[str, dict[str, str]]) -> None:
    """One context per user, named after it; the first one is current.

    Written as JSON, which every reader of YAML accepts, with all content inline so that the file may be copied.
    """
    first = next(iter(users))
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": first,
        "clusters": [
            {"name": "corral-test", "cluster": {"server": server, "certificate-authority-data": _inline(authority)}}
        ],
        "users": [{"name": name, "user": user} for name, user in users.items()],
        "contexts": [{"name": name, "context": {"cluster": "corral-test", "user": name}} for name in users],
    }
    write_secret(path, json.dumps(document, indent=2).encode())


def _inline(path: Path) -> str:
    return b64encode(path.read_bytes()).decode()
