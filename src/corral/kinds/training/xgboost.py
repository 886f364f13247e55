"""XGBoostJob: a master that tracks and workers; LightGBM uses it too."""

import msgspec

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy


class XGBoostJobSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What an XGBoostJob asks for."""

    xgb_replica_specs: ReplicaSpecs
    run_policy: RunPolicy = RunPolicy()


XGBOOST_JOB = KindFacts(
    kind="XGBoostJob",
    plural="xgboostjobs",
    framework="xgboost",
    map_field="xgbReplicaSpecs",
    roles=("Master", "Worker"),
    container="xgboost",
    port_name="xgboostjob-port",
    port=9999,
    spec_type=XGBoostJobSpec,
)
