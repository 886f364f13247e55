"""What rules look at: the object, its replica map, one role of it, one container, one port."""

from corral.kinds.training.facts import KindFacts
from corral.kinds.training.validation.list_terms import Chosen, Entry, Ordered, Spelled
from corral.kinds.training.validation.terms import Compared, Every, Field, Literal, Name, Not, OneOf, Term, Variable
from corral.kinds.training.validation.text_terms import Key, Lowered, Text

OBJECT, OLD, NAMESPACE = Name("object"), Name("oldObject"), Name("namespaceObject")
ROLE, KEY, POD, TEMPLATE = Name("role"), Name("key"), Name("pod"), Name("template")
CONTAINER, AT, PORT, PORT_AT = Name("container"), Name("at"), Name("port"), Name("portAt")
IS_CHANGE = Compared(OLD, "!=", Literal(None))
"""Whether the object replaces another; on a cluster nothing below `oldObject` can be asked for otherwise."""
OBJECT_NAME = Field(OBJECT, ("metadata", "name"))
NAMESPACE_NAME = Field(OBJECT, ("metadata", "namespace"))


def path(*parts: str | Term) -> Text:
    """Returns a path of constant and changing parts."""
    return Text(tuple(Literal(part) if isinstance(part, str) else part for part in parts))


def replica_map(facts: KindFacts) -> Variable:
    """Returns the replica specs as the user gave them."""
    return Variable("given", Field(OBJECT, ("spec", facts.map_field), default={}))


def known_roles(facts: KindFacts) -> Variable:
    """Returns the keys of the roles that the job has, as they are spelled, in the order of the kind."""
    given = replica_map(facts)
    if facts.any_case_roles:
        return Variable("roles", Spelled(given, facts.roles))
    return Variable("roles", Chosen(Literal(list(facts.roles)), "role", OneOf(ROLE, given)))


def unknown_roles(facts: KindFacts) -> Variable:
    """Returns the keys that are no role of the kind."""
    return Variable("unknown", Ordered(Chosen(replica_map(facts), "key", Not(_is_role(facts)))))


def doubled_roles(facts: KindFacts) -> Variable:
    """Returns the keys that mean a role which another key means already."""
    again = Every((_is_role(facts), Not(OneOf(KEY, known_roles(facts)))))
    return Variable("doubled", Ordered(Chosen(replica_map(facts), "key", again)))


def _is_role(facts: KindFacts) -> Term:
    if facts.any_case_roles:
        return OneOf(Lowered(KEY), Literal([role.lower() for role in facts.roles]))
    return OneOf(KEY, Literal(list(facts.roles)))


def role_spec(facts: KindFacts) -> Entry:
    """Returns the replica spec of the role at hand."""
    return Entry(replica_map(facts), ROLE)


def replicas_before(facts: KindFacts) -> Field:
    """Returns the replica specs that a change replaces."""
    return Field(OLD, ("spec", facts.map_field), default={})


def has_kept(facts: KindFacts, field: str) -> Term:
    """Returns whether the role at hand has a field as it was before, so that a rule about it has nothing new to judge."""
    before = replicas_before(facts)
    now, then = (Field(one, (field,), default=-1) for one in (role_spec(facts), Entry(before, ROLE)))
    return Every((IS_CHANGE, OneOf(ROLE, before), Compared(now, "==", then)))


def below_role(facts: KindFacts, *parts: str | Term) -> tuple[str | Term, ...]:
    """Returns the parts of a path below the role at hand."""
    return (f"spec.{facts.map_field}[", Key(ROLE), "]", *parts)
