"""PaddleJob: workers that train collectively, or a master with parameter servers."""

from typing import Any

import msgspec

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy


class PaddleElasticPolicy(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """Between how many workers the job may run."""

    min_replicas: int | None = None
    max_replicas: int | None = None
    max_restarts: int | None = None
    metrics: list[dict[str, Any]] = []


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
