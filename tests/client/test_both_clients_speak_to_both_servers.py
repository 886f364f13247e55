"""Every verb, by the synchronous and the asynchronous client, against the embedded and the real server."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.errors import PermanentError
from corral.kinds.objects import Metadata, MetadataOnly, Object, uid_of
from corral.kinds.well_known import CONFIG_MAP, DEPLOYMENT, NAMESPACE, POD
from corral.ports.object_store import DeleteOptions, Patch, Scope, Start, WriteOptions
from corral.ports.refusals import (
    AlreadyExistsError,
    ConflictError,
    InvalidError,
    NotFoundError,
    UnauthorizedError,
)
from corral.testing.api_under_test import ApiUnderTest

pytest_plugins = ["corral.testing.api_servers"]

Whole = dict[str, Any]


class Blocking:
    """The asynchronous client with the manners of the synchronous one, so that both pass the same tests."""

    def __init__(self, client: AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
        self._client = client
        self._loop = loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            result = method(*args, **kwargs)
            if hasattr(result, "__anext__"):
                return self._each(result)
            return self._loop.run_until_complete(result)

        return call

    def _each(self, stream: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(anext(stream))
                except StopAsyncIteration:
                    return
        finally:
            self._loop.run_until_complete(stream.aclose())


@pytest.fixture(params=["synchronous", "asynchronous"])
def client(api: ApiUnderTest, request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "synchronous":
        with SyncClient(api.access) as quick:
            yield quick
        return
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        patient = AsyncClient(api.access)
        yield Blocking(patient, loop)
        loop.run_until_complete(patient.close())


def config_map(api: ApiUnderTest, name: str = "a", **data: str) -> Object:
    metadata = {"name": name, "namespace": api.namespace, "labels": {"part": "test"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def test_an_object_is_made_read_changed_and_removed(api: ApiUnderTest, client: Any) -> None:
    made = client.create(CONFIG_MAP, config_map(api, x="1"))
    assert client.get(CONFIG_MAP, api.key("a")) == made
    changed = client.update(CONFIG_MAP, {**made, "data": {"x": "2"}})
    assert changed["data"] == {"x": "2"}
    patched = client.patch(CONFIG_MAP, api.key("a"), Patch("merge", {"data": {"y": "3"}}))
    assert patched["data"] == {"x": "2", "y": "3"}
    steps = [{"op": "test", "path": "/data/x", "value": "2"}, {"op": "remove", "path": "/data/x"}]
    assert client.patch(CONFIG_MAP, api.key("a"), Patch("json", steps))["data"] == {"y": "3"}
    strategic = Patch("strategic", {"metadata": {"labels": {"more": "yes"}}})
    assert client.patch(CONFIG_MAP, api.key("a"), strategic)["metadata"]["labels"] == {"part": "test", "more": "yes"}
    assert client.delete(CONFIG_MAP, api.key("a"), DeleteOptions(uid=uid_of(made))) is None
    with pytest.raises(NotFoundError) as caught:
        client.get(CONFIG_MAP, api.key("a"))
    assert not caught.value.kind_is_missing


def test_refusals_are_told_apart(api: ApiUnderTest, client: Any) -> None:
    made = client.create(CONFIG_MAP, config_map(api))
    with pytest.raises(AlreadyExistsError):
        client.create(CONFIG_MAP, config_map(api))
    client.update(CONFIG_MAP, {**made, "data": {"x": "2"}})
    with pytest.raises(ConflictError, match="the object has been modified"):
        client.update(CONFIG_MAP, {**made, "data": {"x": "3"}})
    with pytest.raises(ConflictError, match="UID in the precondition"):
        client.delete(CONFIG_MAP, api.key("a"), DeleteOptions(uid="another"))
    with pytest.raises(InvalidError) as caught:
        client.create(CONFIG_MAP, config_map(api, "Not_A_Name"))
    assert [cause["field"] for cause in caught.value.causes] == ["metadata.name"]
    with pytest.raises(NotFoundError) as missing:
        client.list(CONFIG_MAP._replace(group="no.such.group", version="v1"))
    assert missing.value.kind_is_missing


def test_apply_owns_fields_and_force_takes_them(api: ApiUnderTest, client: Any) -> None:
    def apply(manager: str, value: str, *, force: bool = False) -> Object:
        options = WriteOptions(manager=manager, force=force)
        body: Object = client.patch(CONFIG_MAP, api.key("a"), Patch("apply", config_map(api, x=value)), options=options)
        return body

    assert apply("one", "1")["data"] == {"x": "1"}
    with pytest.raises(ConflictError, match='conflict with "one"'):
        apply("two", "2")
    assert apply("two", "2", force=True)["data"] == {"x": "2"}


def test_a_dry_run_checks_and_stores_nothing(api: ApiUnderTest, client: Any) -> None:
    """Invariant A2."""
    assert client.create(CONFIG_MAP, config_map(api), WriteOptions(dry_run=True))["metadata"]["uid"]
    with pytest.raises(NotFoundError):
        client.get(CONFIG_MAP, api.key("a"))


def test_a_list_comes_in_pages_of_one_moment(api: ApiUnderTest, client: Any) -> None:
    """Invariant A8."""
    for number in range(7):
        client.create(CONFIG_MAP, config_map(api, f"a{number}"))
    scope = Scope(api.namespace, labels="part=test")
    pages = list(client.pages(CONFIG_MAP, scope, Whole, page_size=3))
    assert [len(page.items) for page in pages] == [3, 3, 1]
    assert [page.is_first for page in pages] == [True, False, False]
    assert len({page.revision for page in pages}) == 1
    assert {item["kind"] for item in client.list(CONFIG_MAP, scope)} == {"ConfigMap"}
    client.delete_collection(CONFIG_MAP, scope)
    assert client.list(CONFIG_MAP, scope) == []


def test_a_trimmed_list_and_one_of_metadata_only(api: ApiUnderTest, client: Any) -> None:
    client.create(CONFIG_MAP, config_map(api, x="1"))
    for scope in (Scope(api.namespace, "part=test"), Scope(api.namespace, "part=test", metadata_only=True)):
        [page] = list(client.pages(CONFIG_MAP, scope, MetadataOnly))
        [item] = page.items
        assert (item.metadata.name, item.metadata.labels) == ("a", {"part": "test"})
        assert isinstance(item.metadata, Metadata)


def test_a_watch_tells_changes_after_a_revision(api: ApiUnderTest, client: Any) -> None:
    made = client.create(CONFIG_MAP, config_map(api))
    large = "x" * 400_000  # longer than any line limit of an HTTP library
    client.patch(CONFIG_MAP, api.key("a"), Patch("merge", {"data": {"x": large}}))
    client.delete(CONFIG_MAP, api.key("a"))
    start = Start(made["metadata"]["resourceVersion"], timeout_seconds=1)
    mine = Scope(api.namespace, labels="part=test")  # a real cluster puts a ConfigMap of its own into each namespace
    batches = list(client.watch(CONFIG_MAP, mine, start, Whole))
    assert batches[0] == []
    changes = [change for batch in batches for change in batch if change.object is not None]
    told = [(change.verb, change.object["metadata"]["name"]) for change in changes if "data" in change.object]
    assert told == [("MODIFIED", "a"), ("DELETED", "a")]
    assert changes[0].object["data"]["x"] == large


def test_a_watch_can_stream_the_present_state_first(api: ApiUnderTest, client: Any) -> None:
    client.create(CONFIG_MAP, config_map(api))
    start = Start(initial_events=True, timeout_seconds=1)
    scope = Scope(api.namespace, labels="part=test")
    changes = [change for batch in client.watch(CONFIG_MAP, scope, start, Whole) for change in batch]
    assert [(change.verb, change.initial_events_end) for change in changes][:2] == [
        ("ADDED", False),
        ("BOOKMARK", True),
    ]
    assert changes[1].revision


def test_discovery_finds_kinds_and_the_words_for_them(api: ApiUnderTest, client: Any) -> None:
    catalogue = client.catalogue()
    assert catalogue.for_kind("apps/v1", "Deployment") == DEPLOYMENT
    assert catalogue.for_kind("v1", "Namespace") == NAMESPACE
    for word in ("pods", "pod", "po", "Pod", "POD"):
        assert catalogue.find(word).resource == POD
    for word in ("deploy", "deployments.apps", "deployments.v1.apps"):
        assert catalogue.find(word).resource == DEPLOYMENT
    assert "status" in catalogue.find("deploy").subresources
    with pytest.raises(PermanentError, match='resource type "unicorns"'):
        catalogue.find("unicorns")
    with pytest.raises(PermanentError, match="does not know Unicorn in v1"):
        catalogue.for_kind("v1", "Unicorn")
    watchable = set(catalogue.watchable())
    assert {POD, DEPLOYMENT, CONFIG_MAP} <= watchable
    assert client.catalogue() is catalogue


def test_wrong_credentials_are_refused_with_a_hint(api: ApiUnderTest) -> None:
    stranger = replace(api.access, token="wrong", tls=replace(api.access.tls, certificate_data=b"", key_data=b""))
    with SyncClient(stranger) as client, pytest.raises(UnauthorizedError) as caught:
        client.list(CONFIG_MAP)
    assert "sign in again" in caught.value.hint


def test_strict_validation_and_warnings(api: ApiUnderTest) -> None:
    heard: list[str] = []
    with SyncClient(api.access, warn=heard.append) as client:
        odd = {**config_map(api), "colour": "blue"}
        with pytest.raises(InvalidError, match='unknown field "colour"'):
            client.create(CONFIG_MAP, odd, WriteOptions(validation="Strict"))
        client.create(CONFIG_MAP, odd, WriteOptions(validation="Warn"))
    assert heard == ['unknown field "colour"']
