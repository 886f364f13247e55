"""A small cluster and its desk, built from keywords, for tests of admission."""

from collections.abc import Callable

from corral.placement.admission.admission import Admission
from corral.placement.admission.claims import Waiting
from corral.placement.admission.cycle import Cycle, Terms
from corral.placement.admission.queues import QueueTerms
from corral.placement.admission.room import NodeRoom
from corral.placement.asks import Gang, GpuAsk, Member, PodAsk
from corral.placement.offers import GpuOffer, NodeOffer
from corral.placement.replay.gangs_counted import CountedRoom

GIB = 2**30


def node(name: str, gpus: int = 8, cpu: int = 96_000, memory: int = 512 * GIB) -> NodeOffer:
    """Returns a node of whole GPUs."""
    return NodeOffer(name, cpu, memory, gpus=(GpuOffer(),) * gpus)


def gang(uid: str, pods: int = 1, gpus: int = 1, cpu: int = 0, **more: object) -> Gang:
    """Returns a gang of equal pods, with one core for each GPU unless more is said."""
    ask = PodAsk(cpu=cpu or 1000 * gpus, memory=GIB, gpu=GpuAsk(gpus) if gpus else GpuAsk())
    members = tuple(Member(f"{uid}/{index}", ask) for index in range(pods))
    return Gang(uid, members, **{"minimum": pods, **more})  # type: ignore[arg-type]


def gpus(number: float) -> tuple[tuple[str, int], ...]:
    """Returns an amount of GPUs."""
    return (("gpu", round(number * 1000)),)


class Stage:
    """A desk over a few nodes, with short words for what tests do."""

    room: Callable[[], NodeRoom] = staticmethod(CountedRoom)

    def __init__(self, *sizes: int, queues: tuple[QueueTerms, ...] = (), terms: Terms | None = None) -> None:
        self.desk = Admission(type(self).room(), terms)
        for index, size in enumerate(sizes):
            self.desk.put_node(node(f"n{index}", size))
        for one in queues:
            self.desk.put_queue(one)
        self.now = 0.0

    def ask(self, uid: str, pods: int = 1, gpus: int = 1, **more: object) -> Waiting:
        """Lets a gang ask now; keywords of a gang go to the gang, others to its claim."""
        own = {key: more.pop(key) for key in ("queue", "priority", "minimum", "within") if key in more}
        claim = Waiting(gang(uid, pods, gpus, **own), self.now, **more)  # type: ignore[arg-type]
        self.desk.wait(claim)
        return claim

    def cycle(self, after: float = 0.0, most: int = 0) -> Cycle:
        """Decides some seconds later."""
        self.now += after
        return self.desk.cycle(self.now, most)

    def starts(self, after: float = 0.0) -> list[str]:
        """Returns who starts in the next cycle, in order."""
        return [one.plan.gang for one in self.cycle(after).admitted]

    @property
    def running(self) -> list[str]:
        """Returns who has seats."""
        return sorted(self.desk.ground.running)
