"""How a cluster refuses a wrong queue: an admission policy from the same rules that are worked out here."""

from typing import Final

from corral.kinds.objects import Object
from corral.kinds.queues.queue import QUEUE
from corral.kinds.queues.rules import sections
from corral.kinds.training.policies.policy import Judged, refusing_policy

_JUDGED: Final = Judged(
    QUEUE.group, QUEUE.plural, QUEUE.kind.lower(), "oldObject == null || object.spec != oldObject.spec"
)


def policies() -> list[Object]:
    """Returns the policy and its binding."""
    return refusing_policy(_JUDGED, sections())
