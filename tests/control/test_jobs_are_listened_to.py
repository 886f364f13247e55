"""Listening to running jobs: logs and annotations become reports, and a report is believed only while somebody listens."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from corral.control.training.listened_jobs import PROGRESS, ListenedJob, listened_job
from corral.control.training.progress_watch import LIMIT_BYTES, LISTEN_EVERY, ProgressWatch
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.references import ObjectKey
from corral.ports.refusals import InvalidError
from corral.reconcile.moments import stamp_of
from corral.reconcile.training.world import Report
from corral.testing.manual_clock import FixedRandomness, ManualClock, settled

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def job(progress: Object | None = None, *, phase: str = "Running", told: Object | None = None) -> Object:
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "train", "namespace": "ns", "uid": "uid-train"},
        "spec": {"runPolicy": {} if progress is None else {"progress": progress}, "pytorchReplicaSpecs": {}},
        "status": {
            "conditions": [{"type": "Created", "status": "True"}, {"type": phase, "status": "True"}],
            **({"progress": told} if told else {}),
        },
    }


def pod(role: str = "worker", index: int = 0, **options: Any) -> PodView:
    labels = {"training.kubeflow.org/replica-type": role, "training.kubeflow.org/replica-index": str(index)}
    if options.get("master"):
        labels["training.kubeflow.org/job-role"] = "master"
    name = f"train-{role}-{index}"
    metadata = {"name": name, "namespace": "ns", "uid": options.get("uid", name), "labels": labels}
    metadata["annotations"] = {PROGRESS: options["says"]} if "says" in options else {}
    containers = [{"name": one} for one in options.get("containers", ["pytorch"])]
    status = {"phase": options.get("phase", "Running"), "containerStatuses": containers}
    return msgspec.convert({"metadata": metadata, "status": status}, PodView)


class Printer:
    """A log source that a test fills; it notes who was asked for how much."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.refusal: CorralError | None = None
        self.is_stuck = False
        self.asked: list[tuple[str, str, int]] = []

    async def recent_lines(self, key: ObjectKey, container: str, since_seconds: int, limit_bytes: int) -> list[str]:
        assert limit_bytes == LIMIT_BYTES
        self.asked.append((key.name, container, since_seconds))
        if self.is_stuck:
            await asyncio.Event().wait()
        if self.refusal is not None:
            raise self.refusal
        return list(self.lines)


class Room:
    """One job, its pods, its log, and who was woken."""

    def __init__(self, obj: Object, *pods: PodView) -> None:
        self.jobs = [obj]
        self.pods = list(pods)
        self.printer = Printer()
        self.clock = ManualClock()
        self.woken: list[str] = []
        self.watch = ProgressWatch(
            lambda: self.jobs, lambda _: self.pods, self.printer, self.note, self.clock, FixedRandomness(1.0)
        )

    def note(self, listened: ListenedJob) -> None:
        self.woken.append(str(listened.key))

    @property
    def report(self) -> Report | None:
        return self.watch.get("uid-train")

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Callable[[float], Any]]:
        task = asyncio.create_task(self.watch.run())
        await settled()
        try:
            yield self.clock.advance
        finally:
            task.cancel()
            await asyncio.wait([task])


async def test_the_log_of_a_job_that_asks_is_read_every_ten_seconds() -> None:
    room = Room(job({}), pod("worker"), pod("master", master=True))
    room.printer.lines = ["step 1/10"]
    began = room.clock.now()
    async with room.listening() as wait:
        assert room.report == Report(1, 10, {}, began)
        room.printer.lines = ["step 2/10"]
        await wait(LISTEN_EVERY)
        assert room.report == Report(2, 10, {}, began + LISTEN_EVERY)
        await wait(LISTEN_EVERY)
    assert [name for name, _, _ in room.printer.asked] == ["train-master-0"] * 3
    assert [back for _, _, back in room.printer.asked] == [86400, 15, 15]
    assert room.woken == ["ns/train", "ns/train"]


async def test_a_job_that_does_not_ask_keeps_its_log_to_itself() -> None:
    room = Room(job(), pod())
    async with room.listening():
        assert (room.report, room.printer.asked, len(room.watch)) == (None, [], 0)


async def test_an_annotation_needs_no_asking_and_no_log() -> None:
    room = Room(job(), pod("master", master=True), pod(says='{"step": 3, "total": 4}'))
    async with room.listening() as wait:
        assert room.report is not None
        assert (room.report.step, room.report.total, room.printer.asked) == (3, 4, [])
        await wait(60)
        assert room.report.step == 3


