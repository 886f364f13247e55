"""How the kind Cron is made known to a server: a definition generated from its types, never written by hand."""

from corral.kinds.cron.cron import CRON, CronSpec, CronStatus
from corral.kinds.objects import Object
from corral.kinds.training.definitions.custom_definition import AGE, column, custom_definition, schema_of_object

_ABOUT = "Cron makes a training job again and again, by a schedule."
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
        "schema": {"openAPIV3Schema": schema_of_object(_ABOUT, CronSpec, CronStatus)},
        "subresources": {"status": {}},
        "additionalPrinterColumns": _COLUMNS,
    }
    return custom_definition(CRON, [version])
