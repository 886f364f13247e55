"""How many pods of a role, made from which template, and what becomes of one that ends."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

MOST_REPLICAS = 100_000
"""More pods of one role than any cluster holds: a slip of the finger, refused before it floods one."""

POD_TEMPLATE = {"corralSchema": "PodTemplate"}
"""Marks a field whose schema is that of `pod_template.PodTemplate`, and whose value stays plain JSON."""


class ReplicaSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """One role of a job."""

    replicas: Annotated[int, Meta(ge=0, le=MOST_REPLICAS, description="How many pods; 1 when not given.")] | None = None
    template: Annotated[
        dict[str, Any], Meta(extra_json_schema=POD_TEMPLATE, description="What each pod looks like.")
    ] = {}
    restart_policy: Annotated[
        str, Meta(description="What happens to a pod that ends: Always, OnFailure, Never or ExitCode.")
    ] = ""


ReplicaSpecs = Annotated[dict[str, ReplicaSpec], Meta(description="The pods of the job, role by role.")]
