"""A small world for admission: it carries out whatever is decided, keeps its own books, and checks every decision against them."""

from corral.placement.admission.admission import Admission
from corral.placement.admission.claims import Running, Waiting
from corral.placement.admission.cycle import Cycle, Terms
from corral.placement.admission.fair_share import entitlements
from corral.placement.admission.fleets import FleetRoom
from corral.placement.admission.order import Entry, Shapes, entry_of
from corral.placement.admission.queues import QueueTerms
from corral.placement.admission.victims import Trial, Victim, candidates
from corral.placement.asks import Gang, GpuAsk, Member, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.offers import GpuOffer, NodeOffer
from corral.placement.replay.gangs_counted import CountedRoom


class World:
    """Nodes of whole GPUs, queues, gangs, and a clock."""

    def __init__(self, sizes: list[int], queues: list[QueueTerms], terms: Terms, on_fleet: bool = False) -> None:
        self.desk = Admission(FleetRoom(Fleet()) if on_fleet else CountedRoom(), terms)
        self.sizes = {f"n{index}": size for index, size in enumerate(sizes)}
        for name, size in self.sizes.items():
            self.desk.put_node(NodeOffer(name, 1_000_000, 1 << 50, gpus=(GpuOffer(),) * size))
        for one in queues:
            self.desk.put_queue(one)
        self.queues = queues
        self.claims: dict[str, Waiting] = {}
        self.now = 0.0
        self.evictions = 0

    def ask(self, uid: str, pods: int, gpus: int, **more: object) -> None:
        """Lets a gang stand in line."""
        members = tuple(Member(f"{uid}/{index}", PodAsk(gpu=GpuAsk(gpus))) for index in range(pods))
        gang = Gang(uid, members, pods, str(more.pop("queue", "")), int(str(more.pop("priority", 0))))
        self.claims[uid] = Waiting(gang, self.now, **more)  # type: ignore[arg-type]
        self.desk.wait(self.claims[uid])

    def end(self, uid: str) -> None:
        """Lets a gang end, or go away while it waits."""
        self.desk.leave(uid)
        self.claims.pop(uid, None)

    def cycle(self, after: float = 0.0, at_once: bool = True) -> Cycle:
        """Decides, checks the decision, and carries it out; who is evicted leaves and comes back at once, or later."""
        self.now += after
        running = dict(self.desk.ground.running)
        cycle = self.desk.cycle(self.now)
        self._check(cycle, running)
        self.evictions += len(cycle.evictions)
        if at_once:
            for one in cycle.evictions:
                self.come_back(one.gang)
        return cycle

    def come_back(self, uid: str) -> None:
        """Lets a gang that was evicted leave and stand in line again."""
        self.desk.leave(uid)
        claim = self.claims[uid]
        self.claims[uid] = claim._replace(evictions=claim.evictions + 1)
        self.desk.wait(self.claims[uid])

    def check_books(self) -> None:
        """Checks that what is noted is what is: no GPU twice, sums of queues, and no limit exceeded."""
        ground = self.desk.ground
        held: dict[str, int] = {}
        by_queue: dict[str, int] = {}
        for running in ground.running.values():
            asks = {one.uid: one.ask for one in running.claim.gang.members}
            assert len(running.seats) >= running.claim.gang.minimum
            for seat in running.seats:
                held[seat.node] = held.get(seat.node, 0) + asks[seat.uid].gpu.number
            for queue in ground.queues.path(running.claim.gang.queue):
                by_queue[queue] = by_queue.get(queue, 0) + running.held["gpu"]
        assert all(number <= self.sizes[name] for name, number in held.items())
        wedged = sum(wedge.ask.gpu.total for one in ground.promises.values() for wedge in one.wedges)
        assert ground.left["gpu"] == 1000 * (sum(self.sizes.values()) - sum(held.values())) - wedged
        for promise in ground.promises.values():
            for queue in ground.queues.path(promise.entry.kind.queue):
                by_queue[queue] = by_queue.get(queue, 0) + promise.entry.needs["gpu"]
        for terms in self.queues:
            assert ground.queues.used(terms.name).get("gpu", 0) == by_queue.get(terms.name, 0)
            in_limit = dict(terms.limit).get("gpu")
            running_there = sum(
                one.held["gpu"]
                for one in ground.running.values()
                if terms.name in ground.queues.path(one.claim.gang.queue)
            )
            assert in_limit is None or running_there <= in_limit

    def _check(self, cycle: Cycle, running: dict[str, Running]) -> None:
        for admitted in cycle.admitted:
            gang = self.claims[admitted.plan.gang].gang
            assert len(admitted.plan.seats) >= gang.minimum
        for one in cycle.evictions:
            victim, gang = running[one.gang].claim, self.claims[one.beneficiary].gang
            assert victim.is_preemptible
            if one.reason == "preempted":
                assert victim.gang.queue == gang.queue
                assert victim.gang.priority < gang.priority
            else:
                assert victim.gang.queue != gang.queue


def entry_for(world: World, uid: str) -> Entry:
    """Returns a gang as a line keeps it."""
    return entry_of(world.claims[uid], "", Shapes())


def victims_for(world: World, uid: str) -> list[Victim]:
    """Returns who may be asked to give way for a gang that waits."""
    desk, ground = world.desk, world.desk.ground

    def wanted(queue: str) -> dict[str, int]:
        total = dict(ground.queues.own(queue))
        for name, amount in desk.line.wanted(queue).items():
            total[name] = total.get(name, 0) + amount
        return total

    def entitled() -> dict[str, dict[str, int]]:
        return entitlements(ground.queues, wanted, ground.capacity, desk.terms.reclaims)

    return candidates(ground, desk.terms, entry_for(world, uid), entitled, world.now)


def fits_without(world: World, uid: str, victims: list[Victim]) -> bool:
    """Whether a gang could start if some others left."""
    return Trial(world.desk.ground, entry_for(world, uid)).plan(victims) is not None
