"""The kind Cron: a training job that is made again and again, by a schedule.

The fields of `spec` have the names that Arena's crons and Kubernetes' CronJobs give them.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from corral.kinds.references import ApiResource
from corral.kinds.training.schema_marks import INT64, TIME, default

GROUP: Final = "corral.dev"
CRON: Final = ApiResource(GROUP, "v1alpha1", "Cron", "crons")

CRON_NAME: Final = "corral.dev/cron"
"""The label of a job and its pods: by which cron they were made."""
SCHEDULED_AT: Final = "corral.dev/scheduled-at"
"""The annotation of a job: for which time it was made."""

HISTORY_LIMIT: Final = 10
MOST_HISTORY: Final = 1000
LONGEST_TEXT: Final = 200

ConcurrencyPolicy = Literal["Allow", "Forbid", "Replace"]


class TemplateMetadata(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What the jobs of a cron carry; they are named after the cron and their time, and are where the cron is."""

    labels: Annotated[dict[str, str], Meta(description="Labels of every job.")] = {}
    annotations: Annotated[dict[str, str], Meta(description="Annotations of every job.")] = {}
    name: Annotated[
        str, Meta(description="Stands for the name of each job where labels of its pods say that; otherwise not used.")
    ] = ""
    namespace: Annotated[str, Meta(description="That of the cron, if it is given.")] = ""


class JobTemplate(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """A whole training job."""

    api_version: Annotated[str, Meta(description="Such as kubeflow.org/v1.")]
    kind: Annotated[str, Meta(description="TFJob, PyTorchJob, MPIJob, XGBoostJob, PaddleJob, JAXJob or MXJob.")]
    spec: Annotated[dict[str, Any], Meta(description="The job, as its own kind describes it.")]
    metadata: TemplateMetadata = TemplateMetadata()


class CronSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """When jobs are made, and which."""

    schedule: Annotated[
        str,
        Meta(
            max_length=LONGEST_TEXT,
            description="Minute, hour, day of month, month and day of week, or @hourly, @daily, ..., or @every 90m.",
        ),
    ]
    template: JobTemplate
    time_zone: Annotated[
        str, Meta(max_length=LONGEST_TEXT, description="By whose clock, such as Europe/Berlin; UTC if it is not given.")
    ] = ""
    concurrency_policy: Annotated[
        ConcurrencyPolicy,
        Meta(
            extra_json_schema=default("Allow"),
            description="While a job still runs: Allow another one, Forbid it until the first has ended, or Replace the first.",
        ),
    ] = "Allow"
    suspend: Annotated[
        bool, Meta(extra_json_schema=default(False), description="Makes no jobs; those there go on.")
    ] = False
    deadline: Annotated[str, Meta(extra_json_schema=TIME, description="No job is made after it.")] | None = None
    starting_deadline_seconds: (
        Annotated[
            int,
            Meta(ge=1, extra_json_schema=INT64, description="How late a job may be made; without it, however late."),
        ]
        | None
    ) = None
    history_limit: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_HISTORY,
            extra_json_schema=default(HISTORY_LIMIT),
            description="How many jobs that have ended are kept.",
        ),
    ] = HISTORY_LIMIT


class InForce(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """The timetable that is in force, and from when on."""

    schedule: Annotated[str, Meta(description="As spec gave it.")]
    time_zone: Annotated[str, Meta(description="As spec gave it.")] = ""
    since: Annotated[
        str, Meta(extra_json_schema=TIME, description="Times up to this one are not made up for any more.")
    ] = ""


class Run(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """A job of the cron that has not ended."""

    api_version: Annotated[str, Meta(description="Of the job.")]
    kind: Annotated[str, Meta(description="Of the job.")]
    name: Annotated[str, Meta(description="Of the job.")]
    scheduled: Annotated[str, Meta(extra_json_schema=TIME, description="For which time it was made.")] = ""


class Ended(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """A job of the cron that has ended."""

    name: Annotated[str, Meta(description="Of the job.")]
    type: Annotated[str, Meta(description="The kind of the job.")]
    status: Annotated[str, Meta(description="Succeeded, Failed, or Deleted when somebody took it away.")]
    scheduled: Annotated[str, Meta(extra_json_schema=TIME, description="For which time it was made.")] = ""
    created: Annotated[str, Meta(extra_json_schema=TIME, description="When it was made.")] | None = None
    finished: Annotated[str, Meta(extra_json_schema=TIME, description="When it ended.")] | None = None


class Condition(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """Whether jobs are made."""

    type: Annotated[str, Meta(description="Scheduled.")]
    status: Annotated[str, Meta(description="True or False.")]
    reason: Annotated[str, Meta(description="Scheduled, Suspended, Invalid, DeadlinePassed or NoMoreTimes.")] = ""
    message: Annotated[str, Meta(description="Why, for people.")] = ""
    last_transition_time: Annotated[str, Meta(extra_json_schema=TIME, description="When its status last changed.")] = ""


class CronStatus(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What became of a cron."""

    last_schedule_time: (
        Annotated[str, Meta(extra_json_schema=TIME, description="The time for which the last job was made.")] | None
    ) = None
    next_schedule_time: (
        Annotated[str, Meta(extra_json_schema=TIME, description="The next time that was not dealt with yet.")] | None
    ) = None
    active: Annotated[list[Run], Meta(description="The jobs that have not ended, oldest first.")] = []
    history: Annotated[list[Ended], Meta(description="The latest jobs that have ended, newest last.")] = []
    missed: Annotated[
        int, Meta(extra_json_schema=INT64, description="How many times passed without a job of their own.")
    ] = 0
    in_force: Annotated[InForce, Meta(description="Absent while the cron is suspended or wrong.")] | None = None
    conditions: Annotated[list[Condition], Meta(description="Whether jobs are made, and if not, why.")] = []
