"""The life of a job, whatever its framework: limits, clean-up, suspension, gangs, and how its progress is followed."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from corral.kinds.training.schema_marks import INT64, QUANTITIES, default, one_of

TRAINING_OPERATOR = "kubeflow.org/training-operator"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"
RESTART_SCOPE = "corral.dev/restart-scope"
"""The annotation of jobs that says what starts anew when a pod fails: `gang` for all pods, `pod`, the default, for itself."""
RESTART_SCOPES = ("gang", "pod")
CLEAN_POD_POLICIES = ("None", "Running", "All")
QUEUE_IS_IMMUTABLE = "spec.runPolicy.schedulingPolicy.queue is immutable"

Count = Annotated[int, Meta(ge=0)]


class SchedulingPolicy(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What a gang scheduler is told about the job."""

    min_available: Annotated[int, Meta(description="How many pods must fit at once; all when not given.")] | None = None
    queue: Annotated[
        str,
        Meta(
            # A rule about a change is asked only where the field is there before and after: adding and removing are free.
            extra_json_schema={
                "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": QUEUE_IS_IMMUTABLE}]
            },
            description="The queue the job waits in; it cannot be changed.",
        ),
    ] = ""
    min_resources: (
        Annotated[
            dict[str, Any],
            Meta(
                extra_json_schema=QUANTITIES,
                description="What must be free at once; the sum of the first minAvailable pods by default.",
            ),
        ]
        | None
    ) = None
    priority_class: Annotated[str, Meta(description="How important the gang is.")] = ""
    schedule_timeout_seconds: (
        Annotated[int, Meta(description="How long the gang may wait for its last pod.")] | None
    ) = None


class StopWhen(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """A metric that ends the job as a success once it is good enough."""

    metric: Annotated[str, Meta(min_length=1, description="The name under which the job reports it.")]
    reaches: Annotated[float, Meta(description="The value at which the job may stop.")]
    goal: Annotated[
        str,
        Meta(
            extra_json_schema=one_of("maximize", "minimize"),
            description="Whether more (maximize, the default) or less (minimize) is better.",
        ),
    ] = ""


class HangPolicy(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What counts as a hang: a running job that reports no further step for so long."""

    after_seconds: Annotated[int, Meta(ge=10, description="Silence longer than this is a hang.")]


class ProgressPolicy(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """How the job tells how far it is; giving it makes the operator read the log of the job's master pod."""

    pattern: Annotated[
        str,
        Meta(description="A regular expression (RE2) with groups named step, total or a metric; default: see guide."),
    ] = ""
    total_steps: (
        Annotated[
            int,
            Meta(ge=1, extra_json_schema=INT64, description="The number of steps, when the job does not report it."),
        ]
        | None
    ) = None
    stop_when: StopWhen | None = None
    hang: HangPolicy | None = None


class RunPolicy(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """Everything about the life of a job that does not depend on its framework."""

    clean_pod_policy: Annotated[str, Meta(description="Which pods go when the job ends: None, Running or All.")] = ""
    ttl_seconds_after_finished: Annotated[int, Meta(description="The job is deleted so long after its end.")] | None = (
        None
    )
    active_deadline_seconds: (
        Annotated[int, Meta(extra_json_schema=INT64, description="The job fails when it is active longer.")] | None
    ) = None
    backoff_limit: Annotated[int, Meta(description="How many restarts before the job fails.")] | None = None
    suspend: Annotated[
        bool, Meta(extra_json_schema=default(False), description="Whether the job shall wait without pods.")
    ] = False
    managed_by: Annotated[str, Meta(description="Which controller looks after the job.")] | None = None
    scheduling_policy: SchedulingPolicy | None = None
    progress: ProgressPolicy | None = None