async def test_an_old_annotation_does_not_contradict_a_newer_log() -> None:
    room = Room(job({"pattern": r"at (?P<step>\d+)"}), pod(says='{"step": 3}'))
    async with room.listening() as wait:
        assert room.report is not None
        assert room.report.step == 3
        room.printer.lines = ["at 5"]
        await wait(LISTEN_EVERY)
        room.printer.lines = []
        await wait(LISTEN_EVERY)
        assert room.report.step == 5
        room.pods = [pod(says='{"step": 6}')]
        await wait(LISTEN_EVERY)
        assert room.report.step == 6


async def test_a_silent_log_is_a_report_too() -> None:
    """So that a job that never makes its first step can be known to hang."""
    room = Room(job({}), pod())
    async with room.listening():
        assert room.report == Report()
        assert room.woken == ["ns/train"]


async def test_a_log_that_cannot_be_read_is_no_report_and_asked_for_ever_more_rarely() -> None:
    room = Room(job({}), pod())
    room.printer.lines = ["step 1"]
    async with room.listening() as wait:
        assert room.report is not None
        room.printer.refusal = InvalidError("container is waiting to start")
        await wait(LISTEN_EVERY)
        assert room.report is None
        for _ in range(60):
            await wait(LISTEN_EVERY)
        assert len(room.printer.asked) < 12
        room.printer.refusal = None
        await wait(300)
        assert (room.report.step, len(room.woken)) == (1, 2)


async def test_a_log_that_never_answers_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corral.control.training.progress_watch._READ_LIMIT", 0.01)
    room = Room(job({}), pod())
    room.printer.is_stuck = True
    await room.watch.listen()
    assert (room.report, room.woken) == (None, [])


async def test_after_a_restart_a_step_is_as_old_as_the_status_says() -> None:
    long_ago = 900_000.0
    room = Room(job({}, told={"step": 7, "total": 9, "stepTime": stamp_of(long_ago)}), pod())
    assert room.report is None
    room.printer.lines = ["step 7/9"]
    async with room.listening() as wait:
        assert room.report == Report(7, 9, {}, long_ago)
        room.printer.lines = ["step 8/9"]
        await wait(LISTEN_EVERY)
        assert room.report == Report(8, 9, {}, 1_000_000.0 + LISTEN_EVERY)


async def test_a_new_pod_is_read_from_its_beginning() -> None:
    room = Room(job({}), pod())
    async with room.listening() as wait:
        room.pods = [pod(uid="another")]
        await wait(LISTEN_EVERY)
    assert [back for _, _, back in room.printer.asked] == [86400, 86400]


async def test_a_job_that_ended_is_forgotten() -> None:
    room = Room(job({}), pod())
    async with room.listening() as wait:
        assert len(room.watch) == 1
        room.jobs = [job({}, phase="Succeeded")]
        await wait(LISTEN_EVERY)
        assert (len(room.watch), room.report) == (0, None)


async def test_a_poisonous_job_hurts_only_itself() -> None:
    room = Room(job({}), pod())
    other = job({})
    other["metadata"] = {"name": "other", "namespace": "ns", "uid": "uid-other"}
    room.jobs = [
        {**job({}), "spec": None},
        {**job({}), "status": {"conditions": "none"}},
        {**job({}), "kind": "Poison"},
        other,
    ]
    room.printer.lines = ["step 1"]
    async with room.listening():
        assert room.watch.get("uid-other") is not None


def test_jobs_without_a_running_pod_are_not_listened_to() -> None:
    assert listened_job(job({}), []) is None
    assert listened_job(job({}), [pod(phase="Pending")]) is None
    assert listened_job(job({}, phase="Suspended"), [pod()]) is None


def test_the_container_that_trains_is_heard() -> None:
    found = listened_job(job({}), [pod(containers=["sidecar", "pytorch"])])
    assert found is not None
    assert found.container == "pytorch"
    found = listened_job(job({}), [pod(containers=["main"])])
    assert found is not None
    assert found.container == "main"


async def test_the_last_words_of_a_pod_are_read_once_when_it_has_ended() -> None:
    """A job that ends between two looks would otherwise keep an older figure for ever."""
    room = Room(job({}), pod("master", master=True), pod("worker"))
    room.printer.lines = ["step 1/10"]
    async with room.listening():
        room.pods = [pod("master", master=True, phase="Succeeded"), pod("worker")]
        room.printer.lines = ["step 10/10"]
        for _ in range(2):
            await room.watch.hear_out(room.jobs[0])
        assert room.report is not None
        assert (room.report.step, room.report.total) == (10, 10)
        assert [name for name, *_ in room.printer.asked] == ["train-master-0"] * 2


@pytest.mark.parametrize("progress", [None, {}])
async def test_a_job_that_asks_nothing_or_whose_speaker_goes_on_is_not_read_out_of_turn(
    progress: Object | None,
) -> None:
    phase = "Running" if progress is not None else "Succeeded"
    room = Room(job(progress), pod("master", master=True, phase=phase), pod("worker"))
    await room.watch.hear_out(room.jobs[0])
    assert room.printer.asked == []
