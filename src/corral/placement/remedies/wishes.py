"""Parts that take back something the gang wishes: a rule, a model, a device, a topology level, a strategy."""

from collections.abc import Callable, Iterator

from corral.placement.asks import Gang, GpuAsk, Member, Neighbours, PodAsk
from corral.placement.fleet import Expression, Fleet, RuleSet, Toleration
from corral.placement.remedies.remedy import Part
from corral.placement.remedies.words import wish_words


class DropLabel(Part, frozen=True):
    """Do without a label of the node selector."""

    key: str
    value: str

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang without it."""
        return ruled(fleet, gang, lambda rules: rules._replace(selector=_without(rules.selector, self.key)))

    @property
    def topic(self) -> str:
        """Returns the label."""
        return f"label {self.key}"

    @property
    def price(self) -> float:
        """Returns what a rule is worth to whoever wrote it."""
        return 2.0

    def words(self) -> str:
        """Returns it as people say it."""
        return f"without the rule {self.key}={self.value}"


class DropExpression(Part, frozen=True):
    """Do without one expression of the node affinity, in every term where it stands."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang without it; a term that says nothing else then lets every node pass."""

        def relaxed(rules: RuleSet) -> RuleSet:
            gone = Expression(self.key, self.operator, self.values)
            terms = tuple(tuple(one for one in term if one != gone) for term in rules.affinity)
            emptied = any(before and not after for before, after in zip(rules.affinity, terms, strict=True))
            return rules._replace(affinity=() if emptied else terms)

        return ruled(fleet, gang, relaxed)

    @property
    def topic(self) -> str:
        """Returns the expression."""
        return f"expression {self.key} {self.operator} {','.join(self.values)}"

    @property
    def price(self) -> float:
        """Returns what a rule is worth to whoever wrote it."""
        return 2.0

    def words(self) -> str:
        """Returns it as people say it."""
        values = f" {', '.join(self.values)}" if self.values else ""
        return f"without the rule {self.key} {self.operator}{values}"


class Tolerate(Part, frozen=True):
    """Bear a taint."""

    key: str
    value: str
    effect: str

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang with a toleration for it."""
        more = Toleration(self.key, "Equal", self.value, self.effect)
        return ruled(fleet, gang, lambda rules: rules._replace(tolerations=(*rules.tolerations, more)))

    @property
    def topic(self) -> str:
        """Returns the taint."""
        return f"taint {self.key}={self.value}:{self.effect}"

    @property
    def price(self) -> float:
        """Returns more than for a rule of one's own: somebody else put it there for a reason."""
        return 3.0

    def words(self) -> str:
        """Returns it as people say it."""
        return f"with a toleration for the taint {self.key}{f'={self.value}' if self.value else ''}:{self.effect}"


class AnyModel(Part, frozen=True):
    """Take GPUs of every model."""

    named: tuple[str, ...]
    refused: tuple[str, ...] = ()

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang without models."""
        return asking(gang, lambda ask: _with_gpu(ask, ask.gpu._replace(models=(), refused_models=())))

    @property
    def price(self) -> float:
        """Returns what a model is worth."""
        return 2.0

    def words(self) -> str:
        """Returns it as people say it."""
        named = f"only {' or '.join(self.named)}" if self.named else f"no {' and no '.join(self.refused)}"
        return f"with GPUs of any model (it takes {named})"


class OtherDevice(Part, frozen=True):
    """Take another GPU of the node than those it names."""

    device: str
    named: tuple[str, ...]

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang with this GPU in place of those."""
        return asking(gang, lambda ask: _with_gpu(ask, ask.gpu._replace(devices=(self.device,))))

    @property
    def topic(self) -> str:
        """Returns that it is about devices."""
        return "devices"

    @property
    def price(self) -> float:
        """Returns what it is worth which GPU it is."""
        return 1.0

    def words(self) -> str:
        """Returns it as people say it."""
        return f"with GPU {self.device} in place of GPU {' or '.join(self.named)}"


