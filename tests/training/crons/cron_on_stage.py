"""A cron on a stage, and how a test lets its times come: the timetable is said to be in force since long ago."""

import time
from typing import Any

from corral.kinds.cron.cron import CRON
from corral.kinds.objects import Object
from tests.training.job_on_stage import JobOnStage
from tests.training.manifests import manifest
from tests.training.stage import Stage, job_resource

LONG_AGO = "2020-01-01T00:00:30Z"
YEARLY = "@yearly"


def days_ago(count: int) -> str:
    """Returns a schedule whose latest time is so many days ago, to the minute."""
    moment = time.gmtime(time.time() - count * 86400)
    return f"{moment.tm_min} {moment.tm_hour} {moment.tm_mday} {moment.tm_mon} *"


def cron_manifest(name: str, schedule: str = YEARLY, kind: str = "JAXJob", **spec: Any) -> Object:
    """Returns a cron with a job of a kind; fields of its spec by their names."""
    template = manifest(kind, "any", {"Worker": 1} if kind == "JAXJob" else None)
    del template["metadata"]
    return {
        "apiVersion": CRON.api_version,
        "kind": CRON.kind,
        "metadata": {"name": name},
        "spec": {"schedule": schedule, "template": template, **spec},
    }


class CronOnStage:
    """One cron, as a test follows it."""

    def __init__(self, stage: Stage, name: str, kind: str) -> None:
        self._stage = stage
        self.name = name
        self.jobs = job_resource(kind)
        self.kind = kind

    @property
    def status(self) -> Object:
        """Returns what is told of it."""
        return (self._stage.find(CRON, self.name) or {}).get("status") or {}

    @property
    def made(self) -> list[str]:
        """Returns the names of the jobs there are, those that are going included."""
        found = self._stage.client.list(self.jobs)
        ours = [one for one in found if one["metadata"]["namespace"] == self._stage.namespace]
        return sorted(one["metadata"]["name"] for one in ours if one["metadata"]["name"].startswith(f"{self.name}-"))

    def wait_reason(self, reason: str) -> Object:
        """Returns the condition as soon as it has a reason."""
        self._stage.wait(lambda: self.status.get("conditions") or [{}], lambda seen: seen[0].get("reason") == reason)
        return dict(self.status["conditions"][0])

    def come(self, schedule: str = "") -> None:
        """Lets the latest time of the schedule, or of another one, be due."""
        if schedule:
            self._stage.change(CRON, self.name, {"spec": {"schedule": schedule}})
        wanted = self._stage.get(CRON, self.name)["spec"]["schedule"]
        self._stage.wait(lambda: (self.status.get("inForce") or {}).get("schedule") == wanted)
        self._stage.change(CRON, self.name, {"status": {"inForce": {"since": LONG_AGO}}}, "status")

    def job(self, name: str) -> JobOnStage:
        """Returns a job of the cron, as tests of jobs follow it."""
        return JobOnStage(self._stage, self.kind, name, self._stage.get(self.jobs, name)["metadata"]["uid"])

    def end(self, name: str) -> None:
        """Lets the pod of a job run and succeed."""
        job = self.job(name)
        self._stage.wait(job.pods, lambda seen: len(seen) == 1)
        job.run()
        for pod in job.pods():
            job.set_phase(pod, "Succeeded")


def put_cron(stage: Stage, obj: Object) -> CronOnStage:
    """Creates a cron in the namespace of the test."""
    metadata = {**obj["metadata"], "namespace": stage.namespace}
    stage.client.create(CRON, {**obj, "metadata": metadata})
    return CronOnStage(stage, metadata["name"], obj["spec"]["template"]["kind"])
