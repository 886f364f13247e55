"""Which constraint binds: the one without which the pods that lack room would find it.

Each is lifted in turn and the room counted again. What is short on nodes comes before what keeps the gang away from nodes, because the
latter is what somebody wanted.
"""

from collections.abc import Iterable

from corral.placement.asks import Gang
from corral.placement.remedies.question import Question, View
from corral.placement.remedies.shadows import own_others, shadows
from corral.placement.remedies.shortage import Gap
from corral.placement.remedies.standings import MakeStanding

NO_NODES, NO_NODE_ALLOWED, NO_SUCH_MODEL = "no-nodes", "no-node-allowed", "no-such-model"
TOO_LARGE, CLOSED, NO_DOMAIN = "too-large", "closed-nodes", "no-common-domain"
DEVICE_TAKEN, SCATTERED, SHORT_OF_GPUS = "device-taken", "scattered-gpus", "short-of-gpus"
SHORT_OF, DOES_NOT_FIT, WRONG_NEIGHBOURS = "short-of-", "does-not-fit", "wrong-neighbours"


def binding(question: Question, view: View, gap: Gap, standings: Iterable[MakeStanding]) -> str:
    """Returns the code of the constraint that binds the condition that fails most.

    It may be about several classes together: each alone finds room then, and only all of them show what is short.
    """
    obstacles = {one.obstacle.code for one in standings if one.obstacle is not None}
    reachable = [one for one in standings if one.obstacle is None]
    if not len(question.fleet):
        return NO_NODES
    if not reachable:
        return obstacles.pop() if len(obstacles) == 1 else TOO_LARGE if TOO_LARGE in obstacles else NO_NODE_ALLOWED
    if _room(question, gap, "closed", is_empty=True) < gap.need:
        return TOO_LARGE
    if view.shortage.least <= 0:
        is_beside_nobody = all(question.fleet.neighbourly(ask) is None for ask in gap.classes)
        return DOES_NOT_FIT if is_beside_nobody else WRONG_NEIGHBOURS
    if view.gang.within and question.shortage(_anywhere(view.gang)).least <= 0:
        return NO_DOMAIN
    return _short(question, gap, reachable)


def _short(question: Question, gap: Gap, reachable: list[MakeStanding]) -> str:
    """What is short on the nodes that would do."""
    ask = gap.cover
    amounts = ("cpu", "memory", "pods", *(name for name, _ in own_others(ask)))
    for one in amounts:
        if _room(question, gap, one) >= gap.need:
            return f"{SHORT_OF}{one}"
    if _room(question, gap, "closed") >= gap.need:
        return CLOSED
    if ask.gpu.devices and _room(question, gap, "device") >= gap.need:
        return DEVICE_TAKEN
    lacks_gpus = bool(ask.gpu.number) and _room(question, gap, *amounts) < gap.need
    if lacks_gpus or _room(question, gap, "gpu", *shadows(ask)) >= gap.need:
        free = sum(one.free_milli for one in reachable) >= gap.need * ask.gpu.total and not ask.gpu.memory
        if free and (ask.gpu.number > 1 or ask.gpu.is_share):
            return SCATTERED
        if lacks_gpus or not free:
            return SHORT_OF_GPUS
    # Several things are short at once: the first that would be, were it alone.
    alone = (one for one in amounts if _room(question, gap, *(other for other in amounts if other != one)) < gap.need)
    return f"{SHORT_OF}{next(alone, 'cpu')}"


def _room(question: Question, gap: Gap, *lifted: str, is_empty: bool = False) -> int:
    rooms = question.room(gap.cover, *lifted, is_empty=is_empty)
    return int(rooms[gap.allowed].clip(max=gap.need).sum())


def _anywhere(gang: Gang) -> Gang:
    return gang._replace(within="")
