"""PaddleJob: workers that train collectively, or a master with parameter servers."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy


class PaddleElasticPolicy(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """Between how many workers the job may run."""

    min_replicas: Annotated[int, Meta(description="The fewest workers.")] | None = None
    max_replicas: Annotated[int, Meta(description="The most workers.")] | None = None
    max_restarts: Annotated[int, Meta(description="How often workers are started again.")] | None = None
    metrics: Annotated[list[dict[str, Any]], Meta(description="Metrics of autoscaling/v2.")] = []


class PaddleJobSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What a PaddleJob asks for."""

    paddle_replica_specs: ReplicaSpecs
    run_policy: RunPolicy = RunPolicy()
    elastic_policy: PaddleElasticPolicy | None = None


PADDLE_JOB = KindFacts(
    kind="PaddleJob",
    plural="paddlejobs",
    framework="paddle",
    map_field="paddleReplicaSpecs",
    roles=("Master", "Worker"),
    container="paddle",
    port_name="master",
    port=36543,
    spec_type=PaddleJobSpec,
    restart_policy="OnFailure",
    scales=True,
    reports_selector=True,
)
