"""How the kind Cron is made known to a server: a definition generated from its types, never written by hand."""

from typing import Any

from corral.kinds.cron.cron import CRON, CronSpec, CronStatus
from corral.kinds.objects import Object
from corral.kinds.training.definitions.custom_definition import AGE, column, custom_definition
from corral.kinds.training.definitions.schemas import schema_of

_COLUMNS = [
    column("Type", ".spec.template.kind", "The kind of its jobs."),
    column("Schedule", ".spec.schedule", "When jobs are made."),
    column("Suspend", ".spec.suspend", "Whether none are made just now.", "boolean"),
    column("Last", ".status.lastScheduleTime", "The time of the last job.", "date"),
    column("State", ".status.conditions[-1:].reason", "Whether jobs are made, and if not, why."),
    AGE,
]


def definition() -> Object:
    """Returns the definition."""
    version = {
        "name": CRON.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": _schema()},
        "subresources": {"status": {}},
        "additionalPrinterColumns": _COLUMNS,
    }
    return custom_definition(CRON, [version])


def _schema() -> dict[str, Any]:
    return {
        "type": "object",
        "description": "Cron makes a training job again and again, by a schedule.",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": schema_of(CronSpec),
            "status": schema_of(CronStatus),
        },
    }
