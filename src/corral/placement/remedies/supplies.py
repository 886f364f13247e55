"""Parts that leave more room: on nodes as they are, on nodes that open again, on more nodes, or by ending a job."""

from collections.abc import Iterator
from typing import NamedTuple

from corral.placement.admission.amounts import amounts_of_pods, pairs
from corral.placement.asks import WHOLE, GpuAsk, PodAsk, Seat
from corral.placement.fleet import Fleet, Hold
from corral.placement.offers import NodeOffer
from corral.placement.remedies.remedy import Part, joined
from corral.placement.remedies.shadows import with_shadows
from corral.placement.remedies.words import amount_words, gpus_words, listed, price_of

PODS = "pods"


class Job(NamedTuple):
    """Somebody who holds room: a job, or a single pod."""

    uid: str
    name: str
    pods: tuple[str, ...]
    """The uids of its pods, by which the fleet knows what it holds."""
    priority: int = 0
    queue: str = ""
    may_end: bool = True
    """Whether it makes sense to tell anybody to end it; not so for what the cluster itself needs."""
    borrowed: int = 0
    """Thousandths of GPUs that its queue holds beyond its guarantee."""


class Freed(NamedTuple):
    """What is given back on one node."""

    node: str
    gpus: tuple[int, ...] = ()
    """These GPUs are empty then."""
    amounts: tuple[tuple[str, int], ...] = ()
    """Of other resources, by name: cpu in thousandths, memory in bytes, pods."""


class FreeRoom(Part, frozen=True):
    """More room on nodes where others hold it now, whoever gives it back."""

    freed: tuple[Freed, ...]

    def carry_out(self, fleet: Fleet) -> None:
        """Takes what is given back from whoever holds it, first come first."""
        for one in self.freed:
            for hold in list(fleet.held_on(one.node)):
                if not set(hold.devices).isdisjoint(one.gpus):
                    _clear(fleet, hold, one.gpus)
            for resource, amount in one.amounts:
                _give_back(fleet, one.node, resource, amount)

    def lowered(self) -> Iterator[Part]:
        """Yields it with one GPU, or one unit of something else, less on one node."""
        for place, one in enumerate(self.freed):
            for less in less_freed(one):
                rest = (*self.freed[:place], *([less] if less.gpus or less.amounts else []), *self.freed[place + 1 :])
                if rest:
                    yield FreeRoom(rest)

    @property
    def topic(self) -> str:
        """Returns that it is about an amount of room."""
        return "amount"

    @property
    def price(self) -> float:
        """Returns what is to be given back."""
        return sum(len(one.gpus) + sum(price_of(*pair) for pair in one.amounts) for one in self.freed)

    @property
    def gpus(self) -> int:
        """Returns how many GPUs are to be emptied."""
        return sum(len(one.gpus) for one in self.freed)

    def words(self) -> str:
        """Returns it as people say it."""
        alike = {(len(one.gpus), one.amounts) for one in self.freed}
        names = [one.node for one in self.freed]
        if len(self.freed) == 1:
            return f"with {self._what(self.freed[0])} free on {names[0]}"
        if len(alike) == 1:
            return f"with {self._what(self.freed[0])} free on each of {len(names)} nodes ({listed(names)})"
        parts = [f"{self._what(one, short=True)} on {one.node}" for one in self.freed]
        total = gpus_words(self.gpus, more=True) if self.gpus else "more"
        return f"with {total} free: {listed(parts, 4)}"

    def _what(self, one: Freed, *, short: bool = False) -> str:
        parts = [str(len(one.gpus)) if short else gpus_words(len(one.gpus), more=True)] if one.gpus else []
        return joined([*parts, *(amount_words(*pair, more=not parts) for pair in one.amounts)])


class MoreNodes(Part, frozen=True):
    """More nodes, empty, like one that is there."""

    like: str
    make: str
    number: int
    gpus: int
    """How many GPUs each of them has."""

    def carry_out(self, fleet: Fleet) -> None:
        """Adds them."""
        for offer in nodes_like(fleet.offers[self.like], self.number):
            fleet.put(offer)

    def lowered(self) -> Iterator[Part]:
        """Yields one node less."""
        if self.number > 1:
            yield MoreNodes(self.like, self.make, self.number - 1, self.gpus)

    @property
    def topic(self) -> str:
        """Returns that it is about an amount of room."""
        return "amount"

    @property
    def price(self) -> float:
        """Returns what nodes cost: more than giving back as many GPUs."""
        return self.number * (2.0 * self.gpus + 2.0)

    def words(self) -> str:
        """Returns it as people say it."""
        return f"with {self.number} more node{'' if self.number == 1 else 's'} like {self.like} ({self.make})"


