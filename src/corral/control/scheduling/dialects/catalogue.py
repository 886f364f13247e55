"""All dialects, in the order in which they are asked: the more special before the more common."""

from corral.control.scheduling.dialects.dialect import Dialect
from corral.control.scheduling.dialects.gang_words import COSCHEDULING, KOORDINATOR, KUEUE, SCHEDULER_PLUGINS, VOLCANO
from corral.control.scheduling.dialects.gpushare import GPUSHARE
from corral.control.scheduling.dialects.hami import HAMI
from corral.control.scheduling.dialects.kai import KAI
from corral.control.scheduling.dialects.own import OWN
from corral.control.scheduling.dialects.plain import PLAIN

DIALECTS: tuple[Dialect, ...] = (
    OWN,
    KAI,
    HAMI,
    GPUSHARE,
    VOLCANO,
    SCHEDULER_PLUGINS,
    COSCHEDULING,
    KUEUE,
    KOORDINATOR,
    PLAIN,
)
