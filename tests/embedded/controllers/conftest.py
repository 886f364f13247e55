"""The same tests on the embedded API with our controllers, and on a real one with kube-controller-manager."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE, SERVICE_ACCOUNT
from corral.testing.embedded_api import EmbeddedApi
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.controllers_process import ControllersProcess


@pytest.fixture(scope="session")
def controlled_access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Access]:
    """An embedded API that our controllers look after, for the whole session."""
    with EmbeddedApi() as api, ControllersProcess(api.access, tmp_path_factory.mktemp("controllers")):
        yield api.access


def in_namespace(access: Access, *, is_real: bool, has_controllers: bool = True) -> Iterator[Cluster]:
    """Yields a cluster with a fresh namespace."""
    namespace = f"test-{secrets.token_hex(5)}"
    with SyncClient(access) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        cluster = Cluster(client, namespace, is_real)
        if has_controllers:
            cluster.wait(lambda: cluster.find(SERVICE_ACCOUNT, "default"))
        yield cluster
        client.delete(NAMESPACE, ObjectKey("", namespace))


@pytest.fixture
def own(controlled_access: Access) -> Iterator[Cluster]:
    """The embedded API with our controllers."""
    yield from in_namespace(controlled_access, is_real=False)


@pytest.fixture(params=["embedded", "real"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """Both, one after the other."""
    is_real = request.param == "real"
    access = request.getfixturevalue("real_access" if is_real else "controlled_access")
    yield from in_namespace(access, is_real=is_real)


class Bench:
    """An embedded API of one test, with controllers that the test starts and kills."""

    def __init__(self, cluster: Cluster, access: Access, folder: Path) -> None:
        self.cluster = cluster
        self.access = access
        self.folder = folder

    def controllers(self, name: str = "one", *options: str) -> ControllersProcess:
        """Returns controllers that are not started yet."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return ControllersProcess(self.access, folder, "--lock-file", str(self.folder / "lock"), *options)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A server of one's own, without controllers at first."""
    with EmbeddedApi() as api:
        for cluster in in_namespace(api.access, is_real=False, has_controllers=False):
            yield Bench(cluster, api.access, tmp_path)
