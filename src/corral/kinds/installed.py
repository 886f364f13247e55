"""Everything that Corral brings to a server: the definitions of its kinds, and the policies that judge them."""

from corral.kinds.cron.definition import definition as definition_of_cron
from corral.kinds.cron.policy import policies as policies_of_cron
from corral.kinds.objects import Object
from corral.kinds.queues.definition import definition as definition_of_queue
from corral.kinds.queues.policy import policies as policies_of_queue
from corral.kinds.training.definitions import definitions as definitions_of_training
from corral.kinds.training.policies import policies as policies_of_training


def definitions() -> list[Object]:
    """Returns the definitions of all kinds."""
    return [*definitions_of_training(), definition_of_cron(), definition_of_queue()]


def policies() -> list[Object]:
    """Returns the policies of all kinds, each with its binding."""
    return [*policies_of_training(), *policies_of_cron(), *policies_of_queue()]
