"""Which rules hold for a kind, in the order in which their errors are told."""

from functools import cache

import msgspec
from msgspec.structs import replace

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
    scope_rules,
)
from corral.kinds.training.validation.places import known_roles
from corral.kinds.training.validation.pod_power import power_rules
from corral.kinds.training.validation.role_rules import gang_rules, map_rules, needed_rules, role_rules


class Section(msgspec.Struct, frozen=True):
    """Rules that belong together, under a name that a policy gives to their errors."""

    name: str
    rules: tuple[Rule, ...]


@cache
def sections_of(facts: KindFacts) -> tuple[Section, ...]:
    """Returns the rules by which a server refuses jobs of a kind."""
    demands = demands_of(facts)
    if not demands.is_refused:
        facts = replace(facts, any_case_roles=True)  # early manifests write roles in lower case
        powers = Each("role", known_roles(facts), power_rules(facts))
        policy = (*manager_kept_rules(), *priority_rules())
        return (
            Section("ofAnnotations", scope_rules()),
            Section("ofRunPolicy", policy),
            Section("ofRoles", (powers,)),
        )
    elastic = (
        *(elastic_rules() if demands.is_elastic else ()),
        *(rendezvous_rules(facts) if demands.is_rendezvous else ()),
    )
    sections = (
        Section("ofName", name_rules()),
        Section("ofAnnotations", scope_rules()),
        Section("ofRunPolicy", (*manager_kept_rules(), *run_policy_rules(), *priority_rules())),
        Section("ofElasticPolicy", elastic),
        Section("ofMap", map_rules(facts)),
        Section("ofRoles", (role_rules(facts, power_rules(facts)),)),
        Section("ofAllRoles", (*needed_rules(facts), *gang_rules(facts))),
    )
    return tuple(section for section in sections if section.rules)
