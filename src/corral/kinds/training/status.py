"""What the operator tells about a job: Kubeflow's fields, and beside them attempts, failures and progress.

Clients of the Kubeflow SDK ignore what they do not know, so the additions harm nobody.
"""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from corral.kinds.training.schema_marks import TIME

ConditionType = Literal["Created", "Running", "Restarting", "Suspended", "Succeeded", "Failed", "Invalid"]
FailureClass = Literal["user", "oom", "infra", "node", "preempted", "hang", "unknown"]


class Condition(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One condition; the last of the list is the state that people see."""

    type: Annotated[str, Meta(description="Created, Running, Restarting, Suspended, Succeeded or Failed.")]
    status: Annotated[str, Meta(description="True, False or Unknown.")]
    reason: Annotated[str, Meta(description="Why, in one word.")] = ""
    message: Annotated[str, Meta(description="Why, for people.")] = ""
    last_update_time: Annotated[str, Meta(extra_json_schema=TIME, description="When it was last written.")] = ""
    last_transition_time: Annotated[str, Meta(extra_json_schema=TIME, description="When its status last changed.")] = ""


class ReplicaStatus(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """How many pods of a role are active, have succeeded or failed; zeros are left out."""

    keeps_unknown: ClassVar[bool] = True
    active: Annotated[int, Meta(description="Pods that run or shall run.")] = 0
    succeeded: Annotated[int, Meta(description="Pods that ended well.")] = 0
    failed: Annotated[int, Meta(description="Pods that failed.")] = 0
    selector: Annotated[str, Meta(description="The labels of these pods, for an autoscaler.")] = ""


class Failure(
    msgspec.Struct,
    rename={"class_": "class", "pod_uid": "podUid", "exit_code": "exitCode"},
    kw_only=True,
    frozen=True,
    omit_defaults=True,
):
    """One pod that failed, of which class, and by which evidence."""

    class_: Annotated[str, Meta(description="user, oom, infra, node, preempted, hang or unknown.")]
    time: str
    role: str = ""
    index: int = 0
    pod: str = ""
    pod_uid: str = ""
    node: str = ""
    exit_code: int | None = None
    reason: str = ""
    message: str = ""
    attempt: int = 0


class Progress(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """How far the job is, by its own words."""

    step: int | None = None
    total: int | None = None
    percent: float | None = None
    steps_per_second: float | None = None
    seconds_left: int | None = None
    metrics: dict[str, float] = {}
    target_reached: Annotated[
        bool, Meta(description="Whether the job was stopped because its metric is good enough.")
    ] = False
    step_time: Annotated[str, Meta(description="When the last step was first seen.")] = ""


class JobStatus(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """The whole status."""

    keeps_unknown: ClassVar[bool] = True
    conditions: list[Condition] = []
    replica_statuses: dict[str, ReplicaStatus] = {}
    start_time: Annotated[str, Meta(extra_json_schema=TIME, description="When work on the job began.")] | None = None
    completion_time: Annotated[str, Meta(extra_json_schema=TIME, description="When the job ended.")] | None = None
    last_reconcile_time: (
        Annotated[str, Meta(extra_json_schema=TIME, description="When it was last looked at.")] | None
    ) = None
    attempt: Annotated[int, Meta(description="How often all pods together were started again.")] = 0
    restarts: Annotated[int, Meta(description="How many failures count against the back-off limit.")] = 0
    counted: Annotated[list[str], Meta(description="The uids of failed pods, still there, that were counted.")] = []
    failures: Annotated[list[Failure], Meta(description="The latest failures, newest last.")] = []
    progress: Progress | None = None
