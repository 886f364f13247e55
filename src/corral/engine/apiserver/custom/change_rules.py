"""The one validation rule in CEL that is known here without CEL: `self == oldSelf`, a field that cannot be changed.

Such a rule is asked when a field is there before and after a change; adding and removing the field are free. Rules are
asked last: while other findings stand in the way, a real server says that some rules were not checked, and so do we.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from corral.engine.apiserver.field_errors import FieldError, invalid
from corral.engine.apiserver.resources.resource import Object

KEYWORD: Final = "x-kubernetes-validations"
UNCHANGED: Final = "self == oldSelf"
_UNCHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
_BLOCKING: Final = frozenset({"Unsupported value", "Required value", "Too long", "Too many", "Type invalid"})

Source = dict[str, Any]


class ChangeRule(NamedTuple):
    """A field that cannot be changed."""

    path: tuple[str, ...]
    type: str
    message: str


def is_known(rules: Any) -> bool:
    """Whether all rules of a place in a schema are of the known kind."""
    return isinstance(rules, list) and all(
        isinstance(rule, dict)
        and rule.get("rule") == UNCHANGED
        and rule.keys() <= {"rule", "message"}
        and "\n" not in rule.get("message", "")
        for rule in rules
    )


def change_rules(schema: Source, path: tuple[str, ...] = ()) -> Iterator[ChangeRule]:
    """Yields the rules of a schema; they stand only where fields alone lead, see `schema_rules`."""
    for rule in schema.get(KEYWORD) or ():
        yield ChangeRule(path, schema.get("type", ""), rule.get("message") or f"failed rule: {UNCHANGED}")
    for name, child in schema.get("properties", {}).items():
        yield from change_rules(child, (*path, name))


def judged_by(
    rules: Sequence[ChangeRule], findings: list[FieldError], new: Object, old: Object | None
) -> list[FieldError]:
    """Returns the findings together with those of the rules, or with a note that the rules were not asked."""
    if not rules:
        return findings
    if any(finding.kind in _BLOCKING for finding in findings):
        return [*findings, invalid("<nil>", None, _UNCHECKED)]
    return findings if old is None else [*findings, *_changes(rules, new, old)]


def _changes(rules: Iterable[ChangeRule], new: Object, old: Object) -> Iterator[FieldError]:
    for rule in rules:
        now, then = _at(new, rule.path), _at(old, rule.path)
        if now is not None and then is not None and now != then:
            yield invalid(".".join(rule.path), rule.type, rule.message)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value
