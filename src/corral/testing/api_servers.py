"""The fixture `api`: the same test against the embedded API server and against a real one.

    pytest_plugins = ["corral.testing.api_servers"]

Each test gets a namespace of its own. Where the real control plane is not there, its half is reported as not run.
"""

import os
import secrets
from collections.abc import Iterator

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.embedded_api import EmbeddedApi

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@pytest.fixture(scope="session")
def embedded_api() -> Iterator[EmbeddedApi]:
    """One embedded server for the whole session."""
    with EmbeddedApi() as server:
        yield server


@pytest.fixture(scope="session")
def real_access(request: pytest.FixtureRequest) -> Access:
    """How to reach the real control plane of the session."""
    kubeconfig = str(request.getfixturevalue("real_control_plane").kubeconfig)
    config = read_kubeconfig([kubeconfig], must_exist=True)
    return access_of(config, config.current, os.environ)


@pytest.fixture(params=["embedded", "real"])
def api(request: pytest.FixtureRequest) -> Iterator[ApiUnderTest]:
    """A server to test with."""
    is_embedded = request.param == "embedded"
    fixture = request.getfixturevalue("embedded_api" if is_embedded else "real_access")
    access: Access = fixture.access if is_embedded else fixture
    namespace = f"client-test-{secrets.token_hex(5)}"
    with SyncClient(access) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        yield ApiUnderTest(access, namespace, is_embedded)
        client.delete(NAMESPACE, ObjectKey("", namespace))
