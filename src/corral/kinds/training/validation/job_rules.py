"""Rules about the job as a whole: its name, its run policy, its elastic policy."""

from msgspec import structs

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.run_policy import MULTIKUEUE, RESTART_SCOPE, RESTART_SCOPES, TRAINING_OPERATOR
from corral.kinds.training.validation.checks import Check, Rule
from corral.kinds.training.validation.places import (
    IS_CHANGE,
    NAMESPACE_NAME,
    OBJECT,
    OBJECT_NAME,
    OLD,
    path,
    replica_map,
)
from corral.kinds.training.validation.terms import Compared, Every, Field, Given, Literal, Not, OneOf, Size, Term
from corral.kinds.training.validation.text_terms import Matches, Quoted

LONGEST_NAME = 63
CLEAN_POD_POLICIES = ("All", "None", "Running")
SYSTEM_PRIORITIES = ("system-cluster-critical", "system-node-critical")
SYSTEM_NAMESPACE = "kube-system"

LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
NOT_A_LABEL = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and "
    f"end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '{LABEL}')"
)
_TOO_LONG = f"must be no more than {LONGEST_NAME} bytes"
_POLICY = ("spec", "runPolicy")
_SCHEDULING = (*_POLICY, "schedulingPolicy")
_ELASTIC = ("spec", "elasticPolicy")
_SCOPE = ("metadata", "annotations", RESTART_SCOPE)
SCOPE_IS_KEPT = Every((IS_CHANGE, Compared(Field(OBJECT, _SCOPE), "==", Field(OLD, _SCOPE))))
"""Whether a change leaves the scope of restarts as it was."""


def name_rules() -> tuple[Rule, ...]:
    """Returns the rule that the name is one that a service can have."""
    is_long = Compared(Size(OBJECT_NAME), ">", Literal(LONGEST_NAME))
    is_label = Matches(OBJECT_NAME, LABEL)
    cases = (
        (Every((is_long, Not(is_label))), f"{_TOO_LONG},{NOT_A_LABEL}"),
        (Every((is_long, is_label)), _TOO_LONG),
        (Every((Not(is_long), Not(is_label))), NOT_A_LABEL),
    )
    return tuple(
        Check(when, "Invalid value", path("metadata.name"), Literal(f"should match: {detail}"), Quoted(OBJECT_NAME))
        for when, detail in cases
    )


def scope_rules() -> tuple[Rule, ...]:
    """Returns the rule that the annotation about restarts says something; one that was taken before stays."""
    wrong = unsupported(Field(OBJECT, _SCOPE), RESTART_SCOPES, f"metadata.annotations[{RESTART_SCOPE}]")
    return (structs.replace(wrong, when=Every((Not(SCOPE_IS_KEPT), wrong.when))),)


def manager_kept_rules() -> tuple[Rule, ...]:
    """Returns the rule that a job stays with the controller that it was created for."""
    field = (*_POLICY, "managedBy")
    now, before = Field(OBJECT, field), Field(OLD, field)
    changed = Every((IS_CHANGE, Compared(now, "!=", before)))
    where, detail = path(".".join(field)), Literal("field is immutable")
    return (
        Check(Every((changed, Given(OBJECT, field))), "Invalid value", where, detail, Quoted(now)),
        Check(Every((changed, Not(Given(OBJECT, field)))), "Invalid value", where, detail, Literal(None)),
    )


def run_policy_rules() -> tuple[Rule, ...]:
    """Returns the rules of the run policy that hold for every kind."""
    return (
        *one_of((*_POLICY, "managedBy"), (TRAINING_OPERATOR, MULTIKUEUE)),
        *one_of((*_POLICY, "cleanPodPolicy"), CLEAN_POD_POLICIES),
        *at_least((*_POLICY, "ttlSecondsAfterFinished"), 0),
        *at_least((*_POLICY, "activeDeadlineSeconds"), 0),
        *at_least((*_POLICY, "backoffLimit"), 0),
        *at_least((*_SCHEDULING, "minAvailable"), 0),
        *at_least((*_SCHEDULING, "scheduleTimeoutSeconds"), 0),
    )


