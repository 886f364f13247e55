"""The kind Queue: what the gangs of a team may have together, cluster-wide, and what they have.

A pod names its queue by the label `corral.dev/queue`, or by the one of Kueue, Volcano or KAI. Amounts are written as in the
requests of pods: `nvidia.com/gpu: 8`, `cpu: 500m`, `memory: 64Gi`, and any other resource by its name.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from corral.kinds.objects import Metadata
from corral.kinds.references import ApiResource
from corral.kinds.training.schema_marks import INT64, QUANTITIES, TIME, default

QUEUE: Final = ApiResource("corral.dev", "v1alpha1", "Queue", "queues", namespaced=False)

LONGEST_NAME: Final = 63
"""Pods name their queue by a label."""
MOST_WEIGHT: Final = 1_000_000
MOST_STRETCH: Final = 1000

Quantities = dict[str, Any]


class QueueSpec(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What a queue may have. Resources that are not named have no bound."""

    parent: Annotated[
        str, Meta(max_length=LONGEST_NAME, description="The queue it is a part of; all together if it is not given.")
    ] = ""
    guarantee: Annotated[
        Quantities,
        Meta(extra_json_schema=QUANTITIES, description="What it gets back whenever it asks, whoever uses it."),
    ] = {}
    limit: Annotated[Quantities, Meta(extra_json_schema=QUANTITIES, description="More than this it never holds.")] = {}
    lending: (
        Annotated[
            Quantities,
            Meta(
                extra_json_schema=QUANTITIES,
                description="How much of its guarantee others may use while it is idle; all of it if it is not given.",
            ),
        ]
        | None
    ) = None
    borrowing: (
        Annotated[
            Quantities,
            Meta(
                extra_json_schema=QUANTITIES,
                description="How much beyond its guarantee it may use while others are idle; all there is if not given.",
            ),
        ]
        | None
    ) = None
    weight: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_WEIGHT,
            extra_json_schema=default(1),
            description="How much of what nobody is guaranteed it deserves, next to the queues beside it.",
        ),
    ] = 1
    strategy: (
        Annotated[
            Literal["bundle", "spread"],
            Meta(description="How gangs that do not say are laid out: on few nodes, or over many."),
        ]
        | None
    ) = None
    order: Annotated[
        Literal["priority", "arrival"],
        Meta(
            extra_json_schema=default("priority"),
            description="By priority: the more important first, then the older. By arrival: the older first.",
        ),
    ] = "priority"
    passing: Annotated[
        bool,
        Meta(
            extra_json_schema=default(True),
            description="Whether gangs may go before one that waits, when they do not delay it.",
        ),
    ] = True
    stretch: Annotated[
        float,
        Meta(
            ge=0,
            le=MOST_STRETCH,
            description="How long a gang lets shorter ones pass, in multiples of its own run time; 1 if it is not given.",
        ),
    ] = 1.0


class QueueCondition(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """Whether its gangs are let in by these terms."""

    type: Annotated[str, Meta(description="Ready.")]
    status: Annotated[str, Meta(description="True or False.")]
    reason: Annotated[str, Meta(description="Served, ParentMissing, ParentsInARing or Unreadable.")] = ""
    message: Annotated[str, Meta(description="What that means, for people.")] = ""
    last_transition_time: Annotated[str, Meta(extra_json_schema=TIME, description="When its status last changed.")] = ""


class QueueStatus(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """What the scheduler tells of a queue."""

    used: Annotated[
        Quantities,
        Meta(extra_json_schema=QUANTITIES, description="What its gangs, and those of queues below, hold together."),
    ] = {}
    wanted: Annotated[
        Quantities, Meta(extra_json_schema=QUANTITIES, description="What its own waiting gangs need together to start.")
    ] = {}
    running: Annotated[
        int, Meta(extra_json_schema=INT64, description="How many of its own gangs hold places; a single pod is a gang.")
    ] = 0
    waiting: Annotated[int, Meta(extra_json_schema=INT64, description="How many of its own gangs wait.")] = 0
    conditions: Annotated[list[QueueCondition], Meta(description="Whether its gangs are let in by these terms.")] = []


class QueueView(msgspec.Struct, kw_only=True):
    """One queue as a scheduler reads it; shared by all readers, so never changed."""

    metadata: Metadata
    spec: Any = None
    status: Any = None
