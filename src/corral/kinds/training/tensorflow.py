"""TFJob: parameter servers, workers, a chief or a master, evaluators."""

from typing import Annotated

import msgspec
from msgspec import Meta

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy


class TFJobSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What a TFJob asks for."""

    tf_replica_specs: ReplicaSpecs
    run_policy: RunPolicy = RunPolicy()
    success_policy: Annotated[str, Meta(description='"" (worker 0 decides) or "AllWorkers".')] = ""
    enable_dynamic_worker: Annotated[bool, Meta(description="Whether workers may come and go: a sparse TF_CONFIG.")] = (
        False
    )


TF_JOB = KindFacts(
    kind="TFJob",
    plural="tfjobs",
    framework="tensorflow",
    map_field="tfReplicaSpecs",
    roles=("PS", "Worker", "Chief", "Master", "Evaluator"),
    container="tensorflow",
    port_name="tfjob-port",
    port=2222,
    spec_type=TFJobSpec,
    any_case_roles=True,
)
