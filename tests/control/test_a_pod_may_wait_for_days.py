"""Who follows a log waits as long as its pod does: a thousand looks are as good as one."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.control.desk.logs.board import Board
from corral.control.desk.logs.followed_source import FollowedSource
from corral.control.desk.logs.reading import Heard
from corral.control.desk.logs.sources import Choice, LoggedPod, Source
from corral.errors import CorralError
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.ports.kept_logs import nothing_kept
from corral.ports.object_store import Scope
from tests.api_process import TOKEN, ApiProcess

KEY = ObjectKey("default", "waits")
LOOKS = sys.getrecursionlimit()


class HastyBoard(Board):
    """Time passes at once here, and after so many waits the job has ended."""

    def __init__(self, waits: int) -> None:
        super().__init__()
        self.left = waits

    def wait(self, happened: Callable[[], bool], seconds: float) -> None:
        """Returns at once, as after `seconds` in which nothing has happened."""
        self.left -= 1
        if not self.left:
            self.end()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SyncClient]:
    with ApiProcess(tmp_path / "api") as server:
        client = SyncClient(Access(server=f"http://127.0.0.1:{server.port}", token=TOKEN))
        with client:
            yield client


def test_a_pod_that_waits_for_hours_is_followed_all_the_time(store: SyncClient) -> None:
    metadata = {"namespace": KEY.namespace, "name": KEY.name}
    spec = {"containers": [{"name": "main", "image": "none"}]}
    store.create(POD, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    board, heard, troubles = HastyBoard(LOOKS), list[Heard](), list[CorralError]()
    board.replace(pod for page in store.pages(POD, Scope("default"), LoggedPod) for pod in page.items)
    [pod] = board.pods()
    source = Source("worker-0", KEY, pod.uid, "main")
    FollowedSource(store, source, Choice(), board, kept=nothing_kept, hear=heard.append, trouble=troubles.append).read()
    assert (board.left, heard, troubles) == (0, [], [])
