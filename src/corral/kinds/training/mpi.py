"""MPIJob in both dialects that share one CRD: v1 launches through the API, v2beta1 over ssh.

Objects of both are stored as v1 with one schema. What was written as v2beta1 carries `mpiImplementation`, which the server
fills in for that version only: by this the operator tells them apart.
"""

from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy

MPI_OPERATOR = "kubeflow.org/mpi-operator"
IMPLEMENTATIONS = ("OpenMPI", "Intel", "MPICH")
CREATION_POLICIES = ("AtStartup", "WaitForWorkersReady")


class MPIJobSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What an MPIJob asks for, in either dialect."""

    mpi_replica_specs: ReplicaSpecs
    run_policy: RunPolicy = RunPolicy()
    slots_per_worker: Annotated[int, Meta(description="Processes per worker; 1 when not given.")] | None = None
    clean_pod_policy: Annotated[str, Meta(description="v1: the same as runPolicy.cleanPodPolicy, which wins.")] = ""
    main_container: Annotated[str, Meta(description="v1: the container that commands run in.")] = ""
    ssh_auth_mount_path: Annotated[str, Meta(description="v2beta1: where the keys are mounted.")] = ""
    mpi_implementation: Annotated[str, Meta(description="v2beta1: OpenMPI, Intel or MPICH.")] = ""
    launcher_creation_policy: Annotated[str, Meta(description="v2beta1: AtStartup or WaitForWorkersReady.")] = ""
    run_launcher_as_worker: Annotated[bool, Meta(description="v2beta1: whether the launcher works too.")] = False


MPI_JOB = KindFacts(
    kind="MPIJob",
    plural="mpijobs",
    framework="mpi",
    map_field="mpiReplicaSpecs",
    roles=("Launcher", "Worker"),
    container="mpi",
    port_name="mpi-port",
    port=9999,
    spec_type=MPIJobSpec,
    default_replicas=(("Worker", 0),),
    adds_port=False,
    has_services=False,
)

MPI_JOB_V2 = replace(
    MPI_JOB,
    restart_policies=(("Launcher", "OnFailure"),),
    version="v2beta1",
    operator_name="mpi-operator",
)
