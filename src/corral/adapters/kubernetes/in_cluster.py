"""The access that every pod has: its service account, mounted by the kubelet and renewed under our feet."""

import os
from collections.abc import Mapping

from corral.adapters.kubernetes.access import Access, Tls
from corral.errors import PermanentError

MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def is_in_cluster(environ: Mapping[str, str], mount: str = MOUNT) -> bool:
    """Whether this process runs in a pod that may talk to its API."""
    return bool(environ.get("KUBERNETES_SERVICE_HOST")) and os.path.exists(os.path.join(mount, "token"))


def in_cluster_access(environ: Mapping[str, str], mount: str = MOUNT) -> Access:
    """Returns how a pod reaches its API; the token file is read again as it is renewed."""
    if not is_in_cluster(environ, mount):
        hint = "outside of a pod, use a kubeconfig"
        raise PermanentError("not-in-cluster", "this process does not run in a pod with a service account", hint=hint)
    host = environ["KUBERNETES_SERVICE_HOST"]
    host = f"[{host}]" if ":" in host else host
    return Access(
        server=f"https://{host}:{environ.get('KUBERNETES_SERVICE_PORT') or '443'}",
        tls=Tls(authority_file=os.path.join(mount, "ca.crt")),
        token_file=os.path.join(mount, "token"),
        namespace=_namespace(mount),
    )


def _namespace(mount: str) -> str:
    try:
        with open(os.path.join(mount, "namespace"), encoding="utf-8") as file:
            return file.read().strip() or "default"
    except FileNotFoundError:
        return "default"
