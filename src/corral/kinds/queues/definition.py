"""How the kind Queue is made known to a server: a definition generated from its types, never written by hand."""

from corral.kinds.objects import Object
from corral.kinds.queues.queue import QUEUE, QueueSpec, QueueStatus
from corral.kinds.training.definitions.custom_definition import AGE, column, custom_definition, schema_of_object

_COLUMNS = [
    column("Parent", ".spec.parent", "The queue it is a part of."),
    column("Weight", ".spec.weight", "Its weight beside others.", "integer"),
    column("Guaranteed", r".spec.guarantee.nvidia\.com/gpu", "The GPUs that it gets back whenever it asks."),
    column("Limit", r".spec.limit.nvidia\.com/gpu", "The GPUs that it never exceeds."),
    column("GPUs", r".status.used.nvidia\.com/gpu", "The GPUs that it holds."),
    column("Running", ".status.running", "How many of its gangs hold places.", "integer"),
    column("Wanted", r".status.wanted.nvidia\.com/gpu", "The GPUs that its waiting gangs need."),
    column("Waiting", ".status.waiting", "How many of its gangs wait.", "integer"),
    column("Ready", ".status.conditions[-1:].status", "Whether its terms are followed."),
    AGE,
]


def definition() -> Object:
    """Returns the definition."""
    about = "Queue says what the gangs of a team may have together."
    version = {
        "name": QUEUE.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema_of_object(about, QueueSpec, QueueStatus)},
        "subresources": {"status": {}},
        "additionalPrinterColumns": _COLUMNS,
    }
    return custom_definition(QUEUE, [version])
