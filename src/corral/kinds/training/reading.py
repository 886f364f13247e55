"""From the stored object to the job that the reconciler reads: decoding, and every default in one place."""

from typing import Any

import msgspec

from corral.kinds.objects import Object
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.early_dialects import modernised
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.job import Replicas, TrainingJob
from corral.kinds.training.replica_specs import ReplicaSpec
from corral.kinds.training.run_policy import RunPolicy


class UnreadableJobError(ValueError):
    """The spec is not of its kind's shape; a server with our definitions does not let such an object in."""


def read_job(obj: Object) -> TrainingJob:
    """Returns the job that an object describes, with all defaults filled in."""
    facts = facts_of(obj)
    try:
        spec = msgspec.convert(modernised(obj).get("spec") or {}, facts.spec_type)
    except msgspec.ValidationError as error:
        raise UnreadableJobError(str(error)) from error
    policy: RunPolicy = spec.run_policy
    if not policy.clean_pod_policy:
        policy = msgspec.structs.replace(policy, clean_pod_policy=getattr(spec, "clean_pod_policy", "") or "None")
    return TrainingJob(facts, obj, spec, policy, _roles(facts, _replica_map(facts, spec)))


def _replica_map(facts: KindFacts, spec: Any) -> dict[str, ReplicaSpec]:
    """Returns the replica specs of the decoded spec; the attribute is the one whose wire name is the map's."""
    return next(
        getattr(spec, field.name)
        for field in msgspec.structs.fields(facts.spec_type)
        if field.encode_name == facts.map_field
    )


def _roles(facts: KindFacts, given: dict[str, ReplicaSpec]) -> dict[str, Replicas]:
    found = {facts.canonical_role(key): one for key, one in given.items()}
    ranked = {role: rank for rank, role in enumerate(facts.roles)}
    ordered = sorted(found, key=lambda role: (ranked.get(role, len(ranked)), role))
    return {role: _replicas(facts, role, found[role]) for role in ordered}


def _replicas(facts: KindFacts, role: str, given: ReplicaSpec) -> Replicas:
    count = facts.replicas_of(role) if given.replicas is None else given.replicas
    template = with_default_port(facts, given.template) if facts.adds_port else given.template
    return Replicas(role, count, template, given.restart_policy or facts.restart_policy_of(role))


def with_default_port(facts: KindFacts, template: Object) -> Object:
    """Returns the template with the kind's port on its training container, unless a port of that name is there."""
    containers = list((template.get("spec") or {}).get("containers") or [])
    if not containers:
        return template
    at = next((i for i, one in enumerate(containers) if one.get("name") == facts.container), 0)
    ports = containers[at].get("ports") or []
    if any(port.get("name") == facts.port_name for port in ports):
        return template
    added = {"name": facts.port_name, "containerPort": facts.port, "protocol": "TCP"}
    containers[at] = {**containers[at], "ports": [*ports, added]}
    return {**template, "spec": {**template["spec"], "containers": containers}}
