"""The nodes as the desk knows them: a fleet and a policy behind the few questions that the desk asks."""

from contextlib import AbstractContextManager

from corral.kinds.nodes import FAKE_NODE, PROCESS_NODE
from corral.placement.asks import Gang, Plan, PodAsk, Refusal, Seat
from corral.placement.fleet import Draft, Expression, Fleet, RuleSet
from corral.placement.gangs import plan
from corral.placement.offers import NodeOffer
from corral.placement.potentials.observed import LearningPolicy
from corral.placement.potentials.policies import Policy, policy

_TIERS = (Expression(PROCESS_NODE, "In", ("true",)), Expression(FAKE_NODE, "NotIn", ("true",)))
"""Which nodes are asked first: those that run pods as processes, then all that run them for real, then any."""


class FleetRoom:
    """A fleet in which nodes that run pods for real are asked before those that play them."""

    def __init__(self, fleet: Fleet, rule: Policy | None = None) -> None:
        self.fleet = fleet
        self._learning = LearningPolicy(rule or policy())
        self._members: tuple[set[str], ...] = tuple(set() for _ in _TIERS)
        self._narrowed: dict[tuple[int, int], int] = {}

    @property
    def policy(self) -> Policy:
        """Returns what places cost, by the mix of pods that came so far."""
        return self._learning.now

    def came(self, ask: PodAsk) -> bool:
        """Counts a pod that is seen for the first time; returns whether places cost something else from now on."""
        return self._learning.came(ask)

    def put(self, offer: NodeOffer) -> None:
        """Adds or replaces a node; what is held on it stays."""
        self.fleet.put(offer)
        labels = dict(offer.labels)
        for tier, members in zip(_TIERS, self._members, strict=True):
            (members.add if tier.holds(labels) else members.discard)(offer.name)

    def remove(self, name: str) -> None:
        """Takes a node away; holds on it stay for its return."""
        self.fleet.remove(name)
        for members in self._members:
            members.discard(name)

    def hold(self, seat: Seat, ask: PodAsk) -> None:
        """Takes a seat, whether it is left or not."""
        self.fleet.hold(seat, ask)

    def release(self, uid: str) -> None:
        """Gives back what a pod holds."""
        self.fleet.release(uid)

    def draft(self) -> AbstractContextManager[Draft]:
        """Opens a block whose changes are undone at its end, unless they are kept."""
        return self.fleet.draft()

    def plan(self, gang: Gang) -> Plan | Refusal:
        """Returns where a gang goes, or why it goes nowhere; the fleet is as before."""
        for tier, members in enumerate(self._members):
            if not 0 < len(members) < len(self.fleet):
                continue  # nobody is left out by it, or everybody
            asked = tuple(one._replace(ask=self._narrow(tier, one.ask)) for one in gang.members)
            answer = plan(self.fleet, gang._replace(members=asked), self.policy, explain=False)
            if isinstance(answer, Plan):
                return answer
        return plan(self.fleet, gang, self.policy, explain=False)

    def _narrow(self, tier: int, ask: PodAsk) -> PodAsk:
        """Returns an ask that allows the nodes of a tier only."""
        number = self._narrowed.get((tier, ask.rules))
        if number is None:
            rules = self.fleet.rule_set(ask.rules) or RuleSet()
            terms = tuple((*term, _TIERS[tier]) for term in rules.affinity) or ((_TIERS[tier],),)
            number = self._narrowed[tier, ask.rules] = self.fleet.rules(rules._replace(affinity=terms))
        return ask._replace(rules=number)
