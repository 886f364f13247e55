"""Jobs and their ranks with what they use."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from corral.control.desk.jobs.lines import JobLine, PodsByJob, job_line
from corral.control.desk.jobs.looking import Wanted, jobs_in, namespace_of, pods_in
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.jobs.story import PodLine, Story, story_of
from corral.control.desk.naming.finding import Found, ignored
from corral.control.desk.session import Session
from corral.control.desk.top.measuring import Meter
from corral.control.desk.top.usage import NOTHING, UNMEASURED, Usage
from corral.kinds.references import ObjectKey
from corral.kinds.training.label_names import JOB_NAME
from corral.ports.object_store import Scope


class UsedJob(NamedTuple):
    """A job and what its pods use together."""

    line: JobLine
    usage: Usage

    def document(self) -> dict[str, Any]:
        """Returns it as data."""
        line = self.line
        return {
            "name": line.name,
            "namespace": line.namespace,
            "status": line.status,
            "trainer": line.trainer,
            "requestGPUs": line.gpus_requested,
            "allocatedGPUs": line.gpus_allocated,
            **self.usage.document(),
        }


class UsedPod(NamedTuple):
    """A rank and what it uses."""

    pod: PodLine
    usage: Usage

    def document(self) -> dict[str, Any]:
        """Returns it as data."""
        pod = self.pod
        head = {"name": pod.name, "rank": pod.rank, "status": pod.state, "node": pod.node, "nodeIP": pod.node_address}
        return {**head, "requestGPUs": pod.gpus, "gpuMetrics": {}, **self.usage.document()}


def used_jobs(
    session: Session, meter: Meter, wanted: Wanted, *, on_note: Callable[[str], None] = ignored
) -> list[UsedJob]:
    """Returns all jobs with what they use, those with most GPUs first."""
    jobs = jobs_in(session, wanted=wanted, on_note=on_note)
    namespace = namespace_of(session, jobs)
    around = Scope(namespace, labels=JOB_NAME)
    pods = PodsByJob(pods_in(session.store, around, on_note=on_note) if jobs else ())
    ours = [pod for job in jobs for pod in pods.of(job)]
    usages = meter.pods(namespace, _nodes_of(ours)) if ours else NOTHING
    lines = [UsedJob(job_line(job, pods.of(job)), usages.together(_running(pods.of(job)))) for job in jobs]
    return sorted(lines, key=lambda one: -one.line.gpus_requested)


class UsedRanks(NamedTuple):
    """One job with each of its ranks."""

    story: Story
    pods: list[UsedPod]

    def document(self) -> dict[str, Any]:
        """Returns it as data."""
        total = UNMEASURED
        for one in self.pods:
            total = total.plus(one.usage)
        return {**UsedJob(self.story.line, total).document(), "instances": [one.document() for one in self.pods]}


def used_ranks(session: Session, meter: Meter, job: Found, instance: str = "") -> UsedRanks:
    """Returns a job with what each of its pods uses, or of one of them."""
    pods = pods_in(session.store, job.pods)
    usages = meter.pods(job.key.namespace, _nodes_of(pods)) if pods else NOTHING
    story = story_of(job, pods, [])
    shown = [pod for pod in story.pods if not instance or pod.name == instance]
    running = set(_running(pods))
    keys = [ObjectKey(job.key.namespace, pod.name) for pod in shown]
    used = [usages.pods.get(key, UNMEASURED) if key in running else UNMEASURED for key in keys]
    return UsedRanks(story, [UsedPod(pod, usage) for pod, usage in zip(shown, used, strict=True)])


def _nodes_of(pods: Sequence[JobPod]) -> set[str]:
    return {pod.node for pod in pods if pod.node and pod.phase == "Running"}


def _running(pods: Sequence[JobPod]) -> list[ObjectKey]:
    return [ObjectKey(pod.metadata.namespace, pod.name) for pod in pods if pod.phase == "Running"]
