"""What the operator tells about a job: Kubeflow's fields, and beside them attempts, failures and progress.

Clients of the Kubeflow SDK ignore what they do not know, so the additions harm nobody.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

ConditionType = Literal["Created", "Running", "Restarting", "Suspended", "Succeeded", "Failed", "Invalid"]
FailureClass = Literal["user", "oom", "infra", "node", "preempted", "hang", "unknown"]


class Condition(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One condition; the last of the list is the state that people see."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_update_time: str = ""
    last_transition_time: str = ""


class ReplicaStatus(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """How many pods of a role are active, have succeeded or failed; zeros are left out."""

    active: int = 0
    succeeded: int = 0
    failed: int = 0
    selector: str = ""


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
    step_time: Annotated[str, Meta(description="When the last step was first seen.")] = ""


class JobStatus(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """The whole status."""

    conditions: list[Condition] = []
    replica_statuses: dict[str, ReplicaStatus] = {}
    start_time: str | None = None
    completion_time: str | None = None
    last_reconcile_time: str | None = None
    attempt: Annotated[int, Meta(description="How often all pods together were started again.")] = 0
    restarts: Annotated[int, Meta(description="How many failures count against the back-off limit.")] = 0
    counted: Annotated[list[str], Meta(description="The uids of failed pods, still there, that were counted.")] = []
    failures: Annotated[list[Failure], Meta(description="The latest failures, newest last.")] = []
    progress: Progress | None = None
