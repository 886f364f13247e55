"""The rules in their order: the first that has something to say names the reason."""

from collections.abc import Callable
from typing import Final

from corral.control.desk.why import ends, holds, places, starts
from corral.control.desk.why.situation import Situation
from corral.kinds.reasons import Reason

Rule = Callable[[Situation], Reason | None]

RULES: Final[tuple[Rule, ...]] = (
    holds.leaving,
    ends.succeeded,
    ends.failed,
    holds.suspended,
    holds.invalid,
    holds.unseen,
    holds.refused,
    starts.no_image,
    starts.no_configuration,
    starts.crashing,
    places.waiting_for_claims,
    places.held_by_gates,
    places.without_a_node,
    starts.starting,
    starts.without_pods,
    starts.running,
)
"""What is over comes before what holds it up, and what nobody but a person can mend before what may pass by itself."""


def reason_for(situation: Situation) -> Reason:
    """Returns why a job is as it is."""
    for rule in RULES:
        found = rule(situation)
        if found is not None:
            return found
    line = situation.line
    steps = (f"corral get {situation.name} -e",)
    return Reason("unclear", f"it is {line.status}, and nothing says why", next_steps=steps)
