"""Rules about the roles of a job: which there may be, how many pods each has, and what its containers must say."""

from typing import get_args

from corral.kinds.training.facts import KindFacts, RestartPolicy
from corral.kinds.training.validation.amounts import Fractions
from corral.kinds.training.validation.checks import Check, Each, Let, Rule
from corral.kinds.training.validation.demands import demands_of
from corral.kinds.training.validation.job_rules import LONGEST_NAME, out_of_range, unsupported
from corral.kinds.training.validation.list_terms import MOST_ITEMS, Before, Chosen, Entry, Ordered
from corral.kinds.training.validation.places import (
    AT,
    CONTAINER,
    IS_CHANGE,
    KEY,
    OBJECT,
    OBJECT_NAME,
    OLD,
    POD,
    PORT,
    PORT_AT,
    ROLE,
    below_role,
    doubled_roles,
    has_kept,
    known_roles,
    path,
    replica_map,
    replicas_before,
    role_spec,
    unknown_roles,
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
    Sum,
    Term,
)
from corral.kinds.training.validation.text_terms import Key, Lowered, Quoted, Text

RESTART_POLICIES: tuple[str, ...] = get_args(RestartPolicy)
_CONTAINERS = Field(POD, ("containers",), default=[])
_PORTS = Field(CONTAINER, ("ports",), default=[])
_OTHER = Name("other")
_SCHEDULING = ("spec", "runPolicy", "schedulingPolicy")


def map_rules(facts: KindFacts) -> tuple[Rule, ...]:
    """Returns the rules about which roles are there."""
    where = f"spec.{facts.map_field}"
    is_empty = Compared(Size(replica_map(facts)), "==", Literal(0))
    rules: list[Rule] = []
    if not demands_of(facts).needs:
        rules.append(Check(is_empty, "Required value", path(where), Literal("must be required")))
    rules.append(Each("key", unknown_roles(facts), (_unknown(facts),)))
    if facts.any_case_roles:
        again = Check(Literal(True), "Duplicate value", path(f"{where}[", Key(KEY), "]"), shown=Quoted(KEY))
        rules.append(Each("key", doubled_roles(facts), (again,)))
    return tuple(rules)


def _unknown(facts: KindFacts) -> Check:
    supported = "supported values: " + ", ".join(f'"{role}"' for role in facts.roles)
    where = path(f"spec.{facts.map_field}[", Key(KEY), "]")
    return Check(Literal(True), "Unsupported value", where, Literal(supported), Quoted(KEY))


def needed_rules(facts: KindFacts) -> tuple[Rule, ...]:
    """Returns the rules about roles that must be there, or not together."""
    where = f"spec.{facts.map_field}"
    given = replica_map(facts)
    rules: list[Rule] = [
        Check(Not(OneOf(Literal(role), given)), "Required value", path(f"{where}[{role}]"), Literal("must be present"))
        for role in demands_of(facts).needs
    ]
    if demands_of(facts).only_one_of:
        low = [role.lower() for role in demands_of(facts).only_one_of]
        found = Chosen(given, "key", OneOf(Lowered(KEY), Literal(low)))
        detail = f"must not have more than 1 {' or '.join(demands_of(facts).only_one_of)} role"
        rules.append(Check(Compared(Size(found), ">", Literal(1)), "Forbidden", path(where), Literal(detail)))
    return tuple(rules)


def role_rules(facts: KindFacts, pod_rules: tuple[Rule, ...]) -> Rule:
    """Returns the rules for each role that the job has; `pod_rules` are those about its pod's power."""
    body = (
        Let("pod", Field(role_spec(facts), ("template", "spec"), default={}), _container_rules(facts)),
        *_replica_rules(facts),
        *pod_rules,
    )
    return Each("role", known_roles(facts), body)


def _container_rules(facts: KindFacts) -> tuple[Rule, ...]:
    where = below_role(facts, ".template.spec.containers")
    named = Chosen(_CONTAINERS, "container", Compared(Field(CONTAINER, ("name",)), "==", Literal(facts.container)))
    missing = f"must have at least one container with name {facts.container}"
    count, most = Size(_CONTAINERS), Literal(MOST_ITEMS)
    return (
        Check(Compared(count, "==", Literal(0)), "Required value", path(*where), Literal("must be specified")),
        Check(
            Compared(count, ">", most),
            "Too many",
            path(*where),
            Literal(f"must have at most {MOST_ITEMS} items"),
            count,
        ),
        Each(
            "container",
            _CONTAINERS,
            (_image_rule(where), *_port_rules(facts, where), *_amount_rules(where)),
            index="at",
        ),
        Check(Compared(Size(named), "==", Literal(0)), "Required value", path(*where), Literal(missing)),
    )


def _image_rule(where: tuple[str | Term, ...]) -> Check:
    is_missing = Compared(Field(CONTAINER, ("image",)), "==", Literal(""))
    return Check(is_missing, "Required value", path(*where, "[", AT, "].image"), Literal("must be required"))


