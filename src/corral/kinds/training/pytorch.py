"""PyTorchJob: a master and workers, or workers alone; elastic when it has a policy for it."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.replica_specs import ReplicaSpecs
from corral.kinds.training.run_policy import RunPolicy


class RendezvousSetting(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One setting of the rendezvous backend."""

    key: Annotated[str, Meta(description="Its name.")] = ""
    value: Annotated[str, Meta(description="Its value.")] = ""


class ElasticPolicy(
    msgspec.Struct,
    rename={
        "rdzv_id": "rdzvId",
        "n_proc_per_node": "nProcPerNode",
        "min_replicas": "minReplicas",
        "max_replicas": "maxReplicas",
        "rdzv_backend": "rdzvBackend",
        "rdzv_port": "rdzvPort",
        "rdzv_host": "rdzvHost",
        "rdzv_conf": "rdzvConf",
        "max_restarts": "maxRestarts",
    },
    kw_only=True,
    frozen=True,
    omit_defaults=True,
):
    """Between how many workers the job may run, and how they find each other."""

    min_replicas: Annotated[int, Meta(description="The fewest workers.")] | None = None
    max_replicas: Annotated[int, Meta(description="The most workers.")] | None = None
    rdzv_backend: Annotated[str, Meta(description="c10d, which is the default, etcd or etcd-v2.")] | None = None
    rdzv_port: Annotated[int, Meta(description="The port to meet at.")] | None = None
    rdzv_host: Annotated[str, Meta(description="The host to meet at; the first worker by default.")] | None = None
    rdzv_id: Annotated[str, Meta(description="The name of the meeting; that of the job by default.")] | None = None
    rdzv_conf: Annotated[list[RendezvousSetting], Meta(description="Settings of the rendezvous backend.")] = []
    standalone: Annotated[bool, Meta(description="Whether each pod trains for itself.")] | None = None
    n_proc_per_node: Annotated[int, Meta(description="Deprecated: use spec.nprocPerNode.")] | None = None
    max_restarts: Annotated[int, Meta(description="How often the workers of a pod are started again.")] | None = None
    metrics: Annotated[
        list[dict[str, Any]], Meta(description="Metrics of autoscaling/v2; with them the job gets an autoscaler.")
    ] = []


class PyTorchJobSpec(
    msgspec.Struct,
    rename={
        "pytorch_replica_specs": "pytorchReplicaSpecs",
        "run_policy": "runPolicy",
        "nproc_per_node": "nprocPerNode",
        "elastic_policy": "elasticPolicy",
    },
    kw_only=True,
    frozen=True,
    omit_defaults=True,
):
    """What a PyTorchJob asks for."""

    pytorch_replica_specs: ReplicaSpecs
    run_policy: RunPolicy = RunPolicy()
    nproc_per_node: Annotated[str, Meta(description="Processes per pod: auto, cpu, gpu or a number.")] | None = None
    elastic_policy: ElasticPolicy | None = None


PYTORCH_JOB = KindFacts(
    kind="PyTorchJob",
    plural="pytorchjobs",
    framework="pytorch",
    map_field="pytorchReplicaSpecs",
    roles=("Master", "Worker"),
    container="pytorch",
    port_name="pytorchjob-port",
    port=23456,
    spec_type=PyTorchJobSpec,
    restart_policy="OnFailure",
    scales=True,
    autoscales=True,
    reports_selector=True,
)