class AnyDevice(Part, frozen=True):
    """Take whichever GPUs of the node."""

    named: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Single ones that would be the smaller change."""

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang without devices."""
        return asking(gang, lambda ask: _with_gpu(ask, ask.gpu._replace(devices=())))

    def lowered(self) -> Iterator[Part]:
        """Yields another GPU in place of any."""
        return (OtherDevice(one, self.named) for one in self.others)

    @property
    def topic(self) -> str:
        """Returns that it is about devices."""
        return "devices"

    @property
    def price(self) -> float:
        """Returns what it is worth which GPUs these are."""
        return 1.5

    def words(self) -> str:
        """Returns it as people say it."""
        return f"with any GPU of a node (it takes only GPU {' or '.join(self.named)})"


class Widen(Part, frozen=True):
    """Share only a larger topology level, or none."""

    ladder: tuple[str, ...]
    """The level that is asked, then wider ones, at last "" for anywhere."""
    step: int = 1

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang with the wider level."""
        return gang._replace(within=self.ladder[self.step])

    def lowered(self) -> Iterator[Part]:
        """Yields the next narrower level."""
        if self.step > 1:
            yield Widen(self.ladder, self.step - 1)

    @property
    def price(self) -> float:
        """Returns more for a wider level."""
        return 1.0 + self.step / 2

    def words(self) -> str:
        """Returns it as people say it."""
        wider = self.ladder[self.step]
        return f"within one {wider} in place of one {self.ladder[0]}" if wider else f"not within one {self.ladder[0]}"


class DropNeighbours(Part, frozen=True):
    """Do without a rule about other pods."""

    wish: str
    crowd: int
    level: str
    skew: int = 1
    among: int = -1
    least: int = 0

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang without it."""
        gone = self.rule
        return asking(gang, lambda ask: ask._replace(neighbours=tuple(one for one in ask.neighbours if one != gone)))

    @property
    def rule(self) -> Neighbours:
        """Returns the rule."""
        return Neighbours(self.wish, self.crowd, self.level, self.skew, self.among, self.least)

    @property
    def topic(self) -> str:
        """Returns the rule."""
        return f"neighbours {self.wish} {self.crowd} {self.level} {self.skew}"

    @property
    def price(self) -> float:
        """Returns what a rule is worth to whoever wrote it."""
        return 2.0

    def words(self) -> str:
        """Returns it as people say it."""
        return f"without the rule to be {wish_words(self.rule)}"


class OtherStrategy(Part, frozen=True):
    """Lie to each other in another way."""

    strategy: str
    before: str

    def asked(self, fleet: Fleet, gang: Gang) -> Gang:
        """Returns the gang with the other strategy."""
        return gang._replace(strategy=self.strategy)

    @property
    def price(self) -> float:
        """Returns what a strategy is worth."""
        return 1.0

    def words(self) -> str:
        """Returns it as people say it."""
        return f"with the strategy {self.strategy}" + (f" in place of {self.before}" if self.before else "")


def asking(gang: Gang, changed: Callable[[PodAsk], PodAsk]) -> Gang:
    """Returns a gang whose waiting members ask for something else."""
    # Members of a class mostly share one ask: it is changed once.
    asks: dict[int, PodAsk] = {}
    for one in gang.members:
        if id(one.ask) not in asks:
            asks[id(one.ask)] = changed(one.ask)
    members = (one if one.held else Member(one.uid, asks[id(one.ask)]) for one in gang.members)
    return gang._replace(members=tuple(members))


def ruled(fleet: Fleet, gang: Gang, changed: Callable[[RuleSet], RuleSet]) -> Gang:
    """Returns a gang whose waiting members have other rules."""
    numbers: dict[int, int] = {}

    def with_rules(ask: PodAsk) -> PodAsk:
        if ask.rules not in numbers:
            before = fleet.rule_set(ask.rules)
            # 0 is not an empty set of rules: it lets every node pass, tainted ones too.
            numbers[ask.rules] = 0 if before is None else fleet.rules(changed(before))
        return ask._replace(rules=numbers[ask.rules])

    return asking(gang, with_rules)


def _without(selector: tuple[tuple[str, str], ...], key: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in selector if pair[0] != key)


def _with_gpu(ask: PodAsk, gpu: GpuAsk) -> PodAsk:
    return ask._replace(gpu=gpu) if ask.gpu.number else ask
