"""The fixture `cluster`: the same test on the embedded server and on a real one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.access import Access
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.scheduling.cluster import Cluster, cluster_on


@pytest.fixture(params=["embedded", "real"])
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cluster]:
    """A server with nodes and pods of the test's own; in the end the verifier must believe what schedulers wrote down."""
    if request.param == "real":
        access: Access = request.getfixturevalue("real_access")
        kubeconfig: Path = request.getfixturevalue("real_control_plane").kubeconfig
    else:
        access = request.getfixturevalue("embedded_api").access
        kubeconfig = written_kubeconfig(access, tmp_path / "kubeconfig")
    with cluster_on(access, kubeconfig, tmp_path, is_real=request.param == "real") as made:
        yield made
        assert made.unfounded() == []
        assert made.certified() + made.promised_before >= len(made.places())
