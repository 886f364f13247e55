"""CaffeJob: a launcher that calls mpirun, and workers that it reaches over ssh."""

from typing import Annotated

import msgspec
from msgspec import Meta

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy


class CaffeJobSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What a CaffeJob asks for."""

    caffe_replica_specs: ReplicaSpecs
    run_policy: RunPolicy = RunPolicy()
    slots_per_worker: Annotated[int, Meta(ge=1, description="Processes per worker, usually one for each GPU.")] = 1


CAFFE_JOB = KindFacts(
    kind="CaffeJob",
    plural="caffejobs",
    framework="caffe",
    map_field="caffeReplicaSpecs",
    roles=("Launcher", "Worker"),
    container="caffe",
    port_name="ssh",
    port=22,
    spec_type=CaffeJobSpec,
    restart_policies=(("Worker", "OnFailure"),),
)
