"""A job that cannot be looked after says so itself: its owner does not read the operator's log."""

import pytest

from corral.control.outcome import DONE, Outcome
from corral.control.training.troubles import Troubles
from corral.errors import BugError
from corral.kinds.references import ObjectKey
from corral.kinds.training.tensorflow import TF_JOB
from corral.ports.refusals import ConflictError, ForbiddenError, InvalidError, NotFoundError, OverloadedError
from corral.reconcile.plan import EmitEvent

pytestmark = pytest.mark.anyio

KEY = ObjectKey("default", "mnist")
JOB = {"metadata": {"name": "mnist", "namespace": "default", "uid": "1"}}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Trial:
    """A reconcile function that ends as told, and what people hear of it."""

    def __init__(self, *endings: Exception | None, is_there: bool = True) -> None:
        self.said: list[EmitEvent] = []
        self._endings = list(endings)
        self.troubles = Troubles(TF_JOB.resource, lambda _: JOB if is_there else None, self.said.append)
        self._heard = self.troubles.heard(self._reconcile)

    async def _reconcile(self, _: ObjectKey) -> Outcome:
        ending = self._endings.pop(0)
        if ending is not None:
            raise ending
        return DONE

    async def run(self) -> list[EmitEvent]:
        while self._endings:
            ending = self._endings[0]
            if ending is None:
                assert await self._heard(KEY) is DONE
            else:
                with pytest.raises(type(ending)):
                    await self._heard(KEY)
        return self.said


async def test_a_bug_is_told_with_its_class_and_text_at_the_second_time_in_a_row() -> None:
    (event,) = await Trial(KeyError("spec"), KeyError("spec")).run()
    assert (event.reason, event.type, event.repeats, event.about) == ("FailedReconcile", "Warning", False, JOB)
    assert "KeyError: 'spec'" in event.message
    assert "the operator's log tells more" in event.message


@pytest.mark.parametrize(
    "failure",
    [ForbiddenError("tfjobs/status is forbidden"), InvalidError("status is wrong"), BugError("unnamed-create", "oh")],
)
async def test_what_does_not_end_by_itself_is_told(failure: Exception) -> None:
    (event,) = await Trial(failure, failure).run()
    assert str(failure) in event.message


async def test_chance_is_not_told() -> None:
    assert await Trial(KeyError("a"), None, KeyError("a"), None).run() == []


@pytest.mark.parametrize("failure", [ConflictError("old"), OverloadedError("busy"), NotFoundError("gone")])
async def test_what_ends_by_itself_is_not_told(failure: Exception) -> None:
    assert await Trial(failure, failure, failure).run() == []


async def test_what_another_event_has_told_is_not_told_again() -> None:
    failure = ForbiddenError("pods is forbidden: exceeded quota")
    failure.was_told = True
    assert await Trial(failure, failure).run() == []


async def test_a_job_that_is_gone_is_told_nothing_and_forgotten() -> None:
    trial = Trial(KeyError("a"), KeyError("a"), None, is_there=False)
    assert await trial.run() == []
    assert len(trial.troubles) == 0


async def test_a_long_failure_leaves_room_for_the_rest() -> None:
    failure = ValueError("x" * 5000)
    (event,) = await Trial(failure, failure).run()
    assert len(event.message) <= 1024
    assert event.message.endswith("the operator's log tells more)")
