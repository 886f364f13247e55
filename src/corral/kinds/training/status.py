"""What the operator tells about a job: Kubeflow's fields, and beside them attempts, failures and progress.

Clients of the Kubeflow SDK ignore what they do not know, so the additions harm nobody.
"""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from corral.kinds.training.schema_marks import INT64, TIME

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
    time: Annotated[str, Meta(description="When it was noticed.")]
    role: Annotated[str, Meta(description="The role of the pod.")] = ""
    index: Annotated[int, Meta(description="Its index within the role.")] = 0
    pod: Annotated[str, Meta(description="Its name.")] = ""
    pod_uid: Annotated[str, Meta(description="Its uid.")] = ""
    node: Annotated[str, Meta(description="Where it ran.")] = ""
    exit_code: Annotated[int, Meta(description="How its training container ended.")] | None = None
    reason: Annotated[str, Meta(description="What Kubernetes calls it.")] = ""
    message: Annotated[str, Meta(description="The evidence, for people.")] = ""
    attempt: Annotated[int, Meta(description="In which attempt of the job.")] = 0


class Progress(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """How far the job is, by its own words."""

    step: Annotated[int, Meta(extra_json_schema=INT64, description="The last step reported.")] | None = None
    total: Annotated[int, Meta(extra_json_schema=INT64, description="The number of steps.")] | None = None
    percent: Annotated[float, Meta(description="How much of it is done.")] | None = None
    steps_per_second: Annotated[float, Meta(description="How fast, of late.")] | None = None
    seconds_left: (
        Annotated[int, Meta(extra_json_schema=INT64, description="How long it takes at this speed.")] | None
    ) = None
    metrics: Annotated[dict[str, float], Meta(description="The last value of each metric reported.")] = {}
    target_reached: Annotated[
        bool, Meta(description="Whether the job was stopped because its metric is good enough.")
    ] = False
    step_time: Annotated[str, Meta(description="When the last step was first seen.")] = ""


class Launch(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """The Job that launches the present run of an MPIJob v2beta1; no second one is made for it."""

    uid: Annotated[str, Meta(description="The uid of the launcher Job.")] = ""
    missing_since: (
        Annotated[str, Meta(extra_json_schema=TIME, description="Since when that Job is gone, its end untold.")] | None
    ) = None


class JobStatus(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """The whole status."""

    keeps_unknown: ClassVar[bool] = True
    conditions: Annotated[list[Condition], Meta(description="What became of the job, the latest last.")] = []
    replica_statuses: Annotated[dict[str, ReplicaStatus], Meta(description="The pods of the job, role by role.")] = {}
    start_time: Annotated[str, Meta(extra_json_schema=TIME, description="When work on the job began.")] | None = None
    completion_time: Annotated[str, Meta(extra_json_schema=TIME, description="When the job ended.")] | None = None
    last_reconcile_time: (
        Annotated[str, Meta(extra_json_schema=TIME, description="When it was last looked at.")] | None
    ) = None
    attempt: Annotated[int, Meta(description="How often all pods together were started again.")] = 0
    restarts: Annotated[int, Meta(description="How many failures count against the back-off limit.")] = 0
    counted: Annotated[list[str], Meta(description="The uids of pods, still there, whose end was dealt with.")] = []
    failures: Annotated[list[Failure], Meta(description="The latest failures, newest last.")] = []
    progress: Progress | None = None
    launcher: Annotated[Launch, Meta(description="v2beta1 MPIJob: what launches this run.")] | None = None
