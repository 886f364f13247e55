"""A running control plane: etcd and kube-apiserver, and on request the controller manager and the scheduler.

    with ControlPlane(find_binaries()) as plane:
        subprocess.run([..., "--kubeconfig", plane.kubeconfig, ...])

There are no nodes: pods are stored, admitted and watched as in any cluster, but nobody runs them.
"""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Self

from corral.testing.control_plane import flags
from corral.testing.control_plane.binaries import find_binaries
from corral.testing.control_plane.certificates import KeyPair
from corral.testing.control_plane.component import AddressTakenError, Component
from corral.testing.control_plane.credentials import (
    Credentials,
    certificate_user,
    make_credentials,
    token_user,
    write_kubeconfig,
)
from corral.testing.control_plane.errors import ControlPlaneError
from corral.testing.control_plane.loopback import ADDRESS, free_port
from corral.testing.control_plane.wire import Wire
from corral.testing.control_plane.workplace import Workplace

_TRIES = 5


@dataclass(frozen=True)
class Choices:
    """What a control plane has beyond etcd and kube-apiserver."""

    durable: bool = True
    """etcd waits for the disk, as in production. Benchmarks need it; conformance tests may turn it off."""
    controller_manager: bool = False
    controllers: tuple[str, ...] = ("*",)
    """What the controller manager runs, in its own notation: `*`, a name, or `-name`."""
    scheduler: bool = False
    extra_flags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """More command-line words, by component name; where a flag repeats, the later one wins."""


