"""Rules about what a template may ask for: a job gives nobody more power than creating its pods would.

What a pod may have, a job may have. Refused is what would only fail later, pod by pod, or speak in the operator's name.
"""

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.validation.amounts import IsInt32
from corral.kinds.training.validation.checks import Check, Each, Let, Rule
from corral.kinds.training.validation.job_rules import system_priority
from corral.kinds.training.validation.places import (
    AT,
    CONTAINER,
    NAMESPACE,
    POD,
    TEMPLATE,
    below_role,
    path,
    role_spec,
)
from corral.kinds.training.validation.terms import (
    Compared,
    Every,
    Field,
    Given,
    Literal,
    Name,
    Not,
    OneOf,
    Size,
    Term,
    Variable,
)
from corral.kinds.training.validation.text_terms import Matches, Quoted, Text

ENFORCED = "pod-security.kubernetes.io/enforce"
GUARDED_LEVELS = ("baseline", "restricted")
RESERVED_KEYS = ("corral.dev/attempt", "corral.dev/gang", "corral.dev/gang-size")
"""Labels and annotations by which the operator and the scheduler know their own pods."""

_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_NO_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    f"end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_LEVEL = Field(NAMESPACE, ("metadata", "labels", ENFORCED))
_GUARDED = Variable("guarded", OneOf(_LEVEL, Literal(list(GUARDED_LEVELS))))
_REFUSED = Literal(
    "the namespace allows no such pods: its label pod-security.kubernetes.io/enforce is baseline or restricted"
)
_VOLUME = Name("volume")


def power_rules(facts: KindFacts) -> tuple[Rule, ...]:
    """Returns the rules for the template of the role at hand."""
    template = Field(role_spec(facts), ("template",), default={})
    pod = Let("pod", Field(TEMPLATE, ("spec",), default={}), (*_guarded_rules(facts), *_pod_rules(facts)))
    return (Let("template", template, (*_metadata_rules(facts), pod)),)


def _metadata_rules(facts: KindFacts) -> tuple[Rule, ...]:
    where = ".template.metadata."
    kept = tuple(
        Check(
            OneOf(Literal(key), Field(TEMPLATE, ("metadata", field), default={})),
            "Forbidden",
            path(*below_role(facts, f"{where}{field}[{key}]")),
            Literal("is set by the operator"),
        )
        for field in ("labels", "annotations")
        for key in RESERVED_KEYS
    )
    owners = Field(TEMPLATE, ("metadata", "ownerReferences"), default=[])
    owned = Check(
        Compared(owners, "!=", Literal([])),
        "Forbidden",
        path(*below_role(facts, f"{where}ownerReferences")),
        Literal("must not be set: the job owns its pods"),
    )
    return (*kept, owned)


def _pod_rules(facts: KindFacts) -> tuple[Rule, ...]:
    where = ".template.spec."
    node = Compared(Field(POD, ("nodeName",)), "!=", Literal(""))
    accounts = (_account_rule(facts, field) for field in ("serviceAccountName", "serviceAccount"))
    return (
        Check(
            node,
            "Forbidden",
            path(*below_role(facts, f"{where}nodeName")),
            Literal("must not be set: a scheduler chooses the node; use nodeSelector or affinity"),
        ),
        *accounts,
        Check(
            Every((Given(POD, ("priority",)), Not(IsInt32(Field(POD, ("priority",), default=0))))),
            "Forbidden",
            path(*below_role(facts, f"{where}priority")),
            Literal("must be a whole number of 32 bits; use priorityClassName"),
        ),
        system_priority(Field(POD, ("priorityClassName",)), *below_role(facts, f"{where}priorityClassName")),
    )


def _account_rule(facts: KindFacts, field: str) -> Check:
    name = Field(POD, (field,))
    is_name = Every((Matches(name, _SUBDOMAIN), Compared(Size(Text((name,))), "<=", Literal(253))))
    return Check(
        Every((Compared(name, "!=", Literal("")), Not(is_name))),
        "Invalid value",
        path(*below_role(facts, f".template.spec.{field}")),
        Literal(_NO_SUBDOMAIN),
        Quoted(name),
    )


def _guarded_rules(facts: KindFacts) -> tuple[Rule, ...]:
    """Returns what Pod Security would refuse at every pod, told once at the job instead."""
    where = ".template.spec."
    shared: tuple[Rule, ...] = tuple(
        _guarded(Compared(Field(POD, (field,), default=False), "==", Literal(True)), *below_role(facts, where + field))
        for field in ("hostNetwork", "hostPID", "hostIPC")
    )
    mounts_host = Given(_VOLUME, ("hostPath",))
    volume = _guarded(mounts_host, *below_role(facts, f"{where}volumes[", AT, "].hostPath"))
    volumes = Each("volume", Field(POD, ("volumes",), default=[]), (volume,), index="at")
    return (*shared, volumes, *(_privileged(facts, field) for field in ("containers", "initContainers")))


def _privileged(facts: KindFacts, field: str) -> Rule:
    asks = Compared(Field(CONTAINER, ("securityContext", "privileged"), default=False), "==", Literal(True))
    where = below_role(facts, f".template.spec.{field}[", AT, "].securityContext.privileged")
    return Each("container", Field(POD, (field,), default=[]), (_guarded(asks, *where),), index="at")


def _guarded(asks: Term, *where: str | Term) -> Check:
    return Check(Every((_GUARDED, asks)), "Forbidden", path(*where), _REFUSED)
