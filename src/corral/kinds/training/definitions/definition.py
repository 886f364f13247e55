"""Whole custom resource definitions, one for each training kind."""

from typing import Any

from corral.kinds.objects import Object
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.definitions.amendments import amend, amendments_of
from corral.kinds.training.definitions.custom_definition import AGE, column, custom_definition
from corral.kinds.training.definitions.schemas import schema_of
from corral.kinds.training.definitions.versions import ServedVersion, versions_of
from corral.kinds.training.early_dialects import EARLY_VERSIONS, EarlySpec
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.mpi import MPI_JOB
from corral.kinds.training.status import JobStatus

_STATE = column("State", ".status.conditions[-1:].type", "The latest condition.")


def definitions() -> list[Object]:
    """Returns the definitions of all training kinds."""
    return [definition(facts) for facts in TRAINING_KINDS]


def definition(facts: KindFacts) -> Object:
    """Returns the definition of one kind, all its versions included."""
    return custom_definition(facts.resource, [_version(facts, version) for version in versions_of(facts)])


def _version(facts: KindFacts, version: ServedVersion) -> dict[str, Any]:
    columns = [AGE, _STATE] if facts.kind == MPI_JOB.kind else [_STATE, AGE]
    made: dict[str, Any] = {
        "name": version.name,
        "served": True,
        "storage": version.is_stored,
        "schema": {"openAPIV3Schema": _job_schema(facts, version)},
        "subresources": _subresources(facts),
        "additionalPrinterColumns": columns,
    }
    if version.warning:
        made |= {"deprecated": True, "deprecationWarning": version.warning}
    return made


def _subresources(facts: KindFacts) -> dict[str, Any]:
    if not facts.scales:
        return {"status": {}}
    workers = ".status.replicaStatuses.Worker"
    scale = {
        "specReplicasPath": f".spec.{facts.map_field}.Worker.replicas",
        "statusReplicasPath": f"{workers}.active",
        "labelSelectorPath": f"{workers}.selector",
    }
    return {"status": {}, "scale": scale}


def _job_schema(facts: KindFacts, version: ServedVersion) -> dict[str, Any]:
    return {
        "type": "object",
        "description": f"{facts.kind} trains with several pods as one job.",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": _spec_schema(facts, version),
            "status": schema_of(JobStatus),
        },
    }


def _spec_schema(facts: KindFacts, version: ServedVersion) -> dict[str, Any]:
    schema = schema_of(facts.spec_type)
    if facts.kind in EARLY_VERSIONS:
        schema["properties"] = {**schema_of(EarlySpec)["properties"], **schema["properties"]}
    amend(schema, amendments_of(facts, version.name))
    return schema