class ControlPlane:
    """Starts on entry, and on exit ends every process it started and removes every file it wrote."""

    def __init__(
        self, binaries: Path | None = None, choices: Choices | None = None, *, parent: Path | None = None
    ) -> None:
        self.binaries = binaries or find_binaries()
        self.choices = choices or Choices()
        self.components: dict[str, Component] = {}
        """By program name, in the order of starting."""
        self.started_in = 0.0
        """Seconds from `start` to everything ready, certificates included."""
        self._parent = parent
        self._workplace: Workplace | None = None
        self._credentials: Credentials | None = None
        self._port = 0

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def server(self) -> str:
        """The address of the API server."""
        return f"https://{ADDRESS}:{self._port}"

    @property
    def kubeconfig(self) -> Path:
        """Contexts `token` (current) and `certificate`; both are cluster administrators."""
        return self._place.path / "kubeconfig"

    @property
    def logs(self) -> Path:
        """One file per component."""
        return self._place.logs

    @property
    def credentials(self) -> Credentials:
        """Keys, certificates and the administrator's token."""
        if self._credentials is None:
            raise ControlPlaneError("the control plane is not started")
        return self._credentials

    @property
    def wire(self) -> Wire:
        """Requests as an administrator, for tests that want to look past the client on trial."""
        return self._wire_to("kube-apiserver", self._port)

    def start(self) -> Self:
        """Start everything and wait until it is ready; on failure nothing runs, and the logs stay to be read."""
        if self.components:
            raise ControlPlaneError("the control plane is started already")
        began = monotonic()
        self._workplace = Workplace(self._parent)
        try:
            self._credentials = make_credentials(self._place.keys)
            self._start_api()
            if self.choices.controller_manager:
                self._start_controllers()
            if self.choices.scheduler:
                self._start_scheduler()
        except BaseException:
            self._end_processes()
            self._workplace.keep_logs()
            raise
        self.started_in = monotonic() - began
        return self

    def stop(self) -> None:
        """End our processes, clients before servers, wait for each, and remove the directory. Twice does nothing."""
        self._end_processes()
        if self._workplace is not None:
            self._workplace.remove()

    def kubectl(self, *arguments: str) -> str:
        """What `kubectl` prints; its complaint, if it has one, becomes the problem."""
        command = [str(self._binary("kubectl")), f"--kubeconfig={self.kubeconfig}", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, env={"HOME": str(self._place.path)})
        if run.returncode != 0:
            raise ControlPlaneError(f"kubectl {' '.join(arguments)}: {run.stderr.strip()}")
        return run.stdout

    def wait_for_default_service_account(self, namespace: str = "default", timeout: float = 30.0) -> None:
        """Return once pods may be created in `namespace`: admission refuses them before that account exists."""
        if "kube-controller-manager" not in self.components:
            raise ControlPlaneError("nobody makes service accounts", "choose controller_manager, or create it")
        deadline = monotonic() + timeout
        while not self.wire.answers(f"/api/v1/namespaces/{namespace}/serviceaccounts/default"):
            if monotonic() > deadline:
                raise ControlPlaneError(f"namespace {namespace} got no default service account in {timeout:.0f} s")
            sleep(0.05)

    def create(self, path: str, manifest: Any) -> None:
        """Create one object as an administrator; one that exists already is fine."""
        status, content = self.wire.request("POST", path, manifest)
        if status not in (201, 409):
            raise ControlPlaneError(f"POST {path}: {status} {content.decode(errors='replace')[:300]}")

    @property
    def _place(self) -> Workplace:
        if self._workplace is None:
            raise ControlPlaneError("the control plane is not started")
        return self._workplace

    def _binary(self, name: str) -> Path:
        path = self.binaries / name
        if not path.is_file():
            raise ControlPlaneError(f"{self.binaries} has no {name}", "`make kubernetes` builds it")
        return path

    def _start_api(self) -> None:
        proof = self.credentials
        etcd_port = self._begin("etcd", self._etcd_words, "/health")
        self._port = self._begin("kube-apiserver", lambda port: flags.api_server(port, etcd_port, proof), "/readyz")
        users = {"token": token_user(proof.token), "certificate": certificate_user(proof.admin)}
        write_kubeconfig(self.kubeconfig, self.server, proof.authority.certificate, users)

    def _start_controllers(self) -> None:
        name, proof, chosen = "kube-controller-manager", self.credentials, self.choices.controllers
        kubeconfig = self._component_kubeconfig(name, proof.controller_manager)
        self._begin(name, lambda port: flags.controller_manager(port, kubeconfig, proof, chosen), "/healthz")

    def _start_scheduler(self) -> None:
        name, proof = "kube-scheduler", self.credentials
        kubeconfig = self._component_kubeconfig(name, proof.scheduler)
        self._begin(name, lambda port: flags.scheduler(port, kubeconfig, proof), "/healthz")

    def _etcd_words(self, port: int) -> list[str]:
        """A data directory of its own for each try, since etcd remembers the ports of the first."""
        ports = flags.EtcdPorts(port, free_port())
        return flags.etcd(self._place.path / f"etcd-{port}", ports, self.credentials, durable=self.choices.durable)

    def _component_kubeconfig(self, name: str, identity: KeyPair) -> Path:
        path = self._place.keys / f"{name}.kubeconfig"
        authority = self.credentials.authority.certificate
        write_kubeconfig(path, self.server, authority, {name: certificate_user(identity)})
        return path

    def _begin(self, name: str, words: Callable[[int], list[str]], ready_path: str) -> int:
        """Start `name` on a free port, on another one if somebody was faster, and return the port."""
        for _ in range(_TRIES):
            port = free_port()
            command = [str(self._binary(name)), *words(port), *self.choices.extra_flags.get(name, ())]
            is_ready = partial(self._wire_to(name, port).answers, ready_path)
            component = Component(name, command, self.logs / f"{name}.log", is_ready)
            try:
                component.start()
            except AddressTakenError:
                continue
            self.components[name] = component
            return port
        raise ControlPlaneError(f"{name} found its port taken {_TRIES} times in a row")

    def _wire_to(self, name: str, port: int) -> Wire:
        proof = self.credentials
        if name == "etcd":
            return Wire(port, proof.etcd_authority.certificate, client=proof.etcd_client)
        return Wire(port, proof.authority.certificate, token=proof.token)

    def _end_processes(self) -> None:
        for component in reversed(self.components.values()):
            component.stop()
        self.components.clear()
