"""The rules by which a server refuses a cron, as data: worked out here, and written in CEL for a cluster.

What no expression can tell (a zone that nobody knows, a range the wrong way round, a wrong job in the template) is found by
the operator, which says so in the condition of the cron.
"""

from functools import cache
from typing import Final

from corral.kinds.cron.grammar import EXAMPLE, FIELDS, MACROS
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.definitions.versions import versions_of
from corral.kinds.training.facts import GROUP as TRAINING_GROUP
from corral.kinds.training.validation.checks import Check, Rule
from corral.kinds.training.validation.job_rules import LABEL, NOT_A_LABEL
from corral.kinds.training.validation.places import NAMESPACE_NAME, OBJECT, OBJECT_NAME, path
from corral.kinds.training.validation.rules import Section
from corral.kinds.training.validation.terms import Compared, Every, Field, Literal, Not, OneOf, Size, Term, Variable
from corral.kinds.training.validation.text_terms import Matches, Quoted, Text

LONGEST_NAME: Final = 52
"""A job is named after its cron and its minute, and its pods after the job."""

_STEP: Final = "(?:/[1-9][0-9]{0,3})?"
_MONTHS: Final = "(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DAYS: Final = "(?i:sun|mon|tue|wed|thu|fri|sat)"


def _field(value: str, also: str = "", star: str = r"\*") -> str:
    one = f"(?:(?:{star}|{value}(?:-{value})?){_STEP}{also})"
    return f"{one}(?:,{one})*"


_FORMS: Final = (
    _field("[0-5]?[0-9]"),
    _field("(?:[01]?[0-9]|2[0-3])"),
    _field("(?:0?[1-9]|[12][0-9]|3[01])", "|[lL][wW]?", r"[*?]"),
    _field(f"(?:0?[1-9]|1[0-2]|{_MONTHS})"),
    _field(f"(?:[0-7]|{_DAYS})", f"|[0-7][lL]|(?:[0-7]|{_DAYS})#[1-5]", r"[*?]"),
)
"""What each field may look like, in the order of `FIELDS`."""
_RANGES: Final = (
    "0 to 59",
    "0 to 23",
    "1 to 31, or L for the last",
    "1 to 12, or JAN to DEC",
    "0 to 7, where 0 and 7 are Sunday, or SUN to SAT",
)
_SECONDS: Final = "(?:0 +)?"
_WORD: Final = "|".join(MACROS) + "|@every +(?:[0-9]{1,6}[hms])+"
_FIVE: Final = rf" *{_SECONDS}[^@ ][^ ]*(?: +[^ ]+){{4}} *"
_ZONE: Final = "[A-Za-z0-9+_-]+(?:/[A-Za-z0-9+_-]+)*"

_NAME = Variable("name", OBJECT_NAME)
_SCHEDULE = Variable("schedule", Field(OBJECT, ("spec", "schedule")))
_TIME_ZONE = Variable("timeZone", Field(OBJECT, ("spec", "timeZone")))
_TEMPLATE = ("spec", "template")


@cache
def sections() -> tuple[Section, ...]:
    """Returns all rules, in the order in which their errors are told."""
    return (
        Section("ofName", _name_rules()),
        Section("ofSchedule", (*_schedule_rules(), _zone_rule())),
        Section("ofTemplate", _template_rules()),
    )


def _name_rules() -> tuple[Rule, ...]:
    too_long = Compared(Size(_NAME), ">", Literal(LONGEST_NAME))
    return (
        _invalid(too_long, "metadata.name", _NAME, f"must be no more than {LONGEST_NAME} characters"),
        _invalid(Not(Matches(_NAME, LABEL)), "metadata.name", _NAME, NOT_A_LABEL),
    )


def _schedule_rules() -> tuple[Rule, ...]:
    is_word, is_five = Matches(_SCHEDULE, _WORD), Matches(_SCHEDULE, _FIVE)
    neither = _invalid(Every((Not(is_word), Not(is_five))), "spec.schedule", _SCHEDULE, EXAMPLE)
    return (neither, *(_field_rule(at, is_five) for at in range(len(FIELDS))))


def _field_rule(at: int, is_five: Term) -> Check:
    parts = [_FORMS[at] if other == at else "[^ ]+" for other in range(len(FIELDS))]
    form = f" *{_SECONDS}" + " +".join(f"(?:{part})" for part in parts) + " *"
    wrong = Every((is_five, Not(Matches(_SCHEDULE, form))))
    return _invalid(wrong, "spec.schedule", _SCHEDULE, f"the {FIELDS[at]} must be * or from {_RANGES[at]}")


def _zone_rule() -> Check:
    return _invalid(
        Not(Matches(_TIME_ZONE, f"(?:{_ZONE})?")), "spec.timeZone", _TIME_ZONE, "must be a name such as Europe/Berlin"
    )


def _template_rules() -> tuple[Rule, ...]:
    version, kind = (Field(OBJECT, (*_TEMPLATE, field)) for field in ("apiVersion", "kind"))
    known = [f"{TRAINING_GROUP}/{one.name} {facts.kind}" for facts in TRAINING_KINDS for one in versions_of(facts)]
    together = Variable("kind", Text((version, Literal(" "), kind)))
    namespace = Variable("templateNamespace", Field(OBJECT, (*_TEMPLATE, "metadata", "namespace")))
    elsewhere = Every((Compared(namespace, "!=", Literal("")), Compared(namespace, "!=", NAMESPACE_NAME)))
    supported = "supported values: " + ", ".join(f'"{one}"' for one in known if f"{TRAINING_GROUP}/v1 " in one)
    return (
        Check(
            Not(OneOf(together, Literal(known))),
            "Unsupported value",
            path("spec.template"),
            Literal(supported),
            Quoted(together),
        ),
        _invalid(elsewhere, "spec.template.metadata.namespace", namespace, "jobs are made where their cron is"),
    )


def _invalid(when: Term, where: str, value: Term, detail: str) -> Check:
    return Check(when, "Invalid value", path(where), Literal(detail), Quoted(value))
