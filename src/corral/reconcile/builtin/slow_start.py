"""Making many objects carefully: one, then two, then four, so that a refusal that hits all of them hits few."""

from collections.abc import Sequence

from corral.reconcile.plan import Action, Create, EmitEvent, Plan


def in_growing_batches(pairs: Sequence[tuple[Create, EmitEvent]]) -> Plan:
    """Returns a plan that creates in batches of 1, 2, 4, ...; each creation is told in the stage after it."""
    plan = Plan()
    told: tuple[Action, ...] = ()
    start, size = 0, 1
    while start < len(pairs):
        batch = pairs[start : start + size]
        plan = plan.then(*told, *(create for create, _ in batch))
        told = tuple(event for _, event in batch)
        start, size = start + size, size * 2
    return plan.then(*told)
