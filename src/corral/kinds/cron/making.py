"""From a job, and what belongs to it, to a cron that makes such jobs, and what belongs to that."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from corral.kinds.cron.cron import CRON, CRON_NAME
from corral.kinds.objects import Object
from corral.kinds.training.label_names import JOB_NAME


class Timing(NamedTuple):
    """When jobs are made; what is not said is left to the server."""

    schedule: str
    time_zone: str | None = None
    concurrency_policy: str | None = None
    suspend: bool | None = None
    deadline: str | None = None
    starting_deadline_seconds: int | None = None
    history_limit: int | None = None


def cron_objects(objects: Sequence[Object], timing: Timing) -> list[Object]:
    """Returns the cron, and then what belongs to it; `objects` are a job and what would belong to it.

    What belonged to one job is shared by all: files that every job mounts, the TensorBoard that looks at all of them.
    """
    job, *companions = objects
    name = job["metadata"]["name"]
    place = {field: job["metadata"][field] for field in ("name", "namespace") if field in job["metadata"]}
    said = {
        "schedule": timing.schedule,
        "timeZone": timing.time_zone,
        "concurrencyPolicy": timing.concurrency_policy,
        "suspend": timing.suspend,
        "deadline": timing.deadline,
        "startingDeadlineSeconds": timing.starting_deadline_seconds,
        "historyLimit": timing.history_limit,
    }
    spec = {field: value for field, value in said.items() if value is not None}
    metadata = {field: value for field, value in job["metadata"].items() if field != "namespace"}
    template = {**job, "metadata": metadata}
    cron = {
        "apiVersion": CRON.api_version,
        "kind": CRON.kind,
        "metadata": place,
        "spec": {**spec, "template": template},
    }
    return [cron, *(_of_all(one, name) for one in companions)]


def _of_all(value: Any, name: str) -> Any:
    """Returns a companion that looks for the pods of every job of the cron, where it would look for those of one."""
    if isinstance(value, dict):
        return {CRON_NAME if key == JOB_NAME and one == name else key: _of_all(one, name) for key, one in value.items()}
    return [_of_all(one, name) for one in value] if isinstance(value, list) else value
