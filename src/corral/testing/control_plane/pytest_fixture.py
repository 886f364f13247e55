"""Pytest fixtures that hand the real control plane to tests, or say in one line why they cannot.

A test module asks for them with `pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]`. In this order:

1. `CORRAL_TEST_KUBECONFIG` names a cluster: it is used, and tests that would break it are skipped.
2. `KUBEBUILDER_ASSETS` or the cache has the binaries: a control plane of our own is started.
3. `CI=true`: the binaries are built, and if that fails the tests fail. A gate that skips is no gate.
4. Otherwise the tests are skipped, never passed, with the reason.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.testing.control_plane.binaries import cache, find_binaries
from corral.testing.control_plane.building import build
from corral.testing.control_plane.cluster import Choices, ControlPlane
from corral.testing.control_plane.errors import ControlPlaneError
from corral.testing.control_plane.real_control_plane import RealControlPlane

_FIXTURES = {"control_plane_binaries", "real_control_plane"}


@pytest.fixture(scope="session")
def control_plane_binaries() -> Path:
    """The directory of the binaries, for tests that start a control plane of their own."""
    try:
        return find_binaries()
    except ControlPlaneError as error:
        if _must_not_skip():
            raise
        pytest.skip(f"real control plane: not run, because {error.message}; `make kubernetes` builds it")


@pytest.fixture(scope="session")
def real_control_plane(request: pytest.FixtureRequest) -> Iterator[RealControlPlane]:
    """One control plane for the whole session; tests share it and keep apart by namespace."""
    if given := os.environ.get("CORRAL_TEST_KUBECONFIG"):
        yield RealControlPlane(_existing(given), None)
        return
    binaries: Path = request.getfixturevalue("control_plane_binaries")
    with_controllers = (binaries / "kube-controller-manager").is_file()
    with ControlPlane(binaries, Choices(durable=False, controller_manager=with_controllers)) as plane:
        _allow_pods(plane)
        yield RealControlPlane(plane.kubeconfig, plane)


def pytest_collection_finish(session: pytest.Session) -> None:
    """In CI, build before the first test, whose time limit a build would exceed; its fixture reports a failure."""
    wanted = any(_FIXTURES.intersection(getattr(item, "fixturenames", ())) for item in session.items)
    if not wanted or not _is_ci() or _is_given() or session.config.option.collectonly:
        return
    try:
        build(cache(), lambda line: print(line, file=sys.__stderr__, flush=True))
    except ControlPlaneError as error:
        print(f"error: {error}", file=sys.__stderr__, flush=True)


def _allow_pods(plane: ControlPlane) -> None:
    """Admission refuses pods until the namespace has its account; without controllers we make it ourselves."""
    if "kube-controller-manager" in plane.components:
        plane.wait_for_default_service_account()
    else:
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
        plane.create("/api/v1/namespaces/default/serviceaccounts", account)


def _existing(given: str) -> Path:
    path = Path(given).absolute()
    if not path.is_file():
        raise ControlPlaneError(f"CORRAL_TEST_KUBECONFIG={given} is not a file", "name a kubeconfig, or unset it")
    return path


def _must_not_skip() -> bool:
    """What the caller asked for in so many words may fail, but not silently not happen."""
    return _is_ci() or _is_given()


def _is_given() -> bool:
    return bool(os.environ.get("CORRAL_TEST_KUBECONFIG") or os.environ.get("KUBEBUILDER_ASSETS"))


def _is_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("true", "1")