def _port_rules(facts: KindFacts, containers: tuple[str | Term, ...]) -> tuple[Rule, ...]:
    where = (*containers, "[", AT, "].ports[", PORT_AT, "]")
    number, name = Field(PORT, ("containerPort",), default=0), Field(PORT, ("name",))
    before = Field(Entry(_PORTS, _OTHER), ("name",))
    earlier = Chosen(Before(PORT_AT), "other", Compared(before, "==", name))
    alike = Chosen(_PORTS, "other", Compared(Field(_OTHER, ("name",)), "==", name))
    # Counting those before is dear in CEL, so it is asked last, and only when there are two at all.
    again = Every(
        (
            Compared(name, "!=", Literal("")),
            Compared(Size(alike), ">", Literal(1)),
            Compared(Size(earlier), ">", Literal(0)),
        )
    )
    checks: list[Rule] = [
        Check(
            out_of_range(number),
            "Invalid value",
            path(*where, ".containerPort"),
            Literal("must be between 1 and 65535, inclusive"),
            number,
        ),
        Check(again, "Duplicate value", path(*where, ".name"), shown=Quoted(name)),
    ]
    if facts.adds_port:
        checks.append(_default_port_rule(facts, path(*where, ".containerPort")))
    return (Each("port", _PORTS, tuple(checks), index="portAt"),)


def _amount_rules(containers: tuple[str | Term, ...]) -> tuple[Rule, ...]:
    made: list[Rule] = []
    for field in ("limits", "requests"):
        given = Field(CONTAINER, ("resources", field), default={})
        where = path(*containers, "[", AT, f"].resources.{field}[", Key(KEY), "]")
        check = Check(Literal(True), "Invalid value", where, Literal("must be an integer"), Quoted(Entry(given, KEY)))
        made.append(Each("key", Ordered(Fractions(given)), (check,)))
    return tuple(made)


def _default_port_rule(facts: KindFacts, where: Text) -> Check:
    """Returns the rule that the number of the port which is added is free: a service has no number twice."""
    name = Field(PORT, ("name",))
    has_own = Chosen(_PORTS, "other", Compared(Field(_OTHER, ("name",)), "==", Literal(facts.port_name)))
    taken = (
        Compared(Field(CONTAINER, ("name",)), "==", Literal(facts.container)),
        Compared(Field(PORT, ("containerPort",), default=0), "==", Literal(facts.port)),
        Compared(Field(PORT, ("protocol",), default="TCP"), "==", Literal("TCP")),
        Not(OneOf(name, Literal(["", facts.port_name]))),
        Compared(Size(has_own), "==", Literal(0)),
    )
    detail = (
        f'is the number of port "{facts.port_name}", which every job has: give this port that name or another number'
    )
    return Check(Every(taken), "Invalid value", where, Literal(detail), Literal(facts.port))


def _replica_rules(facts: KindFacts) -> tuple[Rule, ...]:
    spec = role_spec(facts)
    where = path(*below_role(facts, ".replicas"))
    is_new = Not(has_kept(facts, "replicas"))  # scaling may have led where no job can begin; it must lead on from there
    rules: list[Rule] = []
    for role in demands_of(facts).single:
        is_one = Compared(Field(spec, ("replicas",), default=0), "==", Literal(1))
        rules.append(Check(Every((_is(role), Not(is_one), is_new)), "Forbidden", where, Literal("must be 1")))
    for role in demands_of(facts).never_empty:
        is_none = Compared(Field(spec, ("replicas",), default=1), "<", Literal(1))
        rules.append(Check(Every((_is(role), is_none, is_new)), "Forbidden", where, Literal("must be at least 1")))
    policy = unsupported(Field(spec, ("restartPolicy",)), RESTART_POLICIES, *below_role(facts, ".restartPolicy"))
    return (*rules, policy, _child_name_rule(facts))


def _is(role: str) -> Term:
    return Compared(Lowered(ROLE), "==", Literal(role.lower()))


def _child_name_rule(facts: KindFacts) -> Check:
    """Returns the rule that the name of the role's last pod, which is that of its service too, is not too long."""
    count = Field(role_spec(facts), ("replicas",), default=1)
    last = Text((OBJECT_NAME, Literal("-"), Lowered(ROLE), Literal("-"), Sum(count, Literal(-1))))
    too_long = (
        Compared(Size(OBJECT_NAME), "<=", Literal(LONGEST_NAME)),
        Compared(count, ">", Literal(0)),
        Compared(Size(last), ">", Literal(LONGEST_NAME)),
        Not(has_kept(facts, "replicas")),
    )
    detail = Text(
        (
            Literal("is too long: its pod "),
            Quoted(last),
            Literal(" would have a name of "),
            Size(last),
            Literal(f" characters, and {LONGEST_NAME} are allowed"),
        )
    )
    return Check(Every(too_long), "Invalid value", path("metadata.name"), detail, Quoted(OBJECT_NAME))


def gang_rules(facts: KindFacts) -> tuple[Rule, ...]:
    """Returns the rule that a gang has somebody in it."""
    some = Chosen(
        known_roles(facts), "role", Compared(Field(role_spec(facts), ("replicas",), default=1), ">", Literal(0))
    )
    empty = (
        Given(OBJECT, _SCHEDULING),
        Compared(Size(known_roles(facts)), ">", Literal(0)),
        Compared(Size(some), "==", Literal(0)),
        Not(_has_kept_gang(facts)),
    )
    detail = "must have at least one pod when spec.runPolicy.schedulingPolicy is used"
    return (Check(Every(empty), "Forbidden", path(f"spec.{facts.map_field}"), Literal(detail)),)


def _has_kept_gang(facts: KindFacts) -> Term:
    """Returns whether there was a gang before, of as many pods in each role."""
    changed = Chosen(known_roles(facts), "role", Not(has_kept(facts, "replicas")))
    return Every(
        (
            IS_CHANGE,
            Given(OLD, _SCHEDULING),
            Compared(Size(replicas_before(facts)), "==", Size(replica_map(facts))),
            Compared(Size(changed), "==", Literal(0)),
        )
    )
