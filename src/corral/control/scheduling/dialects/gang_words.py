"""The dialects that speak of gangs and queues only: Volcano, scheduler-plugins, coscheduling, Kueue and Koordinator."""

from corral.control.scheduling.dialects.dialect import Dialect, GangWords
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.names import (
    COSCHEDULING_GROUP,
    COSCHEDULING_MINIMUM,
    KOORDINATOR_GANG,
    KOORDINATOR_MINIMUM,
    KUEUE_GROUP,
    KUEUE_GROUP_SIZE,
    KUEUE_PREFERRED_TOPOLOGY,
    KUEUE_QUEUE,
    KUEUE_REQUIRED_TOPOLOGY,
    PLUGINS_GROUP,
    VOLCANO_GROUP,
    VOLCANO_QUEUE,
)

VOLCANO_PODGROUP = ApiResource("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups")
PLUGINS_PODGROUP = ApiResource("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups")

VOLCANO = Dialect("volcano", gang=GangWords(VOLCANO_GROUP, group=VOLCANO_PODGROUP), queue=VOLCANO_QUEUE)
SCHEDULER_PLUGINS = Dialect("scheduler-plugins", gang=GangWords(PLUGINS_GROUP, group=PLUGINS_PODGROUP))
COSCHEDULING = Dialect("coscheduling", gang=GangWords(COSCHEDULING_GROUP, COSCHEDULING_MINIMUM))
KUEUE = Dialect(
    "kueue",
    gang=GangWords(KUEUE_GROUP, KUEUE_GROUP_SIZE),
    queue=KUEUE_QUEUE,
    within=KUEUE_REQUIRED_TOPOLOGY,
    near=KUEUE_PREFERRED_TOPOLOGY,
)
KOORDINATOR = Dialect("koordinator", gang=GangWords(KOORDINATOR_GANG, KOORDINATOR_MINIMUM))
