"""The status of a queue: written where it is new, again after a trouble, seldom where it is refused, and by one scheduler only.

One event loop, the embedded server, and time that the test moves.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corral.kinds.objects import Object
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.names import QUEUE as LABEL
from corral.kinds.well_known import POD
from corral.ports.refusals import ConflictError, ForbiddenError, UnreachableError
from tests.scheduling.cluster import GPU
from tests.scheduling.giving_way.theatre import Theatre
from tests.training.sweeps.troubled_store import Trouble

pytestmark = pytest.mark.anyio

PATCH = "patch Queue"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def theatre(tmp_path: Path) -> AsyncIterator[Theatre]:
    made = await Theatre.open(tmp_path, a=4)
    await made.client.create(QUEUE, queue("team", limit={GPU: 2}))
    yield made
    await made.close()


class Refusing(Trouble):
    """Refuses the first writes of statuses, one way after the other, and then none."""

    def __init__(self, *refusals: Exception) -> None:
        super().__init__()
        self.left = list(refusals)

    @property
    def tries(self) -> int:
        return self.calls.count(PATCH)

    async def before(self, what: str) -> int:
        number = await super().before(what)
        if what == PATCH and self.left:
            raise self.left.pop(0)
        return number


def queue(name: str, **spec: object) -> Object:
    head = {"apiVersion": QUEUE.api_version, "kind": QUEUE.kind}
    return {**head, "metadata": {"name": name}, "spec": spec}


async def standing(theatre: Theatre, name: str = "team") -> Object:
    found: Object = (await theatre.client.get(QUEUE, ObjectKey("", name))).get("status") or {}
    return found


async def pod(theatre: Theatre, name: str, queue_name: str = "team") -> None:
    container = {"name": "main", "image": "any", "resources": {"limits": {GPU: "1"}}}
    spec = {"schedulerName": "corral", "containers": [container]}
    metadata = {"name": name, "namespace": "ns", "labels": {LABEL: queue_name}}
    await theatre.client.create(POD, {"metadata": metadata, "spec": spec})


async def test_what_did_not_arrive_is_written_again(theatre: Theatre) -> None:
    trouble = Refusing(ConflictError("changed"), UnreachableError("gone", delivered=True))
    theatre.reign(trouble)
    await theatre.until(lambda: standing(theatre))
    assert trouble.tries == 3
    assert (await standing(theatre))["conditions"][0]["reason"] == "Served"


async def test_nothing_is_written_while_nothing_is_new(theatre: Theatre) -> None:
    trouble = Refusing()
    theatre.reign(trouble)
    await theatre.until(lambda: standing(theatre))
    await theatre.pass_time(30)
    assert trouble.tries == 1
    for name in ("one", "two", "three"):
        await pod(theatre, name)
    await theatre.pass_time(5)
    found = await standing(theatre)
    assert (found["used"], found["running"], found["waiting"]) == ({GPU: "2"}, 2, 1)
    assert trouble.tries <= 4


async def test_a_refused_status_is_tried_once_a_minute_and_holds_up_no_pod(theatre: Theatre) -> None:
    refusal = ForbiddenError('queues "team" is forbidden: cannot patch resource "queues/status"')
    trouble = Refusing(refusal, refusal)
    theatre.reign(trouble)
    for number in range(20):
        await pod(theatre, f"p{number}", "team" if number < 2 else "")
        await theatre.pass_time(1)
    assert len(await theatre.placed("")) == 4
    assert trouble.tries == 1
    await theatre.pass_time(150)
    assert trouble.tries == 3
    assert (await standing(theatre))["running"] == 2


async def test_the_next_scheduler_finds_the_status_as_it_is_and_writes_nothing(theatre: Theatre) -> None:
    theatre.reign()
    await pod(theatre, "one")
    await theatre.until(lambda: holds_one(theatre))
    before = await standing(theatre)
    await theatre.die()
    trouble = Refusing()
    theatre.reign(trouble)
    await theatre.pass_time(10)
    assert (trouble.tries, await standing(theatre)) == (0, before)


async def holds_one(theatre: Theatre) -> bool:
    return (await standing(theatre)).get("running") == 1
