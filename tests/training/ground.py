"""What all tests of training jobs stand on: one server of each sort, what they need installed, and one operator at a time."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.refusals import AlreadyExistsError
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.embedded.controllers.controllers_process import ControllersProcess
from tests.training.installing import install_training_kinds
from tests.training.operator_process import OperatorProcess

CONTROLLERS = "namespace,serviceaccount,garbagecollector,endpoints,job"
"""Of the embedded server's controllers those that every cluster has; never those that look after training jobs."""


class Ground:
    """A server, and the operator that runs on it just now."""

    def __init__(self, access: Access, kubeconfig: Path, folder: Path, *, is_real: bool) -> None:
        self.access = access
        self.kubeconfig = kubeconfig
        self.is_real = is_real
        self._folder = folder
        self._operator: OperatorProcess | None = None
        self._unready: dict[object, RuntimeError] = {}

    def operator(self, options: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> OperatorProcess:
        """Returns the operator started so; another one, or one that has died, is ended first."""
        present = self._operator
        wanted = (tuple(options), dict(environment or {}))
        if present is None or not present.is_running or (present.options, present.environment) != wanted:
            self.stop_operator()
            self._operator = self._started(*wanted)
        assert self._operator is not None
        return self._operator

    def _started(self, options: tuple[str, ...], environment: dict[str, str]) -> OperatorProcess:
        """Returns an operator that is ready; one that was not ready once is not waited for by every further test."""
        manner = (options, *environment.items())
        if manner in self._unready:
            raise self._unready[manner]
        started = OperatorProcess(self.kubeconfig, self.log, options, environment)
        try:
            started.start()
        except RuntimeError as error:
            self._unready[manner] = error
            started.kill()
            raise
        return started

    def stop_operator(self) -> None:
        """Leaves the server without an operator until the next test."""
        if self._operator is not None:
            self._operator.stop()
            self._operator = None

    @property
    def log(self) -> Path:
        """Returns the file that all operators of this ground write to."""
        return self._folder / "operator.log"


@contextmanager
def embedded_ground(folder: Path) -> Iterator[Ground]:
    """Yields the embedded server with the controllers of a small cluster."""
    with (
        EmbeddedApi() as api,
        ControllersProcess(api.access, folder, "--controllers", CONTROLLERS),
    ):
        install_gang_kinds(api.access)
        yield from _ground(api.access, written_kubeconfig(api.access, folder / "kubeconfig"), folder, is_real=False)


@contextmanager
def real_ground(kubeconfig: Path, folder: Path) -> Iterator[Ground]:
    """Yields the real control plane with our kinds and rules installed."""
    config = read_kubeconfig([str(kubeconfig)], must_exist=True)
    access = access_of(config, config.current, os.environ)
    install_training_kinds(access)
    install_gang_kinds(access)
    yield from _ground(access, kubeconfig, folder, is_real=True)


def _ground(access: Access, kubeconfig: Path, folder: Path, *, is_real: bool) -> Iterator[Ground]:
    ground = Ground(access, kubeconfig, folder, is_real=is_real)
    try:
        yield ground
    finally:
        ground.stop_operator()


def install_gang_kinds(access: Access) -> None:
    """Installs the PodGroups of both dialects, as their schedulers would."""
    with SyncClient(access) as client:
        for group, version in (("scheduling.volcano.sh", "v1beta1"), ("scheduling.x-k8s.io", "v1alpha1")):
            with suppress(AlreadyExistsError):
                client.create(CUSTOM_RESOURCE_DEFINITION, _pod_groups(group, version))


def _pod_groups(group: str, version: str) -> Object:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": anything, "status": anything}}
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    # Groups under k8s.io are for those whose API was reviewed, or who say that theirs was not.
    note = {"api-approved.kubernetes.io": "unapproved, a stand-in for tests"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"podgroups.{group}", "annotations": note},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "PodGroup", "listKind": "PodGroupList", "plural": "podgroups", "singular": "podgroup"},
            "versions": [served],
        },
    }


def ground_of(request: pytest.FixtureRequest, sort: str) -> Ground:
    """Returns the ground of a sort, embedded or real, which lasts for the session."""
    ground = request.getfixturevalue(f"{sort}_training_ground")
    assert isinstance(ground, Ground)
    return ground