class OpenNodes(Part, frozen=True):
    """Nodes that take pods again."""

    nodes: tuple[str, ...]

    def carry_out(self, fleet: Fleet) -> None:
        """Opens them."""
        for name in self.nodes:
            fleet.put(fleet.offers[name]._replace(is_closed=False))

    def lowered(self) -> Iterator[Part]:
        """Yields all but one of them."""
        if len(self.nodes) > 1:
            for place in range(len(self.nodes)):
                yield OpenNodes(self.nodes[:place] + self.nodes[place + 1 :])

    @property
    def topic(self) -> str:
        """Returns that it is about an amount of room."""
        return "amount"

    @property
    def price(self) -> float:
        """Returns what it costs to mend a node."""
        return 3.0 * len(self.nodes)

    def words(self) -> str:
        """Returns it as people say it."""
        return f"when {listed(list(self.nodes), 4)} take{'s' if len(self.nodes) == 1 else ''} pods again"


class EndJob(Part, frozen=True):
    """A job ends, or is suspended."""

    job: str
    name: str
    pods: tuple[str, ...]
    milli: int
    """Thousandths of GPUs that it holds."""
    priority: int = 0
    queue: str = ""
    held: tuple[tuple[str, int], ...] = ()
    """All that it holds, as quotas count it."""
    borrowed: int = 0
    """Thousandths of GPUs of it that its queue would return."""

    def carry_out(self, fleet: Fleet) -> None:
        """Releases everything it holds."""
        for uid in self.pods:
            fleet.release(uid)

    @property
    def topic(self) -> str:
        """Returns the job."""
        return f"job {self.job}"

    @property
    def price(self) -> float:
        """Returns what is lost: all of its GPUs, and that somebody is interrupted."""
        return 4.0 + 1.5 * self.milli / WHOLE

    def words(self) -> str:
        """Returns it as people say it."""
        borrowed = gpus_words(self.borrowed / WHOLE)
        returned = f", and queue {self.queue} returns {borrowed} that it borrows" if self.borrowed else ""
        holds = f" (it holds {gpus_words(self.milli / WHOLE)}{returned})" if self.milli else ""
        return f"when {self.name} ends or is suspended{holds}"


def end_of(fleet: Fleet, job: Job) -> EndJob:
    """Returns the end of a job as a part."""
    holds = [fleet.holds[uid] for uid in job.pods if uid in fleet.holds]
    milli, held = sum(hold.ask.gpu.total for hold in holds), amounts_of_pods(hold.ask for hold in holds)
    return EndJob(job.uid, job.name, job.pods, milli, job.priority, job.queue, pairs(held), min(milli, job.borrowed))


def nodes_like(offer: NodeOffer, number: int) -> list[NodeOffer]:
    """Returns so many empty open nodes that differ from a node by name alone."""
    gpus = tuple(gpu._replace(uuid="") for gpu in offer.gpus)
    names = (f"{offer.name}~{index + 1}" for index in range(number))
    return [
        offer._replace(
            name=name,
            gpus=gpus,
            is_closed=False,
            labels=tuple((key, name if value == offer.name else value) for key, value in offer.labels),
        )
        for name in names
    ]


def _clear(fleet: Fleet, hold: Hold, gpus: tuple[int, ...]) -> None:
    left = tuple(device for device in hold.devices if device not in gpus)
    gpu = hold.ask.gpu._replace(number=len(left)) if left else GpuAsk()
    fleet.hold(Seat(hold.seat.uid, hold.seat.node, left), with_shadows(hold.ask, hold.ask._replace(gpu=gpu)))


def _give_back(fleet: Fleet, node: str, resource: str, amount: int) -> None:
    if resource == PODS:
        fleet.put(fleet.offers[node]._replace(pods=fleet.offers[node].pods + amount))
        return
    for hold in list(fleet.held_on(node)):
        held = held_amount(hold.ask, resource)
        given = min(held, amount)
        if given > 0:
            fleet.hold(hold.seat._replace(devices=hold.devices), _holding(hold.ask, resource, held - given))
            amount -= given


def held_amount(ask: PodAsk, resource: str) -> int:
    """Returns how much of a resource an ask takes."""
    return {"cpu": ask.cpu, "memory": ask.memory}.get(resource) or dict(ask.others).get(resource, 0)


def _holding(ask: PodAsk, resource: str, amount: int) -> PodAsk:
    if resource == "cpu":
        return ask._replace(cpu=amount)
    if resource == "memory":
        return ask._replace(memory=amount)
    return ask._replace(others=tuple((name, amount if name == resource else held) for name, held in ask.others))


def less_freed(one: Freed) -> Iterator[Freed]:
    """Yields what is given back on one node with one GPU, or one unit of something else, less."""
    for device in one.gpus:
        yield one._replace(gpus=tuple(index for index in one.gpus if index != device))
    for place, (resource, amount) in enumerate(one.amounts):
        less = ((resource, amount - 1),) if amount > 1 else ()
        yield one._replace(amounts=(*one.amounts[:place], *less, *one.amounts[place + 1 :]))
