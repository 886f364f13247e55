"""The workload kinds as resources: Pod, Deployment, ReplicaSet, Job, with the names under which clients find them."""

from collections.abc import Callable

from corral.engine.apiserver.resources.jobs import JobStrategy
from corral.engine.apiserver.resources.pod_admission import PriorityResolver, no_priority_classes
from corral.engine.apiserver.resources.pods import POD_FIELDS, PodStrategy
from corral.engine.apiserver.resources.replica_sets import DeploymentStrategy, ReplicaSetStrategy
from corral.engine.apiserver.resources.resource import Resource, Scale
from corral.engine.apiserver.schema.node import Schema

SchemaOf = Callable[[str, str, str], Schema]
"""Finds the shape of a built-in kind by group, version and kind."""

_REPLICAS = Scale(spec_replicas=".spec.replicas", status_replicas=".status.replicas", selector=".spec.selector")


def workload_resources(
    schema_of: SchemaOf, resolve_priority: PriorityResolver = no_priority_classes
) -> tuple[Resource, ...]:
    """Returns the workload resources, without printers; `resolve_priority` finds the PriorityClass of new pods."""
    return (
        Resource(
            group="",
            version="v1",
            kind="Pod",
            plural="pods",
            singular="pod",
            namespaced=True,
            schema=schema_of("", "v1", "Pod"),
            strategy=PodStrategy(resolve_priority),
            short_names=("po",),
            categories=("all",),
            subresources=("attach", "binding", "exec", "log", "status"),
            selectable_fields=POD_FIELDS,
        ),
        _scaled("Deployment", ("deploy",), DeploymentStrategy(), schema_of),
        _scaled("ReplicaSet", ("rs",), ReplicaSetStrategy(), schema_of),
        Resource(
            group="batch",
            version="v1",
            kind="Job",
            plural="jobs",
            singular="job",
            namespaced=True,
            schema=schema_of("batch", "v1", "Job"),
            strategy=JobStrategy(),
            categories=("all",),
            subresources=("status",),
            selectable_fields=("status.successful",),
        ),
    )


def _scaled(kind: str, short_names: tuple[str, ...], strategy: ReplicaSetStrategy, schema_of: SchemaOf) -> Resource:
    singular = kind.lower()
    return Resource(
        group="apps",
        version="v1",
        kind=kind,
        plural=f"{singular}s",
        singular=singular,
        namespaced=True,
        schema=schema_of("apps", "v1", kind),
        strategy=strategy,
        short_names=short_names,
        categories=("all",),
        subresources=("scale", "status"),
        scale=_REPLICAS,
    )
