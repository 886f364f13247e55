"""MXJob: a scheduler, servers and workers of MXNet's key-value store."""

from typing import Annotated

import msgspec
from msgspec import Meta

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy


class MXJobSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What an MXJob asks for."""

    mx_replica_specs: ReplicaSpecs
    job_mode: Annotated[str, Meta(description="MXTrain or MXTune.")]
    run_policy: RunPolicy = RunPolicy()


MX_JOB = KindFacts(
    kind="MXJob",
    plural="mxjobs",
    framework="mxnet",
    map_field="mxReplicaSpecs",
    roles=("Scheduler", "Server", "Worker", "TunerTracker", "TunerServer", "Tuner"),
    container="mxnet",
    port_name="mxjob-port",
    port=9091,
    spec_type=MXJobSpec,
    any_case_roles=True,
)
