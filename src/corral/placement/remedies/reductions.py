"""Parts by which a gang asks for less: fewer pods, or smaller ones."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from corral.placement.asks import WHOLE, Gang, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.remedies.remedy import Part, joined
from corral.placement.remedies.shadows import with_shadows
from corral.placement.remedies.supplies import held_amount
from corral.placement.remedies.wishes import asking
from corral.placement.remedies.words import gpus_words, price_of, size_words

GPUS, SHARE, GPU_MEMORY, CPU, MEMORY = "gpus", "share", "gpu-memory", "cpu", "memory"
"""What a pod may ask less of: whole GPUs by number, thousandths or MiB of each, thousandths of cores, bytes; others by name."""
UNITS = {SHARE: 10, GPU_MEMORY: 256, CPU: 100, MEMORY: 256 << 20}
"""Steps in which amounts are lowered: one at a time would be finer than anybody asks."""


class FewerPods(Part, frozen=True):
    """Start with fewer pods: the last ones of the largest class stay away."""

    number: int
    minimum: int
    """How many must start together as it is."""
    milli: int
    """What one of them asks of GPUs."""

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang without them."""
        waiting = Counter(one.ask for one in gang.members if not one.held)
        if not waiting:
            return gang
        largest = max(waiting, key=lambda ask: (waiting[ask], ask))
        last = [one.uid for one in gang.members if not one.held and one.ask == largest][-self.number :]
        members = tuple(one for one in gang.members if one.uid not in last)
        return gang._replace(members=members, minimum=gang.minimum - self.number)

    def lowered(self) -> Iterator[Part]:
        """Yields one pod less that stays away."""
        if self.number > 1:
            yield FewerPods(self.number - 1, self.minimum, self.milli)

    @property
    def topic(self) -> str:
        """Returns that it is about an amount of room."""
        return "amount"

    @property
    def price(self) -> float:
        """Returns what the job does without."""
        return 1.0 + 1.5 * self.number * max(self.milli / WHOLE, 0.25)

    def words(self) -> str:
        """Returns it as people say it."""
        left = self.minimum - self.number
        return f"with {left} pod{'' if left == 1 else 's'} in place of {self.minimum}"


class Cap(NamedTuple):
    """The most that a pod asks of a resource then, and what it asked before."""

    resource: str
    most: int
    before: int


class SmallerPods(Part, frozen=True):
    """Every pod asks for no more than so much."""

    caps: tuple[Cap, ...]
    gpus: int = 0
    """How many GPUs the gang does without, in thousandths."""

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang with smaller pods."""
        return self.capped(gang)

    def capped(self, gang: Gang) -> Gang:
        """Returns the gang with smaller pods."""

        def smaller(ask: PodAsk) -> PodAsk:
            less = ask
            for cap in self.caps:
                less = _capped(less, cap.resource, cap.most)
            return with_shadows(ask, less)

        return asking(gang, smaller)

    def lowered(self) -> Iterator[Part]:
        """Yields it with one unit more of one resource, or one resource as it was."""
        for place, cap in enumerate(self.caps):
            more = cap.most + UNITS.get(cap.resource, 1)
            kept = (cap._replace(most=more),) if more < cap.before else ()
            if caps := (*self.caps[:place], *kept, *self.caps[place + 1 :]):
                yield SmallerPods(caps, self.gpus)

    @property
    def topic(self) -> str:
        """Returns that it is about an amount of room."""
        return "amount"

    @property
    def price(self) -> float:
        """Returns what the job does without."""
        others = (cap for cap in self.caps if cap.resource not in (GPUS, SHARE, GPU_MEMORY))
        return 1.0 + 1.5 * self.gpus / WHOLE + sum(price_of(cap.resource, cap.before - cap.most) for cap in others)

    def words(self) -> str:
        """Returns it as people say it."""
        return f"with {joined([_cap_words(cap) for cap in self.caps])}"


def asked_amount(ask: PodAsk, resource: str) -> int:
    """Returns how much a pod asks of what a cap can be put on."""
    if resource == GPUS:
        return ask.gpu.number
    if resource == SHARE:
        return ask.gpu.milli if ask.gpu.number else 0
    if resource == GPU_MEMORY:
        return ask.gpu.memory
    return held_amount(ask, resource)


def _capped(ask: PodAsk, resource: str, most: int) -> PodAsk:
    if asked_amount(ask, resource) <= most:
        return ask
    if resource == GPUS:
        return ask._replace(gpu=ask.gpu._replace(number=most))
    if resource == SHARE:
        return ask._replace(gpu=ask.gpu._replace(milli=most))
    if resource == GPU_MEMORY:
        return ask._replace(gpu=ask.gpu._replace(memory=most))
    if resource == CPU:
        return ask._replace(cpu=most)
    if resource == MEMORY:
        return ask._replace(memory=most)
    return ask._replace(
        others=tuple((name, min(held, most) if name == resource else held) for name, held in ask.others)
    )


def _cap_words(cap: Cap) -> str:
    if cap.resource == GPUS:
        return f"{gpus_words(cap.most)} for each pod in place of {cap.before}"
    if cap.resource == SHARE:
        return f"{cap.most / WHOLE:g} of a GPU in place of {cap.before / WHOLE:g}"
    if cap.resource == GPU_MEMORY:
        return f"{cap.most} MiB of a GPU in place of {cap.before}"
    if cap.resource == CPU:
        return f"{cap.most / 1000:g} CPUs for each pod in place of {cap.before / 1000:g}"
    if cap.resource == MEMORY:
        return f"{size_words(cap.most, down=True)} of memory for each pod in place of {size_words(cap.before)}"
    return f"{cap.most or 'no'} {cap.resource} for each pod in place of {cap.before}"
