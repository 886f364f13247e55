"""Pods of a lost node are given up by a whole operator, and pods of a well one never, however old its news of nodes is."""

from contextlib import aclosing, suppress
from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import NAMESPACE, NODE, POD, SERVICE
from corral.ports.object_store import AT_ONCE, Page, Patch, Scope, Start
from corral.ports.refusals import AlreadyExistsError, ForbiddenError, NotFoundError
from corral.reconcile.training.world import NODE_GRACE
from corral.testing.manual_clock import ManualClock
from tests.training.manifests import manifest, role
from tests.training.stage import job_resource
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.rehearsal import OperatorLife, orders_for
from tests.training.sweeps.troubled_store import Batches, Trouble

pytestmark = pytest.mark.anyio

WHERE = "nodes"
_NODE = ObjectKey("", "spot")


class OldNews(Trouble):
    """Tells of no node, though the server is heard: what answers is far behind."""

    def listed(self, resource: ApiResource, scope: Scope, page: Page[Any]) -> Page[Any]:
        """Leaves every node out."""
        return Page([], page.revision) if resource == NODE else page

    async def told(self, resource: ApiResource, scope: Scope, start: Start, batches: Batches) -> Batches:
        """Leaves every change of a node out."""
        async with aclosing(batches):
            async for batch in batches:
                yield [] if resource == NODE else batch


class Silence(Trouble):
    """Tells nothing at all of nodes after the first list: the connection is half open."""

    async def told(self, resource: ApiResource, scope: Scope, start: Start, batches: Batches) -> Batches:
        """Holds back every word about nodes, as long as the watch lasts."""
        async with aclosing(batches):
            async for batch in batches:
                if resource != NODE:
                    yield batch


class NoMoreRights(Trouble):
    """Lets nodes be listed once, and refuses everything about them afterwards."""

    async def before(self, what: str) -> int:
        """Refuses what is about nodes after the first list."""
        number = await super().before(what)
        if what in ("watch nodes", "get Node") or (what == "list nodes" and self.calls.count(what) > 1):
            raise ForbiddenError("nodes is forbidden")
        return number


class Play:
    """One job of one pod that runs on one node, and an operator over it."""

    def __init__(self, api: InProcessApi, trouble: Trouble) -> None:
        self._api = api
        self._client = api.client()
        self._clock = ManualClock()
        self._life = OperatorLife(
            api,
            self._clock,
            orders_for("JAXJob", WHERE),
            trouble,
            relist=600.0 if isinstance(trouble, Silence) else 30.0,
        )

    async def __aenter__(self) -> "Play":
        self.uid = await self._begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._life.end()
        await self._client.delete(job_resource("JAXJob"), ObjectKey(WHERE, "job"))
        for resource in (POD, SERVICE):
            for one in await self._client.list(resource, Scope(WHERE)):
                await self._client.delete(resource, ObjectKey(WHERE, one["metadata"]["name"]), AT_ONCE)
        with suppress(NotFoundError):
            await self.lose()

    async def _begin(self) -> str:
        """Makes the node and the job, runs its pod, and returns the uid of the pod."""
        await self.later(1)
        with suppress(AlreadyExistsError):
            await self._client.create(NAMESPACE, {"metadata": {"name": WHERE}})
        await self._client.create(NODE, {"metadata": {"name": _NODE.name}})
        await self.set_ready("True")
        job = manifest("JAXJob", "job", {"Worker": role("JAXJob", 1, "OnFailure")})
        await self._client.create(job_resource("JAXJob"), {**job, "metadata": {**job["metadata"], "namespace": WHERE}})
        await self.later(2)
        (pod,) = await self.pods()
        target = {"apiVersion": "v1", "kind": "Node", "name": _NODE.name}
        binding = {"metadata": {"name": pod["metadata"]["name"], "namespace": WHERE}, "target": target}
        await self._client.create(POD, binding, subresource="binding")
        body = {"status": {"phase": "Running"}}
        await self._client.patch(
            POD, ObjectKey(WHERE, pod["metadata"]["name"]), Patch("merge", body), subresource="status"
        )
        await self.later(2)
        return str(pod["metadata"]["uid"])

    async def set_ready(self, status: str) -> None:
        """Lets the cluster say how the node is."""
        body = {"status": {"conditions": [{"type": "Ready", "status": status}]}}
        await self._client.patch(NODE, _NODE, Patch("merge", body), subresource="status")

    async def set_finalizers(self, *names: str) -> None:
        """Lets somebody hold the pod, or let it go."""
        (pod,) = await self.pods()
        body = {"metadata": {"finalizers": list(names)}}
        await self._client.patch(POD, ObjectKey(WHERE, pod["metadata"]["name"]), Patch("merge", body))

    async def lose(self) -> None:
        """Deletes the node."""
        await self._client.delete(NODE, _NODE)

    async def later(self, seconds: float) -> None:
        """Lets time pass, second by second."""
        for _ in range(int(seconds)):
            await self._clock.advance(1.0)
            await self._api.calm()

    async def pods(self) -> list[Object]:
        """Returns the pods of the job."""
        return await self._client.list(POD, Scope(WHERE))

    async def uids(self) -> list[str]:
        """Returns the uids of the pods of the job."""
        return [pod["metadata"]["uid"] for pod in await self.pods()]


@pytest.mark.parametrize("trouble", [OldNews, Silence, NoMoreRights, Trouble])
async def test_a_pod_on_a_node_that_is_well_stays(api: InProcessApi, trouble: type[Trouble]) -> None:
    async with Play(api, trouble()) as play:
        await play.later(NODE_GRACE * 3)
        assert await play.uids() == [play.uid]
        await play.set_ready("False")
        await play.later(NODE_GRACE * 2)
        assert await play.uids() == [play.uid]


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_a_pod_on_a_lost_node_is_replaced_after_the_grace(api: InProcessApi, is_deleted: bool) -> None:
    async with Play(api, Trouble()) as play:
        await (play.lose() if is_deleted else play.set_ready("Unknown"))
        await play.later(NODE_GRACE - 3)
        assert await play.uids() == [play.uid]
        await play.later(8)
        (new,) = await play.uids()
        assert new != play.uid


async def test_a_lost_pod_that_a_finalizer_holds_is_forced_once(api: InProcessApi) -> None:
    trouble = Trouble()
    async with Play(api, trouble) as play:
        await play.set_finalizers("example.com/hold")
        await play.lose()
        await play.later(NODE_GRACE * 3)
        assert await play.uids() == [play.uid]
        assert trouble.calls.count("delete Pod") == 1
        await play.set_finalizers()
        await play.later(5)
        (new,) = await play.uids()
        assert new != play.uid
