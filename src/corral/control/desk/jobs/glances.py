"""Training jobs as a table needs them: plain values like those of whole objects, without what no table shows.

A thousand jobs are two megabytes, most of which (who manages which field, what containers run) is skipped while decoding.
"""

from typing import Any, TypedDict


class _Metadata(TypedDict, total=False):
    name: str
    namespace: str
    uid: str
    creationTimestamp: Any
    deletionTimestamp: Any
    labels: Any
    annotations: Any


class _Container(TypedDict, total=False):
    resources: Any


class _PodSpec(TypedDict, total=False):
    containers: list[_Container] | None
    priorityClassName: Any


class _Template(TypedDict, total=False):
    spec: _PodSpec | None


class _Role(TypedDict, total=False):
    replicas: int | None
    template: _Template | None


_Roles = dict[str, _Role] | None


class _Spec(TypedDict, total=False):
    tfReplicaSpecs: _Roles
    pytorchReplicaSpecs: _Roles
    mpiReplicaSpecs: _Roles
    xgbReplicaSpecs: _Roles
    paddleReplicaSpecs: _Roles
    jaxReplicaSpecs: _Roles
    mxReplicaSpecs: _Roles
    runPolicy: Any
    suspend: Any


class JobGlance(TypedDict, total=False):
    """A training job, as far as a table shows it."""

    metadata: _Metadata
    spec: _Spec | None
    status: Any
