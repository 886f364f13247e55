"""How a cluster refuses a wrong cron: an admission policy from the same rules that are worked out here."""

from typing import Final

from corral.kinds.cron.cron import CRON
from corral.kinds.cron.rules import sections
from corral.kinds.objects import Object
from corral.kinds.training.policies.policy import Judged, refusing_policy

_JUDGED: Final = Judged(
    CRON.group, CRON.plural, CRON.kind.lower(), "oldObject == null || object.spec != oldObject.spec"
)


def policies() -> list[Object]:
    """Returns the policy and its binding."""
    return refusing_policy(_JUDGED, sections())