def priority_rules() -> tuple[Rule, ...]:
    """Returns the rule that the gang asks for no priority that belongs to the system."""
    field = (*_SCHEDULING, "priorityClass")
    return (system_priority(Field(OBJECT, field), ".".join(field)),)


def system_priority(name: Term, *where: str | Term) -> Check:
    """Returns the check that a priority class is not one of the system's, outside the system's namespace."""
    taken = OneOf(name, Literal(list(SYSTEM_PRIORITIES)))
    outside = Compared(NAMESPACE_NAME, "!=", Literal(SYSTEM_NAMESPACE))
    return Check(
        Every((taken, outside)),
        "Forbidden",
        path(*where),
        Literal(f"system priority classes may be used in namespace {SYSTEM_NAMESPACE} only"),
    )


def elastic_rules() -> tuple[Rule, ...]:
    """Returns the rules of the elastic policy."""
    least, most = Field(OBJECT, (*_ELASTIC, "minReplicas"), 1), Field(OBJECT, (*_ELASTIC, "maxReplicas"), 1)
    both = (Given(OBJECT, (*_ELASTIC, "minReplicas")), Given(OBJECT, (*_ELASTIC, "maxReplicas")))
    crossed = Check(
        Every((*both, Compared(least, ">", most))),
        "Invalid value",
        path("spec.elasticPolicy.minReplicas"),
        Literal("must not be greater than spec.elasticPolicy.maxReplicas"),
        least,
    )
    return (
        *at_least((*_ELASTIC, "minReplicas"), 1),
        *at_least((*_ELASTIC, "maxReplicas"), 1),
        crossed,
        *at_least((*_ELASTIC, "maxRestarts"), 0),
    )


def rendezvous_rules(facts: KindFacts) -> tuple[Rule, ...]:
    """Returns what PyTorch asks of an elastic job besides."""
    field = (*_ELASTIC, "nProcPerNode")
    port = Field(OBJECT, (*_ELASTIC, "rdzvPort"), 1)
    return (
        Check(
            Every((Given(OBJECT, _ELASTIC), Not(OneOf(Literal("Worker"), replica_map(facts))))),
            "Required value",
            path(f"spec.{facts.map_field}[Worker]"),
            Literal("must be configured if elastic policy is used"),
        ),
        Check(
            Every((Given(OBJECT, field), Given(OBJECT, ("spec", "nprocPerNode")))),
            "Forbidden",
            path(".".join(field)),
            Literal("must not be used with spec.nprocPerNode"),
        ),
        Check(
            out_of_range(port),
            "Invalid value",
            path("spec.elasticPolicy.rdzvPort"),
            Literal("must be between 1 and 65535, inclusive"),
            port,
        ),
    )


def out_of_range(port: Term) -> Term:
    """Returns the condition that a number is no port."""
    return Not(Every((Compared(port, ">=", Literal(1)), Compared(port, "<=", Literal(65535)))))


def at_least(field: tuple[str, ...], least: int) -> tuple[Rule, ...]:
    """Returns the rule that a number, where given, is not too small."""
    number = Field(OBJECT, field, default=1)
    return (
        Check(
            Compared(number, "<", Literal(least)),
            "Invalid value",
            path(".".join(field)),
            Literal(f"must be greater than or equal to {least}"),
            number,
        ),
    )


def one_of(field: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[Rule, ...]:
    """Returns the rule that a text, where given, is one of a few."""
    return (unsupported(Field(OBJECT, field), allowed, ".".join(field)),)


def unsupported(text: Term, allowed: tuple[str, ...], *where: str | Term) -> Check:
    """Returns the check that a text is empty or one of a few."""
    return Check(
        Not(OneOf(text, Literal(["", *allowed]))),
        "Unsupported value",
        path(*where),
        Literal("supported values: " + ", ".join(f'"{one}"' for one in allowed)),
        Quoted(text),
    )
