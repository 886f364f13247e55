"""etcd and kube-apiserver with the training kinds, what is in them, and what was written to them."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from time import monotonic, sleep

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.testing.control_plane.cluster import Choices, ControlPlane
from tools.bench.wire import Refused

WRITES = {"POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"}
_SAMPLE = re.compile(r"^apiserver_request_total\{([^}]*)\} (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')


class Cluster:
    """One control plane for one operator: no controllers and no nodes, so whatever happens is the operator's doing."""

    def __init__(self, directory: Path, *, durable: bool) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.plane = ControlPlane(choices=Choices(durable=durable), parent=directory)

    def start(self, definitions: Path | None = None) -> None:
        """Starts it with our definitions of the kinds, or with those in some directory or file."""
        self.plane.start()
        if definitions is None:
            command = [sys.executable, "-m", "corral", "install", "--kubeconfig", str(self.plane.kubeconfig)]
            subprocess.run(command, check=True, capture_output=True)
        else:
            self.plane.kubectl("apply", "--server-side", "-f", str(definitions))
            self.plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")

    def stop(self) -> None:
        """Ends its processes and removes its files."""
        self.plane.stop()

    @property
    def access(self) -> Access:
        """How our client reaches it."""
        config = read_kubeconfig([str(self.plane.kubeconfig)], must_exist=True)
        return access_of(config, config.current, {})

    def make_namespace(self, name: str) -> None:
        """Makes a namespace in which pods may be created: with the account that a controller would make."""
        made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        self.plane.create("/api/v1/namespaces", made)
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
        self.plane.create(f"/api/v1/namespaces/{name}/serviceaccounts", account)

    def count(self, plural: str, namespace: str) -> int:
        """Returns how many pods or services a namespace has, at the price of reading one."""
        _, body = self.plane.wire.request("GET", f"/api/v1/namespaces/{namespace}/{plural}?limit=1")
        listed = json.loads(body)
        return len(listed["items"]) + int(listed["metadata"].get("remainingItemCount") or 0)

    def await_children(self, namespace: str, wanted: int, limit: float) -> None:
        """Returns when a namespace has so many pods and as many services."""
        deadline = monotonic() + limit
        for plural in ("pods", "services"):
            while (found := self.count(plural, namespace)) < wanted:
                if monotonic() > deadline:
                    raise Refused(f"{found} of {wanted} {plural} in {namespace} after {limit:.0f} s")
                sleep(0.04)

    def await_pod(self, namespace: str, name: str, limit: float = 60.0) -> None:
        """Returns when a pod is there."""
        deadline = monotonic() + limit
        while not self.plane.wire.answers(f"/api/v1/namespaces/{namespace}/pods/{name}"):
            if monotonic() > deadline:
                raise Refused(f"no pod {name} after {limit:.0f} s")
            sleep(0.01)

    def writes(self) -> Counter[str]:
        """Returns the writes that the API server has counted so far, by resource."""
        _, body = self.plane.wire.request("GET", "/metrics", accept="text/plain")
        found: Counter[str] = Counter()
        for labels, value in _SAMPLE.findall(body.decode()):
            named = dict(_LABEL.findall(labels))
            if named["verb"] in WRITES:
                found["/".join(part for part in (named["resource"], named["subresource"]) if part)] += int(float(value))
        return found
