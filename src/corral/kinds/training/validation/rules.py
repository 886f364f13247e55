"""Which rules hold for a kind, in the order in which their errors are told."""

from functools import cache

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.validation.checks import Each, Rule
from corral.kinds.training.validation.demands import demands_of
from corral.kinds.training.validation.job_rules import (
    elastic_rules,
    manager_kept_rules,
    name_rules,
    priority_rules,
    rendezvous_rules,
    run_policy_rules,
)
from corral.kinds.training.validation.places import known_roles
from corral.kinds.training.validation.pod_power import power_rules
from corral.kinds.training.validation.role_rules import gang_rules, map_rules, needed_rules, role_rules


@cache
def rules_of(facts: KindFacts) -> tuple[Rule, ...]:
    """Returns the rules by which a server refuses jobs of a kind."""
    demands = demands_of(facts)
    if not demands.is_refused:
        powers = Each("role", known_roles(facts), power_rules(facts))
        return (*manager_kept_rules(), *priority_rules(), powers)
    return (
        *name_rules(),
        *manager_kept_rules(),
        *run_policy_rules(),
        *priority_rules(),
        *(elastic_rules() if demands.is_elastic else ()),
        *(rendezvous_rules(facts) if demands.is_rendezvous else ()),
        *map_rules(facts),
        role_rules(facts, power_rules(facts)),
        *needed_rules(facts),
        *gang_rules(facts),
    )
