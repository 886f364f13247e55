"""The rules by which a server refuses a queue, as data: worked out here, and written in CEL for a cluster.

What no single object tells (a parent that is not there, parents in a ring) the scheduler says in the condition of the queue.
"""

from functools import cache
from typing import Final

from corral.kinds.queues.amount_terms import Exceeds
from corral.kinds.queues.queue import LONGEST_NAME
from corral.kinds.training.validation.checks import Check, Each, Rule
from corral.kinds.training.validation.list_terms import Chosen, Entry, Ordered
from corral.kinds.training.validation.places import KEY, OBJECT, OBJECT_NAME, path
from corral.kinds.training.validation.rules import Section
from corral.kinds.training.validation.terms import Compared, Every, Field, Literal, Not, OneOf, Size, Term, Variable
from corral.kinds.training.validation.text_terms import Key, Matches, Quoted, Text

_NAME_FORM: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_AMOUNTS: Final = ("guarantee", "limit", "lending", "borrowing")

_NAME = Variable("name", OBJECT_NAME)
_PARENT = Variable("parent", Field(OBJECT, ("spec", "parent")))
_MAPS: Final = {one: Variable(one, Field(OBJECT, ("spec", one), default={})) for one in _AMOUNTS}


@cache
def sections() -> tuple[Section, ...]:
    """Returns all rules, in the order in which their errors are told."""
    return (
        Section("ofName", (_name_rule(), *_parent_rules())),
        Section("ofAmounts", tuple(_not_negative(one) for one in _AMOUNTS)),
        Section("ofTerms", (_guarantee_within_limit(), _lent_is_guaranteed())),
    )


def _name_rule() -> Check:
    too_long = Compared(Size(_NAME), ">", Literal(LONGEST_NAME))
    detail = f"must be no more than {LONGEST_NAME} characters, as pods name it by a label"
    return _invalid(too_long, "metadata.name", _NAME, detail)


def _parent_rules() -> tuple[Check, ...]:
    is_given = Compared(_PARENT, "!=", Literal(""))
    no_name = Every((is_given, Not(Matches(_PARENT, _NAME_FORM))))
    itself = Every((is_given, Compared(_PARENT, "==", _NAME)))
    return (
        _invalid(no_name, "spec.parent", _PARENT, "must be the name of a queue"),
        _invalid(itself, "spec.parent", _PARENT, "a queue is no part of itself"),
    )


def _not_negative(name: str) -> Rule:
    return _wrong(name, Matches(Entry(_MAPS[name], KEY), "-.*"), "must not be negative")


def _guarantee_within_limit() -> Rule:
    guarantee, limit = (Entry(_MAPS[one], KEY) for one in ("guarantee", "limit"))
    return _wrong(
        "guarantee", Every((OneOf(KEY, _MAPS["limit"]), Exceeds(guarantee, limit))), "must not be more than the limit"
    )


def _lent_is_guaranteed() -> Rule:
    return _wrong("lending", Not(OneOf(KEY, _MAPS["guarantee"])), "only what is guaranteed can be lent")


def _wrong(name: str, when: Term, detail: str) -> Rule:
    """Returns a rule about single amounts of a map: when one is wrong, and what is said then."""
    given = _MAPS[name]
    found = Ordered(Chosen(given, "key", when))
    value = Quoted(Text((Entry(given, KEY),)))  # a number is shown as a text, too
    place = path(f"spec.{name}[", Key(KEY), "]")
    return Each("key", found, (Check(Literal(True), "Invalid value", place, Literal(detail), value),))


def _invalid(when: Term, where: str, value: Term, detail: str) -> Check:
    return Check(when, "Invalid value", path(where), Literal(detail), Quoted(value))
