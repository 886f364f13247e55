"""JAXJob: workers alone; worker 0 coordinates."""

import msgspec

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy


class JAXJobSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What a JAXJob asks for."""

    jax_replica_specs: ReplicaSpecs
    run_policy: RunPolicy = RunPolicy()


JAX_JOB = KindFacts(
    kind="JAXJob",
    plural="jaxjobs",
    framework="jax",
    map_field="jaxReplicaSpecs",
    roles=("Worker",),
    container="jax",
    port_name="jaxjob-port",
    port=6666,
    spec_type=JAXJobSpec,
    scales=True,
    reports_selector=True,
)
