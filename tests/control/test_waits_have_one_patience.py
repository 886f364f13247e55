"""Whoever waits, waits in one way: it outlives the server, says what is awaited, gives up in time, and leaves when it is so."""

import ast
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.retrying import RetryPolicy
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.control.desk.patience import remarks
from corral.control.desk.patience.absence import Absence
from corral.control.desk.patience.list_watch import LIST, Subject, hearing
from corral.control.desk.patience.until import Waiting, until
from corral.errors import PermanentError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CONFIG_MAP
from corral.ports.object_store import Patch, Scope
from corral.ports.refusals import ForbiddenError, UnreachableError
from tests.api_process import TOKEN, ApiProcess

DESK = Path(__file__).parents[2] / "src" / "corral" / "control" / "desk"
KEY = ObjectKey("default", "waited-for")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ApiProcess]:
    with ApiProcess(tmp_path / "api") as process:
        yield process


def client_of(server: ApiProcess) -> SyncClient:
    return SyncClient(Access(server=f"http://127.0.0.1:{server.port}", token=TOKEN))


def config_maps(store: SyncClient, name: str = KEY.name) -> "Subject[dict[str, Any]]":
    return Subject(store, CONFIG_MAP, Scope("default", fields=f"metadata.name={name}"), dict[str, Any])


def holds(value: str) -> Callable[[list[Object]], str | None]:
    return lambda found: next((one["data"]["value"] for one in found if one["data"]["value"] == value), None)


def patient(timeout: float | None = None, *, told: list[str] | None = None) -> Waiting:
    def late() -> PermanentError:
        return PermanentError("wait-timeout", "it is too late")

    return Waiting(timeout, (told if told is not None else []).append, lambda is_there: f"the value ({is_there})", late)


def put(store: SyncClient, value: str) -> None:
    metadata = {"namespace": KEY.namespace, "name": KEY.name}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": value}}
    store.patch(CONFIG_MAP, KEY, Patch("apply", body))


def test_what_is_so_already_is_not_waited_for(server: ApiProcess) -> None:
    with client_of(server) as store:
        put(store, "here")
        assert until(config_maps(store), holds("here"), patient(timeout=5.0)) == "here"


def test_a_wait_outlives_the_server_and_hears_what_happened_meanwhile(server: ApiProcess) -> None:
    heard: list[str] = []
    told: list[str] = []

    def wait() -> None:
        with client_of(server) as store:
            heard.append(until(config_maps(store), holds("after"), patient(told=told)))

    with client_of(server) as store:
        put(store, "before")
        waiting = threading.Thread(target=wait)
        waiting.start()
        server.end(9)
        server.start()
        put(store, "after")
        waiting.join(30)
    assert heard == ["after"]


def test_what_goes_is_gone_and_what_is_late_is_an_error(server: ApiProcess) -> None:
    with client_of(server) as store, client_of(server) as other:
        put(store, "there")
        with pytest.raises(PermanentError, match="it is too late"):
            until(config_maps(store), holds("elsewhere"), patient(timeout=0.3))
        deletion = threading.Timer(0.2, lambda: other.delete(CONFIG_MAP, KEY))
        deletion.start()
        assert until(config_maps(store), lambda found: "gone" if not found else None, patient(timeout=20.0)) == "gone"
        deletion.join()


def test_what_is_awaited_is_said_again_and_again(server: ApiProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remarks, "TELLS_AFTER", 0.2)
    told: list[str] = []
    with client_of(server) as store, pytest.raises(PermanentError, match="too late"):
        until(config_maps(store), holds("never"), patient(timeout=1.0, told=told))
    assert len(told) >= 2
    assert set(told) == {"waiting: the value (True)"}


def test_a_server_that_never_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remarks, "TELLS_AFTER", 0.2)
    told: list[str] = []
    with SyncClient(Access(server="http://127.0.0.1:1"), policy=RetryPolicy(attempts=1)) as store:
        attempts = hearing(config_maps(store), Absence(limit=0.5))
        assert isinstance(next(attempts).trouble, UnreachableError)
        with pytest.raises(UnreachableError):
            list(attempts)
        with pytest.raises(PermanentError, match="too late"):
            until(config_maps(store), holds("never"), patient(timeout=0.6, told=told))
    assert told[0] == "waiting: the value (False); the API server does not answer"


def test_trouble_that_does_not_pass_ends_a_wait_at_once() -> None:
    with pytest.raises(ForbiddenError):
        Absence().bear(ForbiddenError("you may not", status={"code": 403}))


def test_everything_comes_first_and_then_what_changes(server: ApiProcess) -> None:
    with client_of(server) as store, client_of(server) as other:
        put(store, "one")
        news = hearing(config_maps(store), Absence())
        first = next(news)
        assert (first.verb, [one["data"] for one in first.objects]) == (LIST, [{"value": "one"}])
        put(other, "two")
        second = next(news)
        assert (second.verb, [one["data"] for one in second.objects]) == ("MODIFIED", [{"value": "two"}])
        news.close()


def test_nobody_at_the_desk_waits_in_a_way_of_their_own() -> None:
    """Sleeping is for the one mechanism, for logs that were cut, for two looks at numbers, and for a server that learns a kind."""
    allowed = {"patience", "logs", "top", "manifests"}
    sleeping = {
        file.relative_to(DESK).parts[0]
        for file in DESK.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "sleep"
    }
    assert sleeping <= allowed
